"""Shortcut for several streams that update one table, such as those of a cogroup.

Each of their records has to find what the one before it has made of its key, whatever topic that
came from. Record by record the partitions take turns, often after each. But where a cache forwards
nothing before the commit, or what is below looks at single records only, all that waits can be
brought into its order first, and processed as one run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from typing_extensions import Self

from millstream.core.engine.queues import Decoded, PartitionGroup, RecordQueue, concatenated
from millstream.core.engine.runtime import ProcessorRuntime
from millstream.core.engine.shortcuts.shortcut import Shortcut
from millstream.core.engine.source import SourceRuntime
from millstream.core.java_collections import PriorityQueue

if TYPE_CHECKING:
    from millstream.core.engine.task import Task

FEWEST = 4
"""Merging fewer records is not faster."""


class MergedUpdates(Shortcut):
    """Processes the partitions that wait as one run, if they all update the same store.

    Args:
        task: Whose records wait.
        processors: The node below each source that may take part.
    """

    def __init__(self, task: Task, processors: dict[SourceRuntime, ProcessorRuntime]) -> None:
        self._task = task
        self._processors = processors

    @classmethod
    def of(cls, task: Task) -> Self | None:
        """Return the shortcut if two sources have such nodes; not where records are measured."""
        found = {} if task.measures.debug else {each: _merging(each) for each in task.sources}
        processors = {source: node for source, node in found.items() if node is not None}
        return cls(task, processors) if len(processors) > 1 else None

    def take(self, group: PartitionGroup) -> int:
        """Process all that waits if the caches have room for it; else nothing."""
        queues = group.heads()
        sources = {queue.source for queue in queues}
        if len(sources) < len(queues) or not sources <= self._processors.keys():
            return 0
        if len(queues) == 1 and self._processors[queues[0].source].by_columns:
            return 0  # it takes a run faster by itself
        if sum(len(part.chunk) - part.position for q in queues for part in q.waiting()) < FEWEST:
            return 0
        runs = self._runs(queues)
        nodes = [self._processors[queue.source] for queue, _ in runs]
        parts = [(node.processor, run.chunk) for node, (_, run) in zip(nodes, runs, strict=True)]
        process = parts[0][0].joint_run(parts) if parts else None
        if process is None:
            return 0
        order = merged_order([chunk.timestamps for _, chunk in parts])
        group.clear()
        self._task.process_joint([run for _, run in runs], process, order)
        for node, (_, chunk) in zip(nodes, parts, strict=True):
            node.measure(chunk)
        return len(order)

    def _runs(self, queues: list[RecordQueue]) -> list[tuple[RecordQueue, Decoded]]:
        """Return what waits in each queue as one run; nothing if that cannot be."""
        runs = []
        for queue in queues:
            run = concatenated(queue.waiting())
            if run is None:
                return []
            runs.append((queue, run))
        return runs


def _merging(source: SourceRuntime) -> ProcessorRuntime | None:
    child = source.children[0] if source.chunked and len(source.children) == 1 else None
    if not isinstance(child, ProcessorRuntime) or child.wants_headers:
        return None
    return child if child.processor.joins_runs else None


def merged_order(columns: Sequence[Sequence[int]]) -> list[int]:
    """Return the numbers of records in the order in which a ``PartitionGroup`` takes them.

    They are counted through all queues.

    Args:
        columns: The timestamps of each queue's records, the queues as ``heads`` has them.

    Example:
        >>> merged_order([[1, 5], [2, 3]])
        [0, 2, 3, 1]
    """
    if len(columns) == 2:
        return _order_of_two(list(columns[0]), list(columns[1]))
    starts, total = list[int](), 0
    for column in columns:
        starts.append(total)
        total += len(column)
    taken = [0] * len(columns)
    heads: PriorityQueue[int] = PriorityQueue(lambda queue: columns[queue][taken[queue]])
    for queue in range(len(columns)):
        heads.add(queue)
    order = []
    for _ in range(total):
        queue = heads.poll()
        order.append(starts[queue] + taken[queue])
        taken[queue] += 1
        if taken[queue] < len(columns[queue]):
            heads.add(queue)
    return order


def _order_of_two(side: list[int], other: list[int]) -> list[int]:
    """Merge two queues: one goes on while it is the earlier one; at equal times the other does."""
    order = list[int]()
    add = order.append
    number, others = 0, len(side)
    end, others_end = len(side), len(side) + len(other)
    # One list for both, so that a number is enough to find a time.
    times = side + other
    while number < end and others < others_end:
        rival = times[others]
        add(number)
        number += 1
        while number < end and times[number] < rival:
            add(number)
            number += 1
        number, others, end, others_end = others, number, others_end, end
    order.extend(range(number, end))
    order.extend(range(others, others_end))
    return order
