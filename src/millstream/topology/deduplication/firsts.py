"""Processors of ``distinct``: the first record of each key and window, or session."""

from __future__ import annotations

from typing import Any

from millstream.core.records import Change, make_record
from millstream.core.windows import SessionWindow, SessionWindows, Windowed
from millstream.topology.operators.opened_windows import opener, window_maker
from millstream.topology.operators.operator import AnyRecord, Operator
from millstream.topology.operators.stream_time import SavesStreamTime
from millstream.topology.operators.table_settings import TableSettings

_NULL = "null key or value"
_EXPIRED = "expired window"


class First(SavesStreamTime, Operator):
    """Base of both: the store, and the stream time that decides what is late."""

    minds_lateness = True

    def __init__(self, windows: Any, *, settings: TableSettings) -> None:
        self._windows = windows
        self._grace = windows.gracePeriodMs()
        self._settings = settings

    def init(self, context: Any) -> None:
        super().init(context)
        self._access = context.getStateStore(self._settings.store).access()

    def process(self, record: AnyRecord) -> None:
        """Forward the record if it is the first; one without key or value is dropped."""
        if record._key is None or record._value is None:
            self.context.drop(_NULL)
            return
        self._stream_time = max(self._stream_time, record._timestamp)
        self._look(record, self._access.serialize_key(record._key))

    def _look(self, record: AnyRecord, key_bytes: bytes) -> None:
        raise NotImplementedError

    def _send(self, record: AnyRecord, window: Any) -> None:
        windowed, change = Windowed(record._key, window), Change(record._value, None)
        self.forward(make_record(windowed, change, record._timestamp, record._headers))


class FirstInWindow(First):
    """Forwards the first record of each key and window that is still open."""

    def __init__(self, windows: Any, *, settings: TableSettings) -> None:
        super().__init__(windows, settings=settings)
        self._opened = opener(windows)
        self._window = window_maker(windows)

    def _look(self, record: AnyRecord, key_bytes: bytes) -> None:
        key, value, timestamp = record._key, record._value, record._timestamp
        closed_up_to = self._stream_time - self._grace
        for start, end, window in self._opened(timestamp):
            if end <= closed_up_to:
                self.context.drop_late(_EXPIRED)
            elif self._access.read(key_bytes, start) is None:
                self._access.write(key_bytes, key, start, value, timestamp)
                self._send(record, self._window(start) if window is None else window)


class FirstInSession(First):
    """Forwards the record that begins a session; sessions that become one forward nothing.

    The store has a session with its present bounds and, of sessions that became one, the value of
    the earliest.
    """

    def __init__(self, windows: SessionWindows, *, settings: TableSettings) -> None:
        super().__init__(windows, settings=settings)
        self._gap = windows.inactivityGap()

    def _look(self, record: AnyRecord, key_bytes: bytes) -> None:
        key, timestamp, gap = record._key, record._timestamp, self._gap
        found = self._access.find(key_bytes, timestamp - gap, timestamp + gap)
        start = min([timestamp, *(first for first, _, _ in found)])
        end = max([timestamp, *(last for _, last, _ in found)])
        if end < self._stream_time - self._grace - gap:
            self.context.drop_late(_EXPIRED)
            return
        if [(first, last) for first, last, _ in found] == [(start, end)]:
            return
        for first, last, _ in found:
            self._access.remove(key_bytes, key, first, last)
        _, _, value = min(found, default=(0, 0, record._value), key=_first)
        self._access.write(key_bytes, key, start, end, value)
        if not found:
            self._send(record, SessionWindow.of_events(start, end))


def _first(session: tuple[int, int, Any]) -> int:
    return session[0]
