"""Both sides of a join take turns record by record; most records find no partner.

Such a record does nothing but stay in its side's store, and nobody except the other side can tell
when it got there. So the queues of the two are merged here, and only records that do more become
the record in hand and go down as always.

The order is that of ``PartitionGroup``: a side goes on while its head is the earlier one, and at
equal times it is the other one's turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from millstream.core.chunk import Chunk
from millstream.core.engine.held_back import joined
from millstream.core.engine.queues import Decoded, PartitionGroup, RecordQueue
from millstream.core.engine.source import SourceRuntime
from millstream.core.plan import ProcessorNode, SubTopology

FEWEST = 4
"""For less it is not worth it."""


class Alone(Protocol):
    """Handles the records of a run that find no partner."""

    def keep(self, index: int) -> bool:
        """Keep a record if that is all there is to do; if it is not, do nothing."""

    def settle(self) -> None:
        """Bring the store up to date; after that the record may go down as always."""


Begin = Callable[[Chunk], Alone | None]


@dataclass(frozen=True, slots=True)
class Side:
    """A source whose records go to one side of a join and nowhere else."""

    begin: Begin
    stores: frozenset[str]
    """Those of the join."""


def sides_of(
    sources: Iterable[SourceRuntime], parts: Iterable[SubTopology]
) -> dict[SourceRuntime, Side]:
    """Return the sources of joins whose stores no other node uses."""
    users: dict[str, int] = {}
    for part in parts:
        for node in part.nodes:
            for store in node.stores if isinstance(node, ProcessorNode) else ():
                users[store] = users.get(store, 0) + 1
    found = {}
    for source in sources:
        child = source.children[0] if len(source.children) == 1 else None
        begin = None if child is None else getattr(child, "alone", _nothing)()
        if begin is None or child is None:
            continue
        stores = frozenset((*child.stores, *child.children[0].stores))
        # Each is filled by its own side and searched by the other.
        if len(stores) == 2 and all(users[store] == 2 for store in stores):
            found[source] = Side(begin, stores)
    return found


class Turns:
    """The records that wait at the two sides, in the order in which they are taken."""

    def __init__(self, group: PartitionGroup, rows: list[_Rows]) -> None:
        self._group = group
        self._rows = rows
        self._turn = rows[0], rows[-1]

    @classmethod
    def of(cls, group: PartitionGroup, sides: dict[SourceRuntime, Side]) -> Turns | None:
        """Return what is to be done with all that waits; None if it has to go down as always."""
        queues = group.heads()
        found = [sides.get(queue.source) for queue in queues]
        if not 0 < len(queues) <= 2 or None in found:
            return None
        if len({side.stores for side in found if side is not None}) > 1:
            return None
        if len({id(queue.source) for queue in queues}) < len(queues):
            return None
        if sum(len(part.chunk) - part.position for q in queues for part in q.waiting()) < FEWEST:
            return None
        rows = []
        for queue, side in zip(queues, found, strict=True):
            decoded = joined(queue.waiting())
            alone = None if decoded is None or side is None else side.begin(decoded.chunk)
            if decoded is None or alone is None:
                return None
            rows.append(_Rows(queue, decoded, alone))
        return cls(group, rows)

    def busy(self) -> Iterator[tuple[SourceRuntime, Decoded, int]]:
        """Yield the records that have to go down; stream time of the group is theirs."""
        group, side, other = self._group, self._rows[0], self._rows[-1]
        stream_time = group.stream_time
        while True:
            index = side.taken
            side.taken = after = index + 1
            timestamp = side.timestamps[index]
            stream_time = max(timestamp, stream_time)
            if not side.keep(index):
                group.stream_time = stream_time
                side.alone.settle()
                self._turn = side, other
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
        self._turn = side, other
        group.stream_time = stream_time

    def last(self) -> tuple[Decoded, int]:
        """Return the record that was taken last."""
        side = self._turn[0]
        return side.decoded, side.taken - 1

    def finish(self) -> int:
        """Settle the stores, remove what was taken from the queues; return how many it was."""
        for rows in self._rows:
            rows.alone.settle()
        # Who was taken from last competes last, as if each record had been taken by itself.
        side, other = self._turn
        order = [side] if side is other else [other, side]
        self._group.taken([(rows.queue, rows.taken) for rows in order])
        return sum(rows.taken for rows in self._rows)


class _Rows:
    """The records that wait at one side."""

    __slots__ = ("alone", "decoded", "keep", "queue", "size", "taken", "timestamps")

    def __init__(self, queue: RecordQueue, decoded: Decoded, alone: Alone) -> None:
        self.queue = queue
        self.decoded = decoded
        self.alone = alone
        self.keep = alone.keep
        self.timestamps = list(decoded.chunk.timestamps)
        self.size = len(self.timestamps)
        self.taken = 0


def _nothing() -> Any:
    return None
