"""Shortcut for tables whose caches hold all updates of a batch until the commit.

Nothing is forwarded before the commit. So it makes no difference whether records of one partition
are processed before those of another one or after: each partition is processed as one run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import Self

from millstream.core.engine.queues import Decoded, PartitionGroup, RecordQueue, concatenated
from millstream.core.engine.runtime import ProcessorRuntime
from millstream.core.engine.shortcuts.shortcut import Shortcut, caching_processor
from millstream.core.engine.source import SourceRuntime

if TYPE_CHECKING:
    from millstream.core.engine.task import Task


class CachedUpdates(Shortcut):
    """Processes the partitions that wait one after the other, each as one run.

    Args:
        task: Whose records wait.
        processors: The node below each source that caches updates.
    """

    def __init__(self, task: Task, processors: dict[SourceRuntime, ProcessorRuntime]) -> None:
        self._task = task
        self._processors = processors

    @classmethod
    def of(cls, task: Task) -> Self | None:
        """Return the shortcut if two sources have a caching node below them."""
        found = {source: caching_processor(source) for source in task.sources}
        processors = {source: node for source, node in found.items() if node is not None}
        return cls(task, processors) if len(processors) > 1 else None

    def take(self, group: PartitionGroup) -> int:
        """Process all that waits if the caches have room for it; else nothing."""
        runs = self._runs(group)
        if runs:
            group.clear()
        for queue, run in runs:
            self._task.process_run(queue, run, 0, len(run.chunk))
        return sum(len(run.chunk) for _, run in runs)

    def _runs(self, group: PartitionGroup) -> list[tuple[RecordQueue, Decoded]]:
        queues = [queue for queue in group.queues().values() if queue]
        sources = {queue.source for queue in queues}
        if len(queues) < 2 or len(sources) < len(queues) or not sources <= self._processors.keys():
            return []
        runs, needed, cache = list[tuple[RecordQueue, Decoded]](), 0, self._task.cache
        for queue in queues:
            run = concatenated(queue.waiting())
            processor = self._processors[queue.source].processor
            pending = None if run is None else processor.pending_bytes(run.chunk)
            if run is None or pending is None:
                return []
            runs.append((queue, run))
            needed += pending
        return runs if cache.used + needed <= cache.limit else []
