"""Clock that closes windows by wall-clock time while no records come."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from millstream.core.processor import PunctuationType

_LONG = struct.Struct(">q")
_TICK_MS = 1
"""Each time the host reads its clock."""


class IdleClock:
    """Tells when wall-clock time has closed windows, while stream time does not advance.

    Everything follows from the records, and from the times that the host gave with them and with
    its ticks; ``save`` has what a restart needs.

    Args:
        timeout_ms: How long no record must have come; None: the wall clock closes nothing.
        close_times: Given the present stream time, returns for each window the stream time that
            closes it.
    """

    def __init__(self, timeout_ms: int | None, close_times: Callable[[int], Iterable[int]]) -> None:
        self._timeout = timeout_ms
        self._close_times = close_times
        self._arrived = -1
        self._open: list[int] | None = None

    def init(self, context: Any, tick: Callable[[int], None]) -> None:
        """Have ``tick`` called with the wall clock's time."""
        self._context = context
        if self._timeout is not None:
            context.schedule(_TICK_MS, PunctuationType.WALL_CLOCK_TIME, tick)

    @property
    def is_on(self) -> bool:
        """Whether the wall clock may close windows."""
        return self._timeout is not None

    def record_came(self) -> None:
        """Note that there is input."""
        if self._timeout is not None:
            self._arrived = self._context.currentSystemTimeMs()
            self._open = None

    def closed(self, now_ms: int, stream_time: int) -> int | None:
        """Return the stream time to use instead of the wall clock, if it closes another window.

        It is just large enough for that, so that windows which begin later stay open. It passes
        neither the wall clock nor the stream time that the idle time has been added to, whichever
        is later.
        """
        if self._timeout is None or self._arrived < 0:
            return None
        # A clock that was set back begins to wait anew.
        self._arrived = min(self._arrived, now_ms)
        idle_ms = now_ms - self._arrived
        if idle_ms < self._timeout:
            return None
        if self._open is None:
            # No records come, so that no window opens: the store is read only once.
            found = {time for time in self._close_times(stream_time) if time > stream_time}
            self._open = sorted(found, reverse=True)
        reached, last = max(now_ms, stream_time + idle_ms), None
        while self._open and self._open[-1] <= reached:
            last = self._open.pop()
        return last

    def save(self) -> bytes:
        """Return when the last record came; nothing without a timeout."""
        return b"" if self._timeout is None else _LONG.pack(self._arrived)

    @staticmethod
    def combined(saved: Sequence[bytes]) -> bytes:
        """Return what ``save`` would return if the records of several tasks had come to one."""
        return max(saved, key=_arrived, default=b"")

    def restore(self, data: bytes) -> None:
        """Take up what ``save`` returned."""
        if data:
            (self._arrived,) = _LONG.unpack(data)


def _arrived(saved: bytes) -> int:
    return int(_LONG.unpack(saved)[0]) if saved else -1
