"""Inserts of the records of one side of an inner join, a run at a time.

Those that find partners are joined as well where their results may go on as one run.
"""

from __future__ import annotations

from millstream.core.chunk import Chunk
from millstream.core.engine.shortcuts.join_merger import Partners, StartInserts
from millstream.core.state.access import WindowAccess
from millstream.topology.operators.joined_results import JoinedResults
from millstream.topology.operators.run_inserts import InsertSide, RunInserts


class InnerInserts(RunInserts):
    """Inserts those records of a run that find no partner, or joins all of them."""

    def insert(self, index: int) -> bool:
        """Insert a record if nothing about it is unusual: no partner, unless they are joined."""
        value, timestamp = self._values[index], self._timestamps[index]
        if value is None or self._keys[index] is None:
            return False
        first, last = timestamp - self._before, timestamp + self._after
        try:
            misses = self._misses(self._other[index], first, last)
            if not misses and self._results is None:
                return False
            adds, data = self._adds, self._data
            encoded = adds.encode(value, timestamp) if data is None else data[index]
            if encoded is None:
                return False
            if misses:
                return adds.add(self._own[index], timestamp, encoded)
            if not adds.accepts(timestamp):
                return False
        except Exception:  # noqa: BLE001 - it is raised again where its handler is asked
            return False
        assert self._results is not None
        self._join(self._results, index, first, last)
        return self._adds.add(self._own[index], timestamp, encoded)

    def _join(self, results: JoinedResults, index: int, first: int, last: int) -> None:
        """Join a record with its partners."""
        partners, timestamp = self._partners, self._timestamps[index]
        key, value, join = self._keys[index], self._values[index], partners.join
        number, first, last = self._first + index, max(0, first), max(0, last)
        try:
            for time, (partner, _) in partners.store.fetch(self._other[index], first, last):
                results.add(number, key, join(key, value, partner), max(timestamp, time))
        except Exception as error:  # noqa: BLE001 - a user's function may raise anything
            results.forward()
            partners.context.fail(self._chunk, index, error)
        results.forward_many()


def inner_inserts(own: WindowAccess, partners: Partners) -> StartInserts | None:
    """Return what inserts records of one side of an inner join, if both stores can do it."""
    side = InsertSide.of(own, partners)
    if side is None:
        return None

    def start(chunk: Chunk) -> InnerInserts | None:
        serialized = side.serialized(chunk)
        return None if serialized is None else InnerInserts(side, chunk, serialized)

    return start
