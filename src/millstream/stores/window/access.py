"""Access of operators to a window store: window keys in front of an access by raw key."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.state import WindowAccess
from millstream.core.state.access import WindowAdds, WindowColumns
from millstream.core.windows import TimeWindow, Windowed
from millstream.stores.access import StoreAccess
from millstream.stores.time_keys import SEPARATE_SEGMENTS, ZEROS_FIRST, clamp
from millstream.stores.timed import Cells, TimedAccess, by_segment
from millstream.stores.window.keys import WindowKeys, key_of, start_bytes, start_of, wanted
from millstream.stores.window.layers import WindowLayer


class SerdeWindowAccess(TimedAccess, WindowAccess):
    """Window keys in front of an access by raw key."""

    def __init__(
        self,
        points: StoreAccess,
        keys: WindowKeys,
        layer: WindowLayer,
        decode: Callable[[bytes], Any],
        windows: Mapping[bytes, TimeWindow],
    ) -> None:
        """Bind to a store; ``windows`` has the window that begins at each start, as 8 bytes."""
        super().__init__(points, keys, layer, decode)
        self._windows = windows
        self.set_current_record = points.set_current_record
        self.read_at = points.read_at
        self.write_at = points.write_at
        self._keys = keys
        self._layer = layer
        self._join = keys.join
        self._read = points.read
        self._write = points.write

    def read(self, key_bytes: bytes, start: int) -> Any:
        return self._read(self._join(key_bytes, start))

    def join(self, key_bytes: bytes, start: int) -> bytes:
        # What is read by raw key may be written by raw key.
        self._latest.time = max(self._latest.time, start)
        return self._join(key_bytes, start)

    def join_many(self, keys_bytes: Iterable[bytes], starts: Sequence[int]) -> list[bytes]:
        # What is read by raw key may be written by raw key.
        self._latest.time = max(self._latest.time, max(starts, default=-1))
        return list(map(self._join, keys_bytes, starts))

    def oldest_seen(self, latest: int) -> int:
        return self._layer.oldest_seen(latest)

    def adder(self) -> WindowAdds | None:
        encode = self.points.encoding_for(self._layer)
        return None if encode is None else self._layer.adder(encode, self.plain)

    def read_many(self, raw_keys: Sequence[bytes]) -> list[Any]:
        return self.points.read_many(raw_keys)

    def write(self, key_bytes: bytes, key: Any, start: int, value: Any, timestamp: int) -> None:
        self._latest.time = max(self._latest.time, start)
        self._write(self._join(key_bytes, start), key, value, timestamp)

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
            row = None if self._layer.may_have(first, last) else self._row(key_bytes, first, last)
            if row is not None:
                there = self._row_cells(row[::-1] if reverse else row)
                # Where windows of several keys have to be sorted, all are read at first.
                return list(there) if self._layer.time_ordered else there
            cells = self.cells(key_bytes, key_bytes, first, last, reverse=reverse)
            return ((start_of(key), cell) for key, cell in cells)
        decode = self._decode
        found = self._layer.near(key_bytes, first, last)
        cells_by_start = [(start_of(key), decode(data)) for key, data in found]
        return cells_by_start[::-1] if reverse else cells_by_start

    def _row(self, key_bytes: bytes, first: int, last: int) -> list[bytes] | None:
        """Return the raw keys of a key's windows in the cache, if a read touches no others."""
        first, last = clamp(first), min(last, self._latest.time)
        row = self._whole_row(key_bytes, first, last)
        if row is None or last < first:
            return None if row is None else []
        lower, upper = first.to_bytes(8, "big"), last.to_bytes(8, "big")
        begin = bisect_left(row, lower, key=start_bytes)
        return row[begin : bisect_right(row, upper, begin, key=start_bytes)]

    def _whole_row(self, key_bytes: bytes, first: int, last: int) -> list[bytes] | None:
        """Return the raw keys of all of a key's windows in the cache, under the same condition."""
        interval = self._keys.interval
        if last >= ZEROS_FIRST or last // interval - first // interval >= SEPARATE_SEGMENTS:
            return None
        return self.points.cached_row(key_bytes, key_of)

    def _row_cells(self, raw_keys: list[bytes]) -> Iterator[tuple[int, Any]]:
        use, cell_of = self.points.cached_use, self.points.cell_of
        for key in raw_keys:
            entry = use(key)
            cell = None if entry is None else cell_of(entry)
            if cell is not None:
                yield int.from_bytes(key[-12:-4], "big"), cell

    def between(self, first: int, last: int, most: int) -> Iterator[WindowColumns] | None:
        if self.keeps_headers:
            return None
        return self._columns(first, last, most)

    def _columns(self, first: int, last: int, most: int) -> Iterator[WindowColumns]:
        cells = self._cells_between(first, last)
        raws = sorted(cells)
        if self._layer.time_ordered:
            raws.sort(key=start_bytes)
        windows, keys_of = self._windows, self.points.keys_of
        for at in range(0, len(raws), most):
            some = raws[at : at + most]
            keys = keys_of([key_of(raw) for raw in some])
            shown = [windows[start_bytes(raw)] for raw in some]
            yield list(map(Windowed, keys, shown)), [cells[raw] for raw in some]

    def _cells_between(self, first: int, last: int) -> dict[bytes, Any]:
        """Return the cells of all keys between two starts, both inclusive."""
        decode = self._decode
        cached = self._entries_between(first, last) if self.cached else {}
        stored = self._layer.fetch(None, None, first, last, reverse=False)
        cells = {raw: decode(data) for raw, data in stored if raw not in cached}
        for raw, entry in cached.items():
            cell = self.points.cell_of(entry)
            if cell is not None:
                cells[raw] = cell
        return cells

    def _entries_between(self, first: int, last: int) -> dict[bytes, Any]:
        """Return the entries of the cache between two starts, both inclusive."""
        first, last = clamp(first), min(last, self._latest.time)
        if last < first:
            return {}
        lower, upper = first.to_bytes(8, "big"), last.to_bytes(8, "big")
        return self.points.cached_between(lower, upper, self._keys.time_at)

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

    def stored_cells(self, key: bytes | None, time_from: int, time_to: int) -> Cells:
        """Yield a key's windows, or those of all keys, without what only the cache has."""
        return self._decoded(self._layer.fetch(key, key, time_from, time_to, reverse=False))

    def _cached_cells(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
    ) -> Cells:
        first, last = clamp(time_from), min(time_to, self._latest.time)
        if last < first:
            return iter(())
        lower, upper = first.to_bytes(8, "big"), last.to_bytes(8, "big")
        if key_from is None and key_to is None:
            return by_segment(
                partial(
                    self.points.cached_cells_between, time_at=self._keys.time_at, reverse=reverse
                ),
                list(self._keys.spans(first, last)),
                reverse=reverse,
            )
        bounds = list(self._keys.bounds(key_from, key_to, first, last))
        one_key = key_from if key_from == key_to else None

        def read(below: bytes, above: bytes) -> Cells:
            row = None if one_key is None else self._whole_row(one_key, first, last)
            if row is not None:
                within = row[bisect_left(row, below) : bisect_left(row, above)]
                return self._used_cells(within[::-1] if reverse else within)
            return (
                (key, cell)
                for key, cell in self.points.cached_cells(below, above, reverse=reverse)
                if wanted(key, key_from, key_to, lower, upper)
            )

        return by_segment(read, bounds, reverse=reverse)
