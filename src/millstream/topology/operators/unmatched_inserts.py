"""Inserts of the records of one side of an inner join that find no partner, a run at a time."""

from __future__ import annotations

from dataclasses import dataclass

from millstream.core.chunk import Chunk
from millstream.core.engine.shortcuts.join_merger import Partners, StartInserts
from millstream.core.state.access import WindowAccess, WindowAdds


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
    """Inserts those records of a run that find no partner."""

    def __init__(
        self,
        side: InsertSide,
        chunk: Chunk,
        own: list[bytes],
        other: list[bytes],
        data: list[bytes | None] | None,
    ) -> None:
        """Take the run, its keys as either store has them, and its values if they are plain."""
        self._before, self._after = side.partners.before, side.partners.after
        self._timestamps = list(chunk.timestamps)
        self._keys = chunk.keys
        self._values = chunk.values
        self._own = own
        self._other = other
        self._data = data
        self._add = side.adds.add
        self._encode = side.adds.encode
        self._misses = side.finds.misses
        self.settle = side.adds.settle

    def insert(self, index: int) -> bool:
        """Insert a record if it has no partner and nothing about it is unusual."""
        value, timestamp = self._values[index], self._timestamps[index]
        if value is None or self._keys[index] is None:
            return False
        first, last = timestamp - self._before, timestamp + self._after
        try:
            if not self._misses(self._other[index], first, last):
                return False
            data = self._encode(value, timestamp) if self._data is None else self._data[index]
            return data is not None and self._add(self._own[index], timestamp, data)
        except Exception:  # noqa: BLE001 - it is raised again where its handler is asked
            return False


def unmatched_inserts(own: WindowAccess, partners: Partners) -> StartInserts | None:
    """Return what inserts records of one side of an inner join, if both stores can do it."""
    adds, finds = own.adder(), partners.store.adder()
    if adds is None or finds is None:
        return None
    return InsertSide(own=own, partners=partners, adds=adds, finds=finds).start
