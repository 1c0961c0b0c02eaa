"""The records of one side of an inner join that find no partner, many of them at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.state.access import WindowAccess, WindowAdds


@dataclass(frozen=True, slots=True, kw_only=True)
class AloneSide:
    """One side of a join: where its records are kept, and where they look for partners."""

    own: WindowAccess
    other: WindowAccess
    adds: WindowAdds
    finds: WindowAdds
    before: int
    after: int

    def begin(self, chunk: Chunk) -> AloneInRun | None:
        """Return what handles a run of records; None if something cannot be serialized."""
        try:
            own = self.own.serialize_keys(chunk.keys)
            other = self.other.serialize_keys(chunk.keys)
            data = self.adds.encoded(chunk.values, chunk.timestamps)
        except Exception:  # noqa: BLE001 - one by one finds the record and asks the handler
            return None
        return AloneInRun(self, chunk, own, other, data)


class AloneInRun:
    """Keeps those records of a run that find no partner; see ``core.turns``."""

    def __init__(
        self,
        side: AloneSide,
        chunk: Chunk,
        own: list[bytes],
        other: list[bytes],
        data: list[bytes | None] | None,
    ) -> None:
        """Take the run, its keys as either store has them, and its values if they are plain."""
        self._before, self._after = side.before, side.after
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

    def keep(self, index: int) -> bool:
        """Keep a record if it has no partner and nothing about it is unusual."""
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


def alone_side(own: Any, other: Any, before: int, after: int) -> AloneSide | None:
    """Return one side of an inner join, if its stores can do it."""
    adds, finds = own.adder(), other.adder()
    if adds is None or finds is None:
        return None
    return AloneSide(own=own, other=other, adds=adds, finds=finds, before=before, after=after)
