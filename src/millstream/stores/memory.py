"""The byte store that keeps everything in the worker's memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from typing_extensions import Self

from millstream.core.errors import InvalidStateStoreException
from millstream.core.sorted_map import SortedMap
from millstream.core.store import Entry, Range
from millstream.plugins import ByteStore, StoreTraits, hookimpl


class MemoryStore(ByteStore):
    """A dict that is put into key order when someone reads a range."""

    name = "memory"
    traits = StoreTraits()

    def __init__(self) -> None:
        self._map: SortedMap[bytes] = SortedMap()
        self._version: bytes | None = None
        self._open = True

    @classmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Self:
        """Return a new, empty store; nothing is written to the directory."""
        return cls()

    def get(self, key: bytes) -> bytes | None:
        """Return the value of ``key``; None if it has none."""
        return self._map.values.get(key)

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        """Return the value of each key, in order."""
        return list(map(self._map.values.get, keys))

    def write(
        self,
        batch: Mapping[bytes, bytes | None],
        version: bytes,
        *,
        dropped: Sequence[Range] = (),
    ) -> None:
        """Apply one batch; ranges are dropped first."""
        self._check_open()
        kept = self._map
        for lower, upper in dropped:
            for key in list(kept.keys(lower, upper)):
                kept.pop(key)
        values: dict[bytes, bytes] = {}
        for key, value in batch.items():
            if value is None:
                kept.pop(key)
            else:
                values[key] = value
        kept.update(values)
        self._version = version

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        """Yield the entries with ``lower <= key < upper`` in key order."""
        self._check_open()
        values = self._map.values
        for key in list(self._map.keys(lower, upper, reverse=reverse)):
            value = values.get(key)
            if value is not None:
                yield key, value

    def version(self) -> bytes | None:
        """Return the version of the last ``write``; None for a new store."""
        return self._version

    def size_estimate(self) -> int:
        """Return how many entries there are."""
        return len(self._map)

    def close(self) -> None:
        """Forget everything."""
        self._map.clear()
        self._open = False

    def _check_open(self) -> None:
        if not self._open:
            raise InvalidStateStoreException('cannot use a store of kind "memory": it is closed')


@hookimpl
def millstream_register_stores() -> list[type[ByteStore]]:
    """Offer the store."""
    return [MemoryStore]
