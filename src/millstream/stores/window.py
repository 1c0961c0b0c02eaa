"""Window stores as users see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from millstream.core.chunk import Chunk
from millstream.core.durations import LONG_MAX, InstantLike, to_epoch_millis
from millstream.core.errors import IllegalArgumentException
from millstream.core.serdes import Serde
from millstream.core.state import (
    FlushListener,
    KeyValueIterator,
    StateStore,
    StateStoreContext,
    TimestampedWindowStore,
    ValueAndTimestamp,
    WindowAccess,
    WindowStore,
)
from millstream.core.windows import TimeWindow, Windowed
from millstream.stores.access import CachedAccess, DirectAccess, StoreAccess
from millstream.stores.codec import Codec, Part, PlainCodec, TimestampedCodec, resolve
from millstream.stores.iterators import Entries, WindowEntries
from millstream.stores.key_value import changelog_topic, closed, given, warn_empty_range
from millstream.stores.merge import merged
from millstream.stores.window_keys import (
    REMEMBERED_STARTS,
    WindowKeys,
    by_time,
    clamp,
    key_of,
    start_of,
    wanted,
)
from millstream.stores.window_layers import WindowLayer

K = TypeVar("K")
V = TypeVar("V")

Cells = Iterator[tuple[bytes, Any]]


class SerdeWindowStore(WindowStore[K, V]):
    """Keys and values by their serdes, over layers of bytes."""

    codec_class: type[Codec] = PlainCodec

    def __init__(
        self,
        name: str,
        layer: WindowLayer,
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
        *,
        window_size: int,
        keys: WindowKeys,
        caching: bool,
    ) -> None:
        self._name = name
        self._layer = layer
        self._key_serde = key_serde
        self._value_serde = value_serde
        self._window_size = window_size
        self._window_keys = keys
        self._caching = caching
        self._access: Windows | None = None
        self._shown_windows: dict[bytes, TimeWindow] = {}

    def name(self) -> str:
        """Return the name."""
        return self._name

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        """Open the store for a task."""
        context = stateStoreContext
        topic = changelog_topic(context, self._name)
        keys = Part(resolve(self._key_serde, context.keySerde(), "key", self._name), topic)
        values = Part(resolve(self._value_serde, context.valueSerde(), "value", self._name), topic)
        self._layer.init(context, root)
        self._keys = keys
        codec = self._codec = self.codec_class(values)
        points: StoreAccess
        if self._caching and context.cache_budget.limit > 0:
            points = CachedAccess(
                keys, codec, self._layer, context, self._show_key, remembers=False
            )
        else:
            points = DirectAccess(keys, codec, self._layer, context)
        self._access = Windows(points, self._window_keys)

    def access(self) -> WindowAccess:
        """Return the operators' way in."""
        return self._opened()

    def set_flush_listener(self, listener: FlushListener, send_old_values: bool) -> bool:
        """Name who is told of flushed entries; False if the store has no cache."""
        return self._opened().points.set_flush_listener(listener, send_old_values)

    def put(self, key: K, value: V | None, windowStartTimestamp: int) -> None:
        """Set the value of a key's window; None deletes it."""
        access = self._opened()
        plain, timestamp = self._codec.take(value)
        key_bytes = access.serialize_key(given(key))
        access.write(key_bytes, key, windowStartTimestamp, plain, timestamp)

    def fetch(self, *arguments: Any, **keywords: Any) -> Any:
        """Read one window, the windows of a key, or those of a range of keys."""
        wants = _fetch_arguments(arguments, keywords)
        if len(wants) == 2:
            access = self._opened()
            key_bytes = access.serialize_key(given(wants[0]))
            return self._codec.show(access.read(key_bytes, to_epoch_millis(wants[1], "time")))
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

    def flush(self) -> None:
        """Pass on what the cache holds."""
        if self._access is not None:
            self._access.points.flush()

    def reload(self) -> None:
        """Forget the cache: the bytes below were changed behind the store."""
        self._opened().points.reload()

    def close(self) -> None:
        """Flush, and release everything."""
        access, self._access = self._access, None
        if access is not None:
            access.points.close()

    def persistent(self) -> bool:
        """Tell whether the contents survive the process."""
        return self._layer.stores_durably

    def isOpen(self) -> bool:
        """Tell whether the store can be used."""
        return self._access is not None

    def _fetch(self, wants: tuple[Any, ...], *, reverse: bool) -> Any:
        if len(wants) != 3:
            return self._range(*wants, reverse=reverse)
        access = self._opened()
        key = access.serialize_key(given(wants[0]))
        times = _times(wants[1], wants[2])
        cells = self._cells(key, key, *times, reverse=reverse)
        return WindowEntries(cells, start_of, self._codec.show, self._name)

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
            cells = self._cells(first, last, *times, reverse=reverse)
        return Entries(cells, self._windowed, self._codec.show, self._name)

    def _cells(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
    ) -> Cells:
        access = self._opened()
        decode = self._codec.decode
        stored = self._layer.fetch(key_from, key_to, time_from, time_to, reverse=reverse)
        if not access.cached:
            return ((key, decode(data)) for key, data in stored)
        timed = self._layer.time_ordered
        cached = access.cached_cells(key_from, key_to, time_from, time_to, reverse=reverse)
        if timed:
            cached = iter(sorted(cached, key=lambda c: by_time(c[0]), reverse=reverse))
        order = by_time if timed else bytes
        return merged(
            ((order(key), key, cell) for key, cell in cached),
            ((order(key), key, decode(data)) for key, data in stored),
            reverse=reverse,
        )

    def _show_key(self, window_key: bytes, key: Any) -> Windowed[Any]:
        keys = self._keys
        # An object that is not plain may have been changed since it was written.
        shown = key if type(key) is keys.plain_type else keys.from_bytes(key_of(window_key))
        return Windowed(shown, self._window(window_key[-12:-4]))

    def _windowed(self, window_key: bytes) -> Windowed[Any]:
        key = self._keys.from_bytes(key_of(window_key))
        return Windowed(key, self._window(window_key[-12:-4]))

    def _window(self, start: bytes) -> TimeWindow:
        window = self._shown_windows.get(start)
        if window is None:
            if len(self._shown_windows) >= REMEMBERED_STARTS:
                self._shown_windows.clear()
            window = TimeWindow.of_start(int.from_bytes(start, "big"), self._window_size)
            self._shown_windows[start] = window
        return window

    def _opened(self) -> Windows:
        access = self._access
        if access is None:
            raise closed(self._name)
        return access


class SerdeTimestampedWindowStore(
    SerdeWindowStore[K, ValueAndTimestamp[V]], TimestampedWindowStore[K, V]
):
    """The same with a time in every value."""

    codec_class = TimestampedCodec


class Windows(WindowAccess):
    """Window keys in front of an access by key."""

    def __init__(self, points: StoreAccess, keys: WindowKeys) -> None:
        self.points = points
        self.cached = points.cached
        self.logs = points.logs
        self._keys = keys
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

    def read_many(self, keys_bytes: Sequence[bytes], starts: Sequence[int]) -> list[Any]:
        return self.points.read_many(list(map(self._join, keys_bytes, starts)))

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
        keys_bytes: Sequence[bytes],
        keys: Sequence[Any],
        starts: Sequence[int],
        values: Sequence[Any],
        timestamps: Sequence[int],
        chunk: Chunk,
        indices: Sequence[int],
    ) -> None:
        self._latest = max(self._latest, *starts, -1)
        window_keys = list(map(self._join, keys_bytes, starts))
        self.points.write_many(window_keys, keys, values, timestamps, chunk, indices)

    def has_room(self, keys_bytes: Sequence[bytes], chunk: Chunk) -> bool:
        # Segment, start and sequence make each key longer.
        longer = [key + bytes(20) for key in keys_bytes] if self.cached else keys_bytes
        return self.points.has_room(longer, chunk)

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
