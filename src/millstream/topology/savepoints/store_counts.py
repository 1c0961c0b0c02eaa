"""Partitions of each store of a savepoint, before and after a rescaling.

A store has as many as the topics whose records reach it. Its sub-topology may have more tasks: it
has those of its largest topic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.spark.checkpoint.store_notes import StoreNote
from millstream.topology.spark.evolution.partitions import topics_above
from millstream.topology.spark.evolution.reading import facts_of


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """Numbers of partitions of one store."""

    before: int
    after: int
    mixed: str = ""
    """Why one number is not enough; empty if it is, or if no topic's number changes."""


def store_counts(
    manifest: SavepointManifest, before: Mapping[str, int], after: Mapping[str, int]
) -> dict[str, StoreCounts]:
    """Return the numbers of partitions of all stores that are not global and have a note.

    Args:
        manifest: The state.
        before: Topic, as described -> its partitions when the state was written.
        after: The same, after the rescaling.
    """
    facts = facts_of(
        manifest.topology,
        application_id=manifest.application_id,
        tasks=manifest.tasks,
        notes={name: StoreNote(**each.note) for name, each in manifest.stores.items() if each.note},
        topics=manifest.topics,
    )
    above = topics_above(facts)
    found = {}
    for name, store in facts.stores.items():
        topics = sorted(frozenset().union(*(above[user] for user in store.users)))
        known = [topic for topic in topics if topic in before and topic in after]
        if store.subtopology is None or not known or len(known) < len(topics):
            continue
        changes = any(before[topic] != after[topic] for topic in topics)
        found[name] = StoreCounts(
            max(before[topic] for topic in topics),
            max(after[topic] for topic in topics),
            (_mixed(topics, before) or _mixed(topics, after)) if changes else "",
        )
    return found


def _mixed(topics: list[str], counts: Mapping[str, int]) -> str:
    if len({counts[topic] for topic in topics}) == 1:
        return ""
    listed = ", ".join(f'"{topic}" has {counts[topic]}' for topic in topics)
    return f"its records come from topics with different numbers of partitions: {listed}"
