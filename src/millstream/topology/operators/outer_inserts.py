"""Inserts of the records of one side of a left or outer join, a run at a time, and their results.

Only where results may go on as one run, and where keys and values are such as nobody can change:
then the unmatched records of the run need not be written before its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import NoneType
from typing import Any

from typing_extensions import Self

from millstream.core.chunk import Chunk, side_by_side
from millstream.core.engine.shortcuts.join_merger import Partners, StartInserts
from millstream.core.state.access import WindowAccess, WindowAdds
from millstream.topology.operators.joined_results import JoinedResults
from millstream.topology.operators.unmatched import UnmatchedRecords, slot_of

ForwardAlone = Callable[[Any, Any, int], None]
"""Takes key, value and time of the result of a record that had no partner."""


@dataclass(frozen=True, slots=True)
class Alone:
    """What becomes of the records of one side that have no partner."""

    unmatched: UnmatchedRecords | None
    """Where they wait; None if they do not."""
    is_left: bool
    is_result: bool
    """A record of this side without partner is a result."""
    release: Callable[[ForwardAlone], None]
    """Forwards those that can have no partner any more, at the stream time of ``unmatched``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OuterSide:
    """One side of a join: the store of its records, and where they look for partners."""

    own: WindowAccess
    partners: Partners
    alone: Alone
    adds: WindowAdds
    finds: WindowAdds

    def start(self, chunk: Chunk) -> OuterInserts | None:
        """Return the inserts of a run of records; None if the nodes have to process all of them."""
        unmatched = self.alone.unmatched
        if unmatched is not None:
            keys, right, left = unmatched.plain_types
            value = left if self.alone.is_left else right
            if not _only(chunk.keys, keys) or not _only(chunk.values, value):
                return None
        try:
            own = self.own.serialize_keys(chunk.keys)
            other = self.partners.store.serialize_keys(chunk.keys)
            data = self.adds.encoded(chunk.values, chunk.timestamps)
        except Exception:  # noqa: BLE001 - one by one finds the record and asks the handler
            return None
        return None if data is None else OuterInserts(self, chunk, own, other, data)


class OuterInserts:
    """Inserts the records of a run and joins them, if their results may go on as one run."""

    def __init__(
        self,
        side: OuterSide,
        chunk: Chunk,
        own: list[bytes],
        other: list[bytes],
        data: list[bytes | None],
    ) -> None:
        """Take the run, its keys as either store has them, and its values."""
        self._partners = side.partners
        self._alone = side.alone
        self._unmatched = side.alone.unmatched
        self._before, self._after = side.partners.before, side.partners.after
        self._fetch = side.partners.store.fetch
        self._chunk = chunk
        self._timestamps = list(chunk.timestamps)
        self._keys = chunk.keys
        self._values = chunk.values
        self._own = own
        self._other = other
        self._data = data
        self._adds = side.adds
        self._misses = side.finds.misses
        self._results: JoinedResults | None = None
        self._first = 0
        """The number of the run's first record in the results."""

    def join_with(self, others: Sequence[Self]) -> bool:
        """Join the records of these sides from now on, if they may be joined as one run."""
        contexts = [each._partners.context for each in others]
        if not contexts[0].forwards_alike(contexts):
            return False
        chunks = [each._chunk for each in others]
        returned = [each._partners.returned for each in others]
        results = JoinedResults(contexts[0], side_by_side(chunks), returned, keys=[])
        first = 0
        for each in others:
            each._results, each._first = results, first
            first += len(each._chunk)
        return True

    def insert(self, index: int) -> bool:
        """Join and insert a record, if nothing about it is unusual."""
        results, timestamp, data = self._results, self._timestamps[index], self._data[index]
        if results is None or data is None or self._keys[index] is None:
            return False
        first, last = max(0, timestamp - self._before), max(0, timestamp + self._after)
        found: Any = ()
        try:
            if not self._adds.accepts(timestamp):
                return False
            if not self._misses(self._other[index], first, last):
                found = list(self._fetch(self._other[index], first, last))
        except Exception:  # noqa: BLE001 - it is raised again where its handler is asked
            return False
        try:
            self._join(results, index, found, last)
        except Exception as error:  # noqa: BLE001 - a user's function may raise anything
            results.forward()
            self._partners.context.fail(self._chunk, index, error)
        results.forward_many()
        return self._adds.add(self._own[index], timestamp, data)

    def settle(self) -> None:
        """Forward what was joined, and bring the stores up to date."""
        self._adds.settle()
        if self._unmatched is not None:
            self._unmatched.settle()
        if self._results is not None:
            self._results.forward()

    def _join(
        self, results: JoinedResults, index: int, found: Sequence[tuple[int, Any]], last: int
    ) -> None:
        """Join a record with its partners, or have it wait for one."""
        key, value, timestamp = self._keys[index], self._values[index], self._timestamps[index]
        number, alone, unmatched = self._first + index, self._alone, self._unmatched
        if unmatched is not None and timestamp >= unmatched.stream_time:
            unmatched.stream_time = timestamp
            alone.release(partial(results.add, number))
        join = self._partners.join
        for time, (partner, _) in found:
            if unmatched is not None:
                slot = slot_of(self._own[index], time, is_left=not alone.is_left)
                unmatched.matched_slot(slot)
            results.add(number, key, join(key, value, partner), max(timestamp, time))
        if found or not alone.is_result:
            return
        if unmatched is None or last < unmatched.stream_time:
            results.add(number, key, join(key, value, None), timestamp)
        else:
            slot = slot_of(self._own[index], timestamp, is_left=alone.is_left)
            unmatched.hold(slot, key, value, timestamp, is_left=alone.is_left)


def outer_inserts(own: WindowAccess, partners: Partners) -> StartInserts | None:
    """Return what inserts records of one side of such a join, if both stores can do it."""
    adds, finds = own.adder(), partners.store.adder()
    if adds is None or finds is None:
        return None
    side = OuterSide(own=own, partners=partners, alone=partners.alone, adds=adds, finds=finds)
    return side.start


def _only(column: Sequence[Any], plain: type | None) -> bool:
    return plain is not None and set(map(type, column)) <= {plain, NoneType}
