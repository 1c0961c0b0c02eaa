"""State that a test driver begins with: stores and times from a savepoint."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.engine import snapshots
from millstream.core.engine.snapshots import Snapshot
from millstream.core.engine.task import Task
from millstream.core.errors import IllegalArgumentException, StreamsException
from millstream.core.plan import Plan
from millstream.core.state.changelog_format import ChangelogFormat
from millstream.core.store import ByteStore
from millstream.plugins.registry import store_kinds
from millstream.testing.continued import Continued, continued
from millstream.topology.savepoints.notes import note_of
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.spark.evolution.convert import Convert
from millstream.topology.spark.evolution.outcome import Fate

log = logging.getLogger(__name__)
_EMPTY = "global store %s is empty here: a test driver has no topic; pipe in the topic's records"


class SavedState:
    """Stores and times of a savepoint, those of all partitions together or of one.

    Args:
        savepoint: The savepoint.
        partition: The only partition; None: all of them.

    Raises:
        IllegalArgumentException: No task has that partition.
    """

    def __init__(self, savepoint: Savepoint, partition: int | None = None) -> None:
        self.savepoint = savepoint
        self.manifest = savepoint.manifest
        most = max(self.manifest.tasks.values(), default=0)
        if partition is not None and not 0 <= partition < most:
            raise IllegalArgumentException(
                f'savepoint "{savepoint.root}" has no partition {partition}',
                detail=f"Its partitions are 0 to {most - 1}.",
            )
        self._partition = partition
        self._continued: Continued

    def check(self, plan: Plan, description: str, config: StreamsConfig) -> None:
        """Find out which stores and nodes of a topology go on with which of the savepoint.

        Raises:
            StreamsException: The topology cannot go on with a store.
        """
        place = str(self.savepoint.root)
        filled_by_topics = {each.store.name for each in plan.globals}
        self._continued = continued(self.manifest, plan, description, config, place)
        for each in self._continued.comparison.outcomes:
            if each.kind == "store" and each.fate is not Fate.SAME:
                log.warning("store %s: %s %s", each.name, each.fate.value, each.how)
                if each.fate is Fate.NEW and each.name in filled_by_topics:
                    log.warning(_EMPTY, each.name)

    def fill(self, store: str, opened: ByteStore) -> None:
        """Write a store's entries to an empty byte store.

        Raises:
            StreamsException: A key is in several partitions; or the savepoint is damaged.
        """
        name = self._continued.former(store)
        if name is None:
            return
        numbers = self._partitions(name)
        layout = self._format(name) if len(numbers) > 1 else None
        convert = self._continued.converter(store)
        summaries: list[bytes] = []
        for number in numbers:
            for keys, values in self.savepoint.columns(name, number):
                rows = dict(zip(keys, values, strict=True))
                if layout is not None:
                    summaries.append(layout.summary_of(rows.items()))
                    rows = {key: each for key, each in rows.items() if not layout.is_summary(key)}
                rows = _converted(convert, rows)
                if number != numbers[0]:
                    self._check_new(name, rows, opened.get_many(rows))
                opened.write(rows, b"")
        if layout is not None:
            shared = dict(layout.summary_rows(layout.merged(summaries)))
            opened.write(_converted(convert, shared), b"")

    def entries(self, store: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield the entries of a store of a user's own.

        Raises:
            StreamsException: A key is in several partitions; or the savepoint is damaged.
        """
        seen: dict[bytes, bytes] = {}
        name = self._continued.former(store) or store
        for number in self._partitions(name):
            rows = dict(self.savepoint.entries(name, number))
            self._check_new(name, rows, map(seen.get, rows))
            seen |= rows
        yield from seen.items()

    def offsets(self, application_id: str) -> Iterator[tuple[str, int]]:
        """Yield topics, as an application calls them, with the offsets of their next records."""
        for topic, partitions in self.manifest.positions.items():
            reached = [at for number, at in partitions.items() if self._wanted(number)]
            if reached:
                yield self._continued.topic(topic, application_id), max(reached)

    def resume(self, task: Task, application_id: str, *, store: str | None = None) -> None:
        """Give a task the times, the schedules and the processors' state of all tasks.

        Args:
            task: It runs all sub-topologies, or fills one global store.
            application_id: Prefix of its repartition topics.
            store: That global store.
        """
        if store is None:
            saved = self.manifest.snapshots.items()
            parts = [data for name, data in saved if self._wanted(int(name.rpartition("_")[2]))]
        else:
            former = self._continued.former(store) or store
            parts = [self.manifest.global_snapshots.get(former, b"")]
        found = [
            self._fitted(snapshots.decode(part), task, application_id) for part in parts if part
        ]

        def combine(node: str, saved: Any) -> bytes:
            processor = task.processor(node)
            assert processor is not None
            return processor.combine(saved)

        if found:
            task.resume(snapshots.merged(found, combine))

    def _fitted(self, saved: Snapshot, task: Task, application_id: str) -> Snapshot:
        """Return what a task can take up: its own topics, as one partition, and processors."""
        saved = self._continued.renamed(saved)
        times: dict[tuple[str, int], int] = {}
        for (topic, _), time in saved.partition_times.items():
            at = (self._continued.topic(topic, application_id), 0)
            if task.reads(at[0]):
                times[at] = max(time, times.get(at, time))
        processors = {
            name: data
            for name, data in saved.processors.items()
            if task.processor(name) is not None
        }
        return replace(saved, partition_times=times, processors=processors)

    def _wanted(self, partition: int) -> bool:
        return self._partition is None or self._partition == partition

    def _partitions(self, store: str) -> list[int]:
        found = self.manifest.stores.get(store)
        if found is None:
            return []
        return sorted(n for n in found.partitions if found.subtopology is None or self._wanted(n))

    def _format(self, store: str) -> ChangelogFormat | None:
        """Return the format of a store's rows; None if a user's code decides it."""
        note = note_of(self.manifest, store)
        if note is None or note.opaque:
            return None
        return store_kinds().changelog_format(store, note)

    def _check_new(self, store: str, keys: Iterable[bytes], found: Iterable[bytes | None]) -> None:
        for key, value in zip(keys, found, strict=True):
            if value is not None:
                raise StreamsException(
                    f'store "{store}" of savepoint "{self.savepoint.root}" has the same key in '
                    "several partitions",
                    detail=f"The bytes of the key are {key!r}.",
                    hint="The test driver has one partition: give partition=N to take one of them.",
                )


def _converted(convert: Convert | None, rows: dict[bytes, bytes]) -> dict[bytes, bytes]:
    if convert is None or not rows:
        return rows
    return dict(zip(*convert(list(rows), list(rows.values())), strict=True))
