"""Shortcut for caches that hold all updates of tables and counts: the last record of each key.

The host offers the last record of each key in the place of all records of a batch, and how many
there were. They are enough where a cache overwrites the update of every earlier one before it is
forwarded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from typing_extensions import Self

from millstream.core.chunk import LastOfEachKey
from millstream.core.chunk_processor import AddCounts, Take
from millstream.core.engine.queues import Decoded, PartitionGroup, RecordQueue
from millstream.core.engine.runtime import ProcessorRuntime
from millstream.core.engine.shortcuts.shortcut import Shortcut, only_child
from millstream.core.engine.source import SourceRuntime

if TYPE_CHECKING:
    from millstream.core.engine.task import Task

_GROWTH = 4
"""A byte that is no text, or text in another encoding, takes at most so many when written again."""


class LastRecords(Shortcut):
    """Processes the last record of each key in the place of all records that the host has.

    Args:
        task: Whose records they are.
        processors: The node below each source that caches updates, or counts.
    """

    def __init__(self, task: Task, processors: dict[SourceRuntime, ProcessorRuntime]) -> None:
        self._task = task
        self._processors = processors
        self._offered: list[tuple[LastOfEachKey, RecordQueue, Decoded]] = []

    @classmethod
    def of(cls, task: Task) -> Self | None:
        """Return the shortcut if it applies to a source; not where every record is measured."""
        processors = {}
        for source in task.sources:
            node = None if task.measures.debug else only_child(source)
            # A node without children measures the age of every record.
            if node is None or not node.children or not source.decodes_all:
                continue
            if node.processor.caches_updates or node.processor.add_counts:
                processors[source] = node
        return cls(task, processors) if processors else None

    def covers(self, topic: str) -> bool:
        """Tell whether ``offer`` may accept records of ``topic``."""
        task = self._task
        return not task.punctuations.on_stream_time and task.source_of(topic) in self._processors

    def offer(self, runs: Sequence[LastOfEachKey]) -> bool:
        """Accept runs for the next ``take``; False: all of their records have to be added.

        It refuses where an earlier record would be dropped or logged, or the cache has no room.
        """
        task, cache, group = self._task, self._task.cache, self._task.group
        if group or not all(self.covers(run.last.topic) for run in runs):
            return False
        if len({task.source_of(run.last.topic) for run in runs}) < len(runs):
            return False
        found, needed = list[tuple[LastOfEachKey, RecordQueue, Decoded]](), 0
        for run in runs:
            source = task.source_of(run.last.topic)
            queue = group.queue(run.last.topic, run.last.partition, source)
            processor = self._processors[source].processor
            counts = processor.add_counts is not None
            decoded = _counted(source, run) if counts else _in_order(source, run, queue)
            pending = None if decoded is None else processor.pending_bytes(decoded.chunk)
            if decoded is None or pending is None:
                return False
            found.append((run, queue, decoded))
            needed += pending
            if not counts:
                # The values in between may have been longer than the last ones.
                needed += run.longest * _GROWTH * len(run.last)
        accepted = cache.used + needed <= cache.limit
        self._offered = found if accepted else []
        return accepted

    def take(self, group: PartitionGroup) -> int:
        """Process what was offered; return the number of records that it stands for."""
        del group
        offered, self._offered = self._offered, []
        for run, queue, decoded in offered:
            add = self._processors[queue.source].processor.add_counts
            take = None if add is None else _with_times(add, run.latest)
            self._task.process_run(queue, decoded, 0, len(decoded.chunk), take)
            queue.partition_time = max(queue.partition_time, run.latest_ms)
            self._task.group.stream_time = max(self._task.group.stream_time, run.latest_ms)
            if run.last.measured is not None:
                name, topic, measured = queue.source.name, run.last.topic, run.last.measured
                self._task.measures.consumed(name, topic, measured, measured)
        return sum(run.count for run, _, _ in offered)


def _with_times(add: AddCounts, latest: Sequence[int]) -> Take:
    return lambda chunk: add(chunk, latest)


def _in_order(source: SourceRuntime, run: LastOfEachKey, queue: RecordQueue) -> Decoded | None:
    """Decode a run of a table; None if a record comes late, which is told of.

    What is in a table is not newer than its partition, so that nothing else comes late to it.
    """
    if not run.in_order or run.least_ms < max(0, queue.partition_time):
        return None
    return source.decoded(run.last)


def _counted(source: SourceRuntime, run: LastOfEachKey) -> Decoded | None:
    """Decode a run with numbers of records in the place of values; None if some do not count."""
    if run.has_nulls or run.least_ms < 0 or (decoded := source.decoded(run.last)) is None:
        return None
    return Decoded(decoded.chunk.replace(values=run.counts), decoded.raw, None)
