"""Byte store in the worker's memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, cast

from typing_extensions import Self

from millstream.core.errors import InvalidStateStoreException
from millstream.core.sorted_map import SortedMap
from millstream.core.store import Entry, Range
from millstream.plugins import ByteStore, StoreTraits, hookimpl

_FIRST_PIECE = 64
_LARGEST_PIECE = 4096


class MemoryStore(ByteStore):
    """Dict that is sorted by key when a range is read."""

    name = "memory"
    traits = StoreTraits(native_ttl=True)

    def __init__(self) -> None:
        self._map: SortedMap[bytes] = SortedMap()
        self._version: bytes | None = None
        self._open = True
        # Called for almost every record: the dict's method without a Python frame around it.
        self.get = self._map.values.get  # type: ignore[assignment, method-assign]

    @classmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Self:
        """Return a new, empty store; nothing is written to the directory."""
        return cls()

    def get(self, key: bytes) -> bytes | None:
        return self._map.values.get(key)

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        return list(map(self._map.values.get, keys))

    def write(
        self,
        batch: Mapping[bytes, bytes | None],
        version: bytes,
        *,
        dropped: Sequence[Range] = (),
    ) -> None:
        self._check_open()
        if type(batch) is not dict:
            batch = dict(batch)  # before anything changes: to read another kind may fail
        kept = self._map
        for lower, upper in dropped:
            for key in list(kept.keys(lower, upper)):
                kept.pop(key)
        if None in batch.values():
            for key, value in batch.items():
                if value is None:
                    kept.pop(key)
            batch = {key: value for key, value in batch.items() if value is not None}
        kept.update(cast("Mapping[bytes, bytes]", batch))
        self._version = version

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        self._check_open()
        return self._entries(lower, upper, reverse)

    def version(self) -> bytes | None:
        return self._version

    def size_estimate(self) -> int:
        return len(self._map)

    def close(self) -> None:
        """Forget everything."""
        self._map.clear()
        self.get = self._map.values.get  # type: ignore[assignment, method-assign]
        self._open = False

    def _entries(self, lower: bytes | None, upper: bytes | None, reverse: bool) -> Iterator[Entry]:
        # Piece by piece, so that reading a little of a large store stays cheap.
        pieces, values = _FIRST_PIECE, self._map.values
        while True:
            keys = list(islice(self._map.keys(lower, upper, reverse=reverse), pieces))
            for key in keys:
                value = values.get(key)
                if value is not None:
                    yield key, value
            if len(keys) < pieces:
                return
            if reverse:
                upper = keys[-1]
            else:
                lower = keys[-1] + b"\0"
            pieces = min(4 * pieces, _LARGEST_PIECE)

    def _check_open(self) -> None:
        if not self._open:
            raise InvalidStateStoreException('cannot use a store of kind "memory": it is closed')


@hookimpl
def millstream_register_stores() -> list[type[ByteStore]]:
    """Offer the store."""
    return [MemoryStore]
