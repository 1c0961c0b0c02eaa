"""Shortcut for joins of streams: both sides are merged, and inserted by the run.

In an inner join, a record without partner does nothing but stay in the store of its side, and only
the other side can see when it got there; in a left or outer join it waits among the unmatched, too.
So the queues of both sides are merged here, record by record. Where nothing below the join looks at
more than a record, results are made here, too, and go on as one run; else the nodes process those
that match, as all that is unusual.

The order is that of ``PartitionGroup``: a side goes on while its head is the earlier one, and at
equal times the other side follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from typing_extensions import Self

from millstream.core.chunk import Chunk
from millstream.core.engine.queues import Decoded, PartitionGroup, RecordQueue, concatenated
from millstream.core.engine.run import Run, context_of
from millstream.core.engine.runtime import ProcessorRuntime
from millstream.core.engine.shortcuts.shortcut import Shortcut
from millstream.core.engine.source import SourceRuntime
from millstream.core.plan import ProcessorNode

if TYPE_CHECKING:
    from millstream.core.engine.task import Task

FEWEST = 4
"""Merging fewer records is not faster."""


class JoinInserts(Protocol):
    """Inserts the records of a run into the store of their side."""

    def insert(self, index: int) -> bool:
        """Insert a record if that is all there is to do; else do nothing and return False."""

    def join_with(self, others: Sequence[Self]) -> bool:
        """Join the records of these sides, its own among them, from now on as well, if it may.

        Returns False where the nodes have to do it.
        """

    def settle(self) -> None:
        """Forward results and update the store, so that the nodes may process the record."""


StartInserts = Callable[[Chunk], JoinInserts | None]
"""Returns what inserts records of a run; None if the nodes have to process all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partners:
    """Where one side of a join looks for partners: a store, and how far in time."""

    store: Any
    """A ``WindowAccess``."""
    before: int
    """Milliseconds."""
    after: int
    join: Callable[[Any, Any, Any], Any]
    """Given key, own value and the partner's, returns the result."""
    context: Any
    """A ``NodeContext``, which forwards results."""
    returned: Any
    """What ``join`` has returned so far, as ``Returned``."""
    alone: Any = None
    """What becomes of records without partner; None in an inner join."""


@dataclass(frozen=True, slots=True)
class StreamJoinSide:
    """A source whose records go to one side of a join and to nothing else."""

    start: StartInserts
    stores: frozenset[str]
    """Those of the join."""


class JoinMerger(Shortcut):
    """Merges the queues of both sides of a join of streams.

    Args:
        task: Whose records wait.
        sides: The sides of joins, by their sources.
    """

    def __init__(self, task: Task, sides: dict[SourceRuntime, StreamJoinSide]) -> None:
        self._task = task
        self._sides = sides

    @classmethod
    def of(cls, task: Task) -> Self | None:
        """Return the shortcut if there is a join; not where every record is measured."""
        sides = {} if task.measures.debug else _sides(task)
        return cls(task, sides) if sides else None

    def take(self, group: PartitionGroup) -> int:
        """Process what waits at the two sides of a join, if nothing else waits."""
        merge, task = self._merge(group), self._task
        if merge is None:
            return 0
        try:
            task.failures.guarded(self._process, merge)
        finally:
            count = merge.finish()
        last, index = merge.last()
        task.record_context = task.processed = context_of(last, index)
        task.punctuations.run_stream_time()
        return count

    def _process(self, merge: _Merge) -> None:
        task = self._task
        if merge.joins():
            task.begin(*merge.runs())
        for source, decoded, index in merge.matches():
            task.process_at(source, decoded, index)
            if task.punctuations.on_stream_time:
                break
        merge.settle()

    def _merge(self, group: PartitionGroup) -> _Merge | None:
        queues = group.heads()
        found = [self._sides.get(queue.source) for queue in queues]
        if not 0 < len(queues) <= 2 or None in found:
            return None
        if len({side.stores for side in found if side is not None}) > 1:
            return None
        if len({queue.source for queue in queues}) < len(queues):
            return None
        if sum(len(part.chunk) - part.position for q in queues for part in q.waiting()) < FEWEST:
            return None
        waiting = []
        for queue, side in zip(queues, found, strict=True):
            decoded = concatenated(queue.waiting())
            inserts = None if decoded is None or side is None else side.start(decoded.chunk)
            if decoded is None or inserts is None:
                return None
            waiting.append(_Waiting(queue, decoded, inserts))
        return _Merge(group, waiting)


def _sides(task: Task) -> dict[SourceRuntime, StreamJoinSide]:
    """Return the sides of joins whose stores no other node uses."""
    users: dict[str, int] = {}
    for part in task.parts:
        for node in part.nodes:
            for store in node.stores if isinstance(node, ProcessorNode) else ():
                users[store] = users.get(store, 0) + 1
    found = {}
    for source in task.sources:
        side = _side(source)
        # Each side's store is filled by it and searched by the other; the unmatched are of both.
        if side is not None and all(users[store] == 2 for store in side.stores):
            found[source] = side
    return found


def _side(source: SourceRuntime) -> StreamJoinSide | None:
    upper = _only_processor(source)
    lower = None if upper is None else _only_processor(upper)
    if upper is None or lower is None or upper.wants_headers:
        return None
    start = upper.processor.join_inserts(lower.processor)
    stores = frozenset((*upper.stores, *lower.stores))
    return None if start is None else StreamJoinSide(start, stores)


def _only_processor(above: SourceRuntime | ProcessorRuntime) -> ProcessorRuntime | None:
    child = above.children[0] if len(above.children) == 1 else None
    return child if isinstance(child, ProcessorRuntime) else None


class _Merge:
    """The records that wait at the two sides, in the order in which they are taken."""

    def __init__(self, group: PartitionGroup, waiting: list[_Waiting]) -> None:
        self._group = group
        self._waiting = waiting
        self._sides = waiting[0], waiting[-1]
        """The side of the record taken last, and the other one."""

    def joins(self) -> bool:
        """Let the run join the records that match, where it may."""
        inserts = [each.inserts for each in self._waiting]
        return inserts[0].join_with(inserts)

    def runs(self) -> list[Run]:
        """Return the runs of both sides."""
        decoded, before = [each.decoded for each in self._waiting], self._group.stream_time
        return [Run(each, 0, len(each.chunk), before) for each in decoded]

    def matches(self) -> Iterator[tuple[SourceRuntime, Decoded, int]]:
        """Yield the records that the nodes have to process, with the group's stream time set."""
        group, side, other = self._group, self._waiting[0], self._waiting[-1]
        stream_time = group.stream_time
        try:
            while True:
                index = side.taken
                side.taken = after = index + 1
                timestamp = side.timestamps[index]
                stream_time = max(timestamp, stream_time)
                if not side.insert(index):
                    group.stream_time = stream_time
                    side.inserts.settle()
                    yield side.queue.source, side.decoded, index
                if after == side.size:
                    if other.taken == other.size:
                        break
                    side, other = other, side
                elif (
                    other.taken < other.size
                    and other.timestamps[other.taken] <= side.timestamps[after]
                    and other is not side
                ):
                    side, other = other, side
        finally:
            self._sides = side, other
            group.stream_time = stream_time

    def last(self) -> tuple[Decoded, int]:
        """Return the record that was taken last."""
        side = self._sides[0]
        return side.decoded, side.taken - 1

    def settle(self) -> None:
        """Forward what was joined, and settle the stores."""
        for each in self._waiting:
            each.inserts.settle()

    def finish(self) -> int:
        """Settle the stores and remove what was taken from the queues; return its number."""
        self.settle()
        # The side that was taken from last competes last, as if records had been taken one by one.
        side, other = self._sides
        order = [side] if side is other else [other, side]
        self._group.taken([(each.queue, each.taken) for each in order])
        return sum(each.taken for each in self._waiting)


class _Waiting:
    """The records that wait at one side."""

    __slots__ = ("decoded", "insert", "inserts", "queue", "size", "taken", "timestamps")

    def __init__(self, queue: RecordQueue, decoded: Decoded, inserts: JoinInserts) -> None:
        self.queue = queue
        self.decoded = decoded
        self.inserts = inserts
        self.insert = inserts.insert
        self.timestamps = list(decoded.chunk.timestamps)
        self.size = len(self.timestamps)
        self.taken = 0
