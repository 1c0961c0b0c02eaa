"""Access of operators to a window store: window keys in front of an access by raw key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.state import WindowAccess
from millstream.core.state.access import WindowAdds
from millstream.stores.access import StoreAccess
from millstream.stores.time_keys import clamp
from millstream.stores.timed import Cells, TimedAccess
from millstream.stores.window.keys import WindowKeys, start_of, wanted
from millstream.stores.window.layers import WindowLayer


class SerdeWindowAccess(TimedAccess, WindowAccess):
    """Window keys in front of an access by raw key."""

    def __init__(
        self,
        points: StoreAccess,
        keys: WindowKeys,
        layer: WindowLayer,
        decode: Callable[[bytes], Any],
    ) -> None:
        super().__init__(points, keys, layer, decode)
        self.set_current_record = points.set_current_record
        self.read_at = points.read_at
        self._keys = keys
        self._layer = layer
        self._join = keys.join
        self._read = points.read
        self._write = points.write

    def read(self, key_bytes: bytes, start: int) -> Any:
        return self._read(self._join(key_bytes, start))

    def join_many(self, keys_bytes: Iterable[bytes], starts: Sequence[int]) -> list[bytes]:
        # What is read by raw key may be written by raw key.
        self._latest = max(self._latest, max(starts, default=-1))
        return list(map(self._join, keys_bytes, starts))

    def oldest_seen(self, latest: int) -> int:
        return self._layer.oldest_seen(latest)

    def adder(self) -> WindowAdds | None:
        encode = self.points.encoding_for(self._layer)
        return None if encode is None else self._layer.adder(encode, self.plain)

    def read_many(self, raw_keys: Sequence[bytes]) -> list[Any]:
        return self.points.read_many(raw_keys)

    def write(self, key_bytes: bytes, key: Any, start: int, value: Any, timestamp: int) -> None:
        self._latest = max(self._latest, start)
        self._write(self._join(key_bytes, start), key, value, timestamp)

    def write_at(
        self, raw_key: bytes, key: Any, value: Any, timestamp: int, chunk: Chunk, index: int
    ) -> None:
        self.points.write_at(raw_key, key, value, timestamp, chunk, index)

    def write_many(
        self,
        raw_keys: Sequence[bytes],
        keys: Sequence[Any],
        values: Sequence[Any],
        timestamps: Sequence[int],
        chunk: Chunk,
        indices: Sequence[int],
    ) -> None:
        self.points.write_many(raw_keys, keys, values, timestamps, chunk, indices)

    def has_room(self, raw_keys: Sequence[bytes], chunk: Chunk) -> bool:
        return self.points.has_room(raw_keys, chunk)

    def fetch(
        self, key_bytes: bytes, first: int, last: int, *, reverse: bool = False
    ) -> Iterable[tuple[int, Any]]:
        if self.cached:
            cells = self.cells(key_bytes, key_bytes, first, last, reverse=reverse)
            return ((start_of(key), cell) for key, cell in cells)
        decode = self._decode
        found = self._layer.near(key_bytes, first, last)
        cells_by_start = [(start_of(key), decode(data)) for key, data in found]
        return cells_by_start[::-1] if reverse else cells_by_start

    def cells(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
    ) -> Cells:
        """Yield window keys and cells within bounds, all of them inclusive."""
        stored = self._layer.fetch(key_from, key_to, time_from, time_to, reverse=reverse)
        if not self.cached:
            return self._decoded(stored)
        cached = self._cached_cells(key_from, key_to, time_from, time_to, reverse=reverse)
        return self._merged(cached, stored, reverse=reverse)

    def _cached_cells(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
    ) -> Cells:
        first, last = clamp(time_from), min(time_to, self._latest)
        if last < first:
            return
        lower, upper = first.to_bytes(8, "big"), last.to_bytes(8, "big")
        bounds = list(self._keys.bounds(key_from, key_to, first, last))
        for below, above in reversed(bounds) if reverse else bounds:
            for key, cell in self.points.cached_cells(below, above, reverse=reverse):
                if wanted(key, key_from, key_to, lower, upper):
                    yield key, cell
