"""Comparison of a test driver's topology with the program that a savepoint is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from millstream.core.config import StreamsConfig
from millstream.core.engine.snapshots import Schedule, Snapshot
from millstream.core.errors import StreamsException
from millstream.core.plan import Plan
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.savepoints.notes import owner_of
from millstream.topology.spark.checkpoint.store_notes import notes_from_json, notes_of
from millstream.topology.spark.evolution.comparison import compare
from millstream.topology.spark.evolution.convert import Convert, conversions
from millstream.topology.spark.evolution.outcome import Comparison
from millstream.topology.spark.evolution.reading import facts_of
from millstream.topology.spark.evolution.words import words_of


@dataclass(frozen=True, slots=True)
class Continued:
    """What of a savepoint goes on where in a topology."""

    manifest: SavepointManifest
    comparison: Comparison
    convert: Mapping[str, Convert]
    """Store -> conversion of the rows that it goes on with."""

    def former(self, store: str) -> str | None:
        """Return the savepoint's store, or part of one, that a store goes on with."""
        stores = self.comparison.stores
        owner = store if store in stores else self._owner(store)
        if owner not in stores:
            return None
        return stores[owner] + store[len(owner) :]

    def converter(self, store: str) -> Convert | None:
        """Return the conversion of a store's rows; None if they stay as they are."""
        return self.convert.get(store if store in self.comparison.stores else self._owner(store))

    def renamed(self, saved: Snapshot) -> Snapshot:
        """Return a snapshot with the names of the topology's nodes; others are left out."""
        nodes = self.comparison.nodes
        return replace(
            saved,
            stream_punctuations=_schedules(nodes, saved.stream_punctuations),
            clock_punctuations=_schedules(nodes, saved.clock_punctuations),
            processors={
                new: saved.processors[old] for new, old in nodes.items() if old in saved.processors
            },
        )

    def topic(self, topic: str, application_id: str) -> str:
        """Return a topic's name in the application; internal topics may have another one."""
        prefix = f"{self.manifest.application_id}-"
        for new, old in self.comparison.topics.items():
            if topic in (old, prefix + old):
                return f"{application_id}-{new}"
        return topic

    def _owner(self, store: str) -> str:
        owners = [name for name in self.comparison.stores if store.startswith(f"{name}-")]
        return max(owners, key=len, default=store)


def continued(
    manifest: SavepointManifest, plan: Plan, description: str, config: StreamsConfig, place: str
) -> Continued:
    """Compare a topology with the program of a savepoint.

    Args:
        manifest: The savepoint's manifest.
        plan: The topology.
        description: Text of its ``describe()``.
        config: Its configuration.
        place: Where the savepoint is, for errors.

    Raises:
        StreamsException: The topology cannot go on with a store.
    """
    notes = {
        name: each.note
        for name, each in manifest.stores.items()
        if each.note and owner_of(manifest, name) == name
    }
    before = facts_of(
        manifest.topology,
        application_id=manifest.application_id,
        notes=notes_from_json(notes),
        topics=manifest.topics,
        store_format=manifest.store_format,
        words=manifest.words or (),
    )
    before = replace(before, every_word=manifest.words is not None)
    # Without numbers of partitions: a driver has one, whatever the savepoint has.
    after = facts_of(
        description,
        application_id=config.getString("application.id"),
        notes=notes_of(plan, config),
        topics=manifest.topics,
        store_format=str(config.merged().get("dsl.store.format") or "DEFAULT"),
    )
    words = words_of(config)
    comparison = compare(before, after, words)
    if stops := comparison.refused:
        raise StreamsException(
            f'savepoint "{place}" cannot go on with this topology',
            detail=" ".join(f'{each.kind} "{each.name}": {each.why}.' for each in stops),
            hint=" ".join(dict.fromkeys(f"{each.how}." for each in stops if each.how)),
        )
    return Continued(manifest, comparison, conversions(comparison, before, after, words))


def _schedules(nodes: Mapping[str, str], saved: list[Schedule]) -> list[Schedule]:
    return [
        (new, ordinal, next_ms, cancelled)
        for new, old in nodes.items()
        for node, ordinal, next_ms, cancelled in saved
        if node == old
    ]
