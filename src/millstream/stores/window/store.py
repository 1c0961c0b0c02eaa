"""Window stores as users see them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from millstream.core.chunk import Chunk
from millstream.core.durations import LONG_MAX, InstantLike, to_epoch_millis
from millstream.core.errors import IllegalArgumentException
from millstream.core.state import (
    KeyValueIterator,
    StateStoreContext,
    TimestampedWindowStore,
    TimestampedWindowStoreWithHeaders,
    ValueAndTimestamp,
    ValueTimestampHeaders,
    WindowAccess,
    WindowStore,
)
from millstream.core.state.access import WindowAdds
from millstream.core.windows import TimeWindow, Windowed
from millstream.stores import metered
from millstream.stores.access import StoreAccess
from millstream.stores.cache.merge import merged
from millstream.stores.codec import TimestampedCodec
from millstream.stores.header_codec import HeadersCodec
from millstream.stores.iterators import Entries, WindowEntries
from millstream.stores.key_value.store import given, warn_empty_range
from millstream.stores.time_keys import clamp
from millstream.stores.typed import TypedStore
from millstream.stores.window.keys import (
    REMEMBERED_STARTS,
    WindowKeys,
    by_time,
    key_of,
    start_bytes,
    start_of,
    wanted,
)
from millstream.stores.window.layers import WindowLayer

logger = logging.getLogger("millstream.stores")

K = TypeVar("K")
V = TypeVar("V")

Cells = Iterator[tuple[bytes, Any]]


class SerdeWindowStore(TypedStore["Windows"], WindowStore[K, V]):
    """Keys and values by their serdes, over layers of bytes."""

    points_measured = metered.WINDOW_POINTS
    scans_measured = metered.WINDOW_SCANS
    access_measured = metered.WINDOW_ACCESS
    value_at = 1
    _layer: WindowLayer

    def __init__(self, *given: Any, window_size: int, keys: WindowKeys, **around: Any) -> None:
        """Describe it: keys, the windows' size in milliseconds, and what ``TypedStore`` takes."""
        super().__init__(*given, **around)
        self._window_keys = keys
        self._shown_windows = ShownWindows(window_size)

    def put(self, key: K, value: V | None, windowStartTimestamp: int) -> None:
        """Set the value of a key's window; None deletes it.

        A window that starts before 1970 has expired: it is dropped, and counted as such.
        """
        access = self._opened()
        if windowStartTimestamp < 0:
            given(key)
            self._refuse(windowStartTimestamp)
            return
        plain, timestamp = self._codec.take(value)
        if self._headed is None:
            key_bytes = access.serialize_key(given(key))
            access.write(key_bytes, key, windowStartTimestamp, plain, timestamp)
            return
        with self._key_written(given(key), value) as key_bytes:
            access.write(key_bytes, key, windowStartTimestamp, plain, timestamp)

    def fetch(self, *arguments: Any, **keywords: Any) -> Any:
        """Read one window, the windows of a key, or those of a range of keys."""
        wants = _fetch_arguments(arguments, keywords)
        if len(wants) == 2:
            access = self._opened()
            key_bytes = access.serialize_key(given(wants[0]))
            time = to_epoch_millis(wants[1], "time")
            return None if time < 0 else self._codec.show(access.read(key_bytes, time))
        return self._fetch(wants, reverse=False)

    def backwardFetch(self, *arguments: Any, **keywords: Any) -> Any:
        """Do what the two longer forms of ``fetch`` do, last first."""
        return self._fetch(_fetch_arguments(arguments, keywords), reverse=True)

    def fetchAll(
        self, timeFrom: InstantLike, timeTo: InstantLike
    ) -> KeyValueIterator[Windowed[K], V]:
        """Return the windows of all keys that start between two times."""
        return self._range(None, None, timeFrom, timeTo, reverse=False)

    def backwardFetchAll(
        self, timeFrom: InstantLike, timeTo: InstantLike
    ) -> KeyValueIterator[Windowed[K], V]:
        """Return what ``fetchAll`` returns, last first."""
        return self._range(None, None, timeFrom, timeTo, reverse=True)

    def all(self) -> KeyValueIterator[Windowed[K], V]:
        """Return every window of every key."""
        return self._range(None, None, 0, LONG_MAX, reverse=False)

    def backwardAll(self) -> KeyValueIterator[Windowed[K], V]:
        """Return every window of every key, last first."""
        return self._range(None, None, 0, LONG_MAX, reverse=True)

    def _refuse(self, start: int) -> None:
        self._context.count_dropped_record(self._name)
        logger.warning(
            "Skipping record for expired segment. store=[%s] windowStart=[%d]", self._name, start
        )

    def _fetch(self, wants: tuple[Any, ...], *, reverse: bool) -> Any:
        if len(wants) != 3:
            return self._range(*wants, reverse=reverse)
        access = self._opened()
        key = access.serialize_key(given(wants[0]))
        times = _times(wants[1], wants[2])
        cells = access.cells(key, key, *times, reverse=reverse)
        return self._watched(WindowEntries(cells, start_of, self._codec.show, self._name))

    def _range(
        self,
        key_from: Any,
        key_to: Any,
        time_from: InstantLike,
        time_to: InstantLike,
        *,
        reverse: bool,
    ) -> KeyValueIterator[Windowed[K], V]:
        access = self._opened()
        first = None if key_from is None else access.serialize_key(key_from)
        last = None if key_to is None else access.serialize_key(key_to)
        times = _times(time_from, time_to)
        if first is not None and last is not None and first > last:
            warn_empty_range(self._name)
            cells: Cells = iter(())
        else:
            cells = access.cells(first, last, *times, reverse=reverse)
        with_cell = self._windowed_with_cell if self._reads_headed_keys else None
        show = self._codec.show
        return self._watched(
            Entries(cells, self._windowed, show, self._name, key_and_cell=with_cell)
        )

    def _open(self, points: StoreAccess, context: StateStoreContext) -> Windows:
        self._layer.before_drop = partial(self._settle, start_of)
        return Windows(points, self._window_keys, self._layer, self._decode)

    def _show_key(self, stored_key: bytes, key: Any) -> Windowed[Any]:
        shown = self._key_of(key_of(stored_key), key)
        return Windowed(shown, self._shown_windows[stored_key[-12:-4]])

    def _windowed(self, window_key: bytes) -> Windowed[Any]:
        key = self._keys.from_bytes(key_of(window_key))
        return Windowed(key, self._shown_windows[window_key[-12:-4]])

    def _windowed_with_cell(self, window_key: bytes, cell: Any) -> Windowed[Any]:
        key = self._key_and_cell(key_of)(window_key, cell)
        return Windowed(key, self._shown_windows[window_key[-12:-4]])


class SerdeTimestampedWindowStore(
    SerdeWindowStore[K, ValueAndTimestamp[V]], TimestampedWindowStore[K, V]
):
    """A window store with a time in every value."""

    codec_class = TimestampedCodec


class SerdeWindowStoreWithHeaders(
    SerdeWindowStore[K, ValueTimestampHeaders[V]], TimestampedWindowStoreWithHeaders[K, V]
):
    """A window store with a time and headers in every value."""

    codec_class = HeadersCodec


class ShownWindows(dict[bytes, TimeWindow]):
    """Windows by the bytes of their start; those of late are kept, since many keys share them."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __missing__(self, start: bytes) -> TimeWindow:
        if len(self) >= REMEMBERED_STARTS:
            self.clear()
        window = self[start] = TimeWindow.of_start(int.from_bytes(start, "big"), self._size)
        return window


class Windows(WindowAccess):
    """Window keys in front of an access by key."""

    def __init__(
        self,
        points: StoreAccess,
        keys: WindowKeys,
        layer: WindowLayer,
        decode: Callable[[bytes], Any],
    ) -> None:
        self.points = points
        self.cached = points.cached
        self.logs = points.logs
        self.keeps_headers = points.keeps_headers
        self.folds = points.folds
        self.in_hand = points.in_hand
        self.plain = points.plain
        self.keep = points.keep
        self._keys = keys
        self._layer = layer
        self._decode = decode
        self._join = keys.join
        self._read = points.read
        self._write = points.write
        self._latest = -1

    def serialize_key(self, key: Any) -> bytes:
        return self.points.serialize_key(key)

    def serialize_keys(self, keys: Sequence[Any]) -> list[bytes]:
        return self.points.serialize_keys(keys)

    def read(self, key_bytes: bytes, start: int) -> Any:
        return self._read(self._join(key_bytes, start))

    def join_many(self, keys_bytes: Iterable[bytes], starts: Iterable[int]) -> list[bytes]:
        return list(map(self._join, keys_bytes, starts))

    def oldest_seen(self, latest: int) -> int:
        return self._layer.oldest_seen(latest)

    def adder(self) -> WindowAdds | None:
        encode = self.points.encoding_for(self._layer)
        return None if encode is None else self._layer.adder(encode, self.plain)

    def read_many(self, window_keys: Sequence[bytes]) -> list[Any]:
        return self.points.read_many(window_keys)

    def write(self, key_bytes: bytes, key: Any, start: int, value: Any, timestamp: int) -> None:
        self._latest = max(self._latest, start)
        self._write(self._join(key_bytes, start), key, value, timestamp)

    def write_at(
        self,
        key_bytes: bytes,
        key: Any,
        start: int,
        value: Any,
        timestamp: int,
        chunk: Chunk,
        index: int,
    ) -> None:
        self._latest = max(self._latest, start)
        window_key = self._join(key_bytes, start)
        self.points.write_at(window_key, key, value, timestamp, chunk, index)

    def write_many(
        self,
        window_keys: Sequence[bytes],
        keys: Sequence[Any],
        values: Sequence[Any],
        timestamps: Sequence[int],
        chunk: Chunk,
        indices: Sequence[int],
    ) -> None:
        latest = max(map(start_bytes, window_keys))
        self._latest = max(self._latest, int.from_bytes(latest, "big"))
        self.points.write_many(window_keys, keys, values, timestamps, chunk, indices)

    def has_room(self, window_keys: Sequence[bytes], chunk: Chunk) -> bool:
        return self.points.has_room(window_keys, chunk)

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
        layer, decode = self._layer, self._decode
        stored = layer.fetch(key_from, key_to, time_from, time_to, reverse=reverse)
        if not self.cached:
            return ((key, decode(data)) for key, data in stored)
        cached = self.cached_cells(key_from, key_to, time_from, time_to, reverse=reverse)
        if layer.time_ordered:
            cached = iter(sorted(cached, key=lambda c: by_time(c[0]), reverse=reverse))
        order = by_time if layer.time_ordered else bytes
        return merged(
            ((order(key), key, cell) for key, cell in cached),
            ((order(key), key, decode(data)) for key, data in stored),
            reverse=reverse,
        )

    def cached_cells(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
    ) -> Cells:
        """Yield what the cache holds within bounds, all of them inclusive."""
        first, last = clamp(time_from), min(time_to, self._latest)
        if last < first:
            return
        bounds = list(self._keys.bounds(key_from, key_to, first, last))
        lower_time, upper_time = first.to_bytes(8, "big"), last.to_bytes(8, "big")
        for lower, upper in reversed(bounds) if reverse else bounds:
            for key, cell in self.points.cached_cells(lower, upper, reverse=reverse):
                if wanted(key, key_from, key_to, lower_time, upper_time):
                    yield key, cell


FETCH_NAMES = {
    2: ("key", "time"),
    3: ("key", "timeFrom", "timeTo"),
    4: ("keyFrom", "keyTo", "timeFrom", "timeTo"),
}


def _fetch_arguments(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    names = FETCH_NAMES.get(len(arguments) + len(keywords), ())
    given_names = dict(zip(names, arguments, strict=False)) | keywords
    if not names or set(given_names) != set(names):
        raise IllegalArgumentException(
            "fetch takes (key, time), (key, timeFrom, timeTo) or "
            "(keyFrom, keyTo, timeFrom, timeTo)",
            detail=f"It got {len(arguments)} arguments and {sorted(keywords)}.",
        )
    return tuple(given_names[name] for name in names)


def _times(time_from: InstantLike, time_to: InstantLike) -> tuple[int, int]:
    return to_epoch_millis(time_from, "timeFrom"), to_epoch_millis(time_to, "timeTo")
