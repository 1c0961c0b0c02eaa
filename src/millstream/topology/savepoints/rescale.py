"""Rescaling of a savepoint: every entry goes where its key belongs among more or fewer tasks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from millstream.core.engine import snapshots
from millstream.core.engine.snapshots import Combine, Snapshot
from millstream.core.errors import StreamsException
from millstream.topology.savepoints.checksums import contents_of, joined
from millstream.topology.savepoints.manifest import Contents, SavepointManifest
from millstream.topology.savepoints.notes import note_of, owner_of
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.rehash import Rehash
from millstream.topology.savepoints.store_counts import StoreCounts
from millstream.topology.savepoints.subscriptions import LeftTable, PartitionOf
from millstream.topology.savepoints.writer import SavepointWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescaling:
    """What a rescaling changes."""

    tasks: Mapping[int, int]
    """Sub-topology -> its new number of tasks; others stay as they are."""
    places: Mapping[str, PartitionOf] = field(default_factory=dict)
    """Stores whose keys are not placed by Kafka's default partitioner."""
    topics: Mapping[str, int] = field(default_factory=dict)
    """Topic -> its number of partitions; a new one is read from its beginning."""
    stores: Mapping[str, StoreCounts] = field(default_factory=dict)
    """Partitions of stores, where they are known; else as many as the tasks."""
    lefts: Mapping[str, LeftTable] = field(default_factory=dict)
    """Store of a foreign-key join's subscriptions -> the left table, if it has other tasks now."""

    def counts(self, manifest: SavepointManifest, store: str) -> tuple[int, int]:
        """Return the number of partitions of a store, or of a part of one, before and after."""
        part = manifest.stores[store].subtopology
        if part is None:
            return 1, 1
        known = self.stores.get(owner_of(manifest, store))
        if known is not None:
            return known.before, known.after
        before = manifest.tasks.get(part, 1)
        return before, self.tasks.get(part) or before

    def rehashes(self, manifest: SavepointManifest) -> dict[str, Rehash]:
        """Return the move of each store, and part of a store, that gets other partitions.

        Raises:
            UnsupportedOperationException: A store's rows do not say to which key they belong.
        """
        found = {}
        for name in manifest.stores:
            before, after = self.counts(manifest, name)
            if before != after or name in self.lefts:
                found[name] = self.rehash(manifest, name)
        return found

    def rehash(self, manifest: SavepointManifest, store: str) -> Rehash:
        """Return the move of one store, or of a part of one.

        Raises:
            UnsupportedOperationException: Its rows do not say to which key they belong.
        """
        place = self.places.get(owner_of(manifest, store))
        _, after = self.counts(manifest, store)
        return Rehash(store, note_of(manifest, store), after, place, self.lefts.get(store))

    def changed(self, manifest: SavepointManifest, combine: Combine) -> SavepointManifest:
        """Return a manifest with the new tasks and what they begin with, besides their entries.

        Args:
            manifest: The manifest.
            combine: Given a processor and what it saved in each task, returns what it goes on with.

        Raises:
            UnsupportedOperationException: A processor cannot go on with the state of several tasks.
        """
        tasks = {part: self.tasks.get(part) or count for part, count in manifest.tasks.items()}
        saved: dict[str, bytes] = {}
        for part, count in tasks.items():
            former = {n: d for n, d in manifest.snapshots.items() if n.split("_")[0] == str(part)}
            if count == manifest.tasks[part] or not former:
                saved |= former
                continue
            whole = snapshots.merged(map(snapshots.decode, former.values()), combine)
            for number in range(count):
                saved[f"{part}_{number}"] = snapshots.encoded(_of_task(whole, number))
        return replace(
            manifest,
            tasks=tasks,
            snapshots=saved,
            positions=self._positions(manifest),
            partitions={t: self.topics.get(t, n) for t, n in manifest.partitions.items()},
        )

    def _positions(self, manifest: SavepointManifest) -> dict[str, dict[int, int]]:
        found = {}
        for topic, numbers in manifest.positions.items():
            count = self.topics.get(topic)
            kept = {n: at for n, at in numbers.items() if count is None or n < count}
            found[topic] = dict.fromkeys(range(count or 0), 0) | kept
        return found


def rescale(
    savepoint: Savepoint,
    location: str | os.PathLike[str],
    rescaling: Rescaling,
    combine: Combine,
) -> SavepointManifest:
    """Write a savepoint with other numbers of tasks; return its manifest.

    Args:
        savepoint: The savepoint.
        location: A directory that is empty or does not exist.
        rescaling: The new numbers.
        combine: As for ``Rescaling.changed``.

    Raises:
        UnsupportedOperationException: A store or a processor cannot be rescaled.
        StreamsException: A key is in several partitions; the savepoint is damaged, or the new one
            cannot be written.
    """
    manifest = savepoint.manifest
    rehashes = rescaling.rehashes(manifest)
    changed = rescaling.changed(manifest, combine)
    with SavepointWriter(location) as writer:
        for name, store in manifest.stores.items():
            for number in store.partitions:
                if name not in rehashes:
                    writer.add(name, number, savepoint.entries(name, number))
            if name in rehashes:
                _, partitions = rescaling.counts(manifest, name)
                _moved(savepoint, name, rehashes[name], partitions, writer)
        return writer.finish(changed)


def _moved(
    savepoint: Savepoint, store: str, rehash: Rehash, partitions: int, writer: SavepointWriter
) -> None:
    before, after = Contents(), Contents()
    shared: list[bytes] = []
    summaries: dict[int, list[bytes]] = {number: [] for number in range(partitions)}
    seen: dict[int, set[bytes]] = {number: set() for number in range(partitions)}
    for number in savepoint.manifest.stores[store].partitions:
        for keys, values in savepoint.columns(store, number):
            shared.append(rehash.shared(keys, values))
            for target, columns in rehash.split(keys, values).items():
                _check_new(store, seen[target], columns[0])
                summaries[target].append(rehash.summary(*columns))
                after = joined([after, contents_of(*columns)])
                writer.add(store, target, zip(*rehash.readdressed(*columns), strict=True))
            before = joined([before, _own(rehash, keys, values)])
    if before != after:
        raise StreamsException(
            f'store "{store}" would lose entries',
            detail=f"It has {before.count} and would have {after.count}.",
        )
    for target, found in summaries.items():
        writer.add(store, target, rehash.summary_rows([*shared, *found]))


def _own(rehash: Rehash, keys: list[bytes], values: list[bytes]) -> Contents:
    """Return the contents of the rows that belong to keys."""
    rows = [(k, v) for k, v in zip(keys, values, strict=True) if not rehash.is_shared(k)]
    return contents_of([key for key, _ in rows], [value for _, value in rows])


def _check_new(store: str, seen: set[bytes], keys: list[bytes]) -> None:
    count = len(seen)
    seen.update(keys)
    if len(seen) == count + len(keys):
        return
    raise StreamsException(
        f'store "{store}" has the same key in several partitions',
        detail="In one partition only one entry of it could stay.",
        hint="Records of one key were in several partitions of a source topic: write them anew "
        "into a topic, or say where the store's keys belong by a function.",
    )


def _of_task(whole: Snapshot, partition: int) -> Snapshot:
    """Return the snapshot of a new task: it has the times of its own partition only."""
    times = {at: time for at, time in whole.partition_times.items() if at[1] == partition}
    return replace(whole, partition_times=times)
