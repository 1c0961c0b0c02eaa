"""Window stores with serdes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from millstream.core.durations import LONG_MAX, InstantLike, event_millis, to_epoch_millis
from millstream.core.state import (
    KeyValueIterator,
    StateStoreContext,
    TimestampedWindowStore,
    TimestampedWindowStoreWithHeaders,
    ValueAndTimestamp,
    ValueTimestampHeaders,
    WindowStore,
)
from millstream.core.windows import TimeWindow, Windowed
from millstream.stores import metered
from millstream.stores.access import StoreAccess
from millstream.stores.codec import TimestampedCodec
from millstream.stores.header_codec import HeadersCodec
from millstream.stores.iterators import WindowEntries
from millstream.stores.key_value.store import given
from millstream.stores.timed import Forms, TimedStore, overloaded
from millstream.stores.value_forms import WITHOUT_TIME
from millstream.stores.window.access import SerdeWindowAccess
from millstream.stores.window.keys import (
    REMEMBERED_STARTS,
    WindowKeys,
    start_bytes,
    start_of,
)
from millstream.stores.window.layers import WindowLayer

logger = logging.getLogger("millstream.stores")

K = TypeVar("K")
V = TypeVar("V")

FETCH: Forms = {
    2: ("key", "time"),
    3: ("key", "timeFrom", "timeTo"),
    4: ("keyFrom", "keyTo", "timeFrom", "timeTo"),
}


class SerdeWindowStore(TimedStore[SerdeWindowAccess], WindowStore[K, V]):
    """Keys and values by their serdes, over layers of bytes."""

    points_measured = metered.WINDOW_POINTS
    scans_measured = metered.WINDOW_SCANS
    access_measured = metered.WINDOW_ACCESS
    value_at = 1
    _layer: WindowLayer
    _timed_keys: WindowKeys

    def __init__(self, *given: Any, window_size: int, keys: WindowKeys, **around: Any) -> None:
        """Describe it: keys, the windows' size in milliseconds, and what ``TypedStore`` takes."""
        super().__init__(*given, **around)
        self._timed_keys = keys
        self._shown_windows = ShownWindows(window_size)

    def put(self, key: K, value: V | None, windowStartTimestamp: int) -> None:
        """Set the value of a key's window; None deletes it.

        A window that starts before 1970 has expired: it is dropped, and counted as such.
        """
        access = self._opened()
        if type(windowStartTimestamp) is not int or windowStartTimestamp >> 63 not in (0, -1):
            windowStartTimestamp = event_millis(windowStartTimestamp, "windowStartTimestamp")
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
        wants = overloaded("fetch", FETCH, arguments, keywords)
        if len(wants) == 2:
            access = self._opened()
            key_bytes = access.serialize_key(given(wants[0]))
            time = to_epoch_millis(wants[1], "time")
            return None if time < 0 else self._codec.show(access.read(key_bytes, time))
        return self._fetch(wants, reverse=False)

    def backwardFetch(self, *arguments: Any, **keywords: Any) -> Any:
        return self._fetch(overloaded("fetch", FETCH, arguments, keywords), reverse=True)

    def fetchAll(
        self, timeFrom: InstantLike, timeTo: InstantLike
    ) -> KeyValueIterator[Windowed[K], V]:
        return self._range(None, None, timeFrom, timeTo, reverse=False)

    def backwardFetchAll(
        self, timeFrom: InstantLike, timeTo: InstantLike
    ) -> KeyValueIterator[Windowed[K], V]:
        return self._range(None, None, timeFrom, timeTo, reverse=True)

    def all(self) -> KeyValueIterator[Windowed[K], V]:
        return self._range(None, None, 0, LONG_MAX, reverse=False)

    def backwardAll(self) -> KeyValueIterator[Windowed[K], V]:
        return self._range(None, None, 0, LONG_MAX, reverse=True)

    def fetch_stored(self, key: K, first: int, last: int) -> Any:
        """Return a key's windows as queries read them: below the record cache."""
        cells = self._opened().stored_cells(self._key_bytes(key), first, last)
        return self._watched(WindowEntries(cells, start_of, self._stored_show, self._name))

    def fetch_all_stored(self, first: int, last: int) -> KeyValueIterator[Windowed[K], Any]:
        """Return the windows of all keys as queries read them: below the record cache."""
        cells = self._opened().stored_cells(None, first, last)
        return self._entries(cells, self._stored_show)

    @property
    def _stored_show(self) -> Callable[[Any], Any]:
        show = self._codec.show
        if self._adapter is not WITHOUT_TIME:
            return show
        # Kafka gives the values as they are stored: without the times that nothing has kept.
        return lambda cell: show(cell).value()

    def _refuse(self, start: int) -> None:
        self._context.count_dropped_record(self._name)
        logger.warning(
            "Skipping record for expired segment. store=[%s] windowStart=[%d]", self._name, start
        )

    def _fetch(self, wants: tuple[Any, ...], *, reverse: bool) -> Any:
        if len(wants) != 3:
            return self._range(*wants, reverse=reverse)
        key = self._key_bytes(wants[0])
        times = _times(wants[1], wants[2])
        cells = self._opened().cells(key, key, *times, reverse=reverse)
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
        keys = self._key_bounds(key_from, key_to)
        times = _times(time_from, time_to)
        if keys is None:
            return self._entries(iter(()))
        return self._entries(self._opened().cells(*keys, *times, reverse=reverse))

    def _access_over(self, points: StoreAccess, context: StateStoreContext) -> SerdeWindowAccess:
        windows = self._shown_windows
        return SerdeWindowAccess(points, self._timed_keys, self._layer, self._decode, windows)

    def _window_of(self, raw: bytes) -> TimeWindow:
        return self._shown_windows[raw[-12:-4]]

    def _windows_of(self, raws: Sequence[bytes]) -> Iterable[TimeWindow]:
        return map(self._shown_windows.__getitem__, map(start_bytes, raws))


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
    """Cache of the last windows by the bytes of their start; many keys share a window."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __missing__(self, start: bytes) -> TimeWindow:
        if len(self) >= REMEMBERED_STARTS:
            self.clear()
        window = self[start] = TimeWindow.of_start(int.from_bytes(start, "big"), self._size)
        return window


def _times(time_from: InstantLike, time_to: InstantLike) -> tuple[int, int]:
    return to_epoch_millis(time_from, "timeFrom"), to_epoch_millis(time_to, "timeTo")
