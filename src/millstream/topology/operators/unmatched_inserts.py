"""Inserts of the records of one side of an inner join, a run at a time.

Those that find partners are joined as well where their results may go on as one run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import Self

from millstream.core.chunk import Chunk, side_by_side
from millstream.core.engine.shortcuts.join_merger import Partners, StartInserts
from millstream.core.state.access import WindowAccess, WindowAdds
from millstream.topology.operators.joined_results import JoinedResults


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertSide:
    """One side of a join: the store of its records, and where they look for partners."""

    own: WindowAccess
    partners: Partners
    adds: WindowAdds
    finds: WindowAdds

    def start(self, chunk: Chunk) -> UnmatchedInserts | None:
        """Return the inserts of a run of records; None if something cannot be serialized."""
        try:
            own = self.own.serialize_keys(chunk.keys)
            other = self.partners.store.serialize_keys(chunk.keys)
            data = self.adds.encoded(chunk.values, chunk.timestamps)
        except Exception:  # noqa: BLE001 - one by one finds the record and asks the handler
            return None
        return UnmatchedInserts(self, chunk, own, other, data)


class UnmatchedInserts:
    """Inserts those records of a run that find no partner, or joins all of them."""

    def __init__(
        self,
        side: InsertSide,
        chunk: Chunk,
        own: list[bytes],
        other: list[bytes],
        data: list[bytes | None] | None,
    ) -> None:
        """Take the run, its keys as either store has them, and its values if they are plain."""
        self._partners = side.partners
        self._before, self._after = side.partners.before, side.partners.after
        self._chunk = chunk
        self._timestamps = list(chunk.timestamps)
        self._keys = chunk.keys
        self._values = chunk.values
        self._own = own
        self._other = other
        self._data = data
        self._adds = side.adds
        self._add = side.adds.add
        self._encode = side.adds.encode
        self._misses = side.finds.misses
        self._results: JoinedResults | None = None
        self._first = 0
        """The number of the run's first record in the results."""

    def join_with(self, others: Sequence[Self]) -> bool:
        """Join the records of these sides from now on, if they may be joined as one run.

        That is where nobody can change their values before their results go on.
        """
        contexts = [each._partners.context for each in others]
        if any(each._data is None for each in others) or not contexts[0].forwards_alike(contexts):
            return False
        results = JoinedResults(
            contexts[0],
            side_by_side([each._chunk for each in others]),
            [each._partners.returned for each in others],
        )
        first = 0
        for each in others:
            each._results, each._first = results, first
            first += len(each._chunk)
        return True

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
            data = self._encode(value, timestamp) if self._data is None else self._data[index]
            if data is None:
                return False
            if misses:
                return self._add(self._own[index], timestamp, data)
            if not self._adds.accepts(timestamp):
                return False
        except Exception:  # noqa: BLE001 - it is raised again where its handler is asked
            return False
        assert self._results is not None
        self._join(self._results, index, first, last)
        return self._add(self._own[index], timestamp, data)

    def settle(self) -> None:
        """Forward what was joined, and bring the store up to date."""
        self._adds.settle()
        if self._results is not None:
            self._results.forward()

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


def unmatched_inserts(own: WindowAccess, partners: Partners) -> StartInserts | None:
    """Return what inserts records of one side of an inner join, if both stores can do it."""
    adds, finds = own.adder(), partners.store.adder()
    if adds is None or finds is None:
        return None
    return InsertSide(own=own, partners=partners, adds=adds, finds=finds).start
