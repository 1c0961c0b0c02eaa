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

from millstream.core.chunk import Chunk
from millstream.core.engine.shortcuts.join_merger import Partners, StartInserts
from millstream.core.state.access import WindowAccess
from millstream.topology.operators.joined_results import JoinedResults
from millstream.topology.operators.run_inserts import InsertSide, RunInserts, Serialized
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

    def can_wait(self, chunk: Chunk) -> bool:
        """Tell whether nobody can change keys and values of a run while they wait."""
        if self.unmatched is None:
            return True
        keys, right, left = self.unmatched.plain_types
        return _only(chunk.keys, keys) and _only(chunk.values, left if self.is_left else right)


class OuterInserts(RunInserts):
    """Inserts the records of a run and joins them, if their results may go on as one run."""

    own_keys = True

    def __init__(self, side: InsertSide, chunk: Chunk, serialized: Serialized) -> None:
        super().__init__(side, chunk, serialized)
        self._alone: Alone = side.partners.alone
        self._unmatched = self._alone.unmatched
        self._fetch = side.partners.store.fetch

    def insert(self, index: int) -> bool:
        """Join and insert a record, if nothing about it is unusual."""
        results, data, timestamp = self._results, self._data, self._timestamps[index]
        if results is None or data is None or self._keys[index] is None:
            return False
        if (encoded := data[index]) is None:
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
        return self._adds.add(self._own[index], timestamp, encoded)

    def settle(self) -> None:
        if self._unmatched is not None:
            self._unmatched.settle()
        super().settle()

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
    side, alone = InsertSide.of(own, partners), partners.alone
    if side is None:
        return None

    def start(chunk: Chunk) -> OuterInserts | None:
        if not alone.can_wait(chunk):
            return None
        serialized = side.serialized(chunk)
        if serialized is None or serialized[-1] is None:
            return None
        return OuterInserts(side, chunk, serialized)

    return start


def _only(column: Sequence[Any], plain: type | None) -> bool:
    return plain is not None and set(map(type, column)) <= {plain, NoneType}
