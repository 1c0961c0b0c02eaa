"""Emitting windows of time once, when they have closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millstream.core.records import Change, make_record
from millstream.topology.operators.opened_windows import are_stock
from millstream.topology.operators.operator import AnyRecord

Bounds = Callable[[int, int], tuple[int, int] | None]
"""Given the last close time, -1 without one, and the new one, returns the first and the last start
of the windows that have closed in between, or None if there can be none."""


class ClosedWindows:
    """Forwards the windows of a store that have closed since the last time, in its order.

    Source: ``internals.AbstractKStreamTimeWindowAggregateProcessor``.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self.last_close = -1
        """The close time up to which windows have been emitted."""

    def emit(
        self, store: Any, record: AnyRecord, close_time: int, forward: Callable[[AnyRecord], None]
    ) -> None:
        """Forward what ``close_time`` has closed, on the occasion of ``record``."""
        if self.last_close != -1 and self.last_close >= close_time:
            return
        bounds = self._bounds(self.last_close, close_time)
        if bounds is None:
            return
        with store.fetchAll(*bounds) as found:
            for entry in found:
                change = Change(entry.value.value(), None)
                time = entry.value.timestamp()
                forward(make_record(entry.key, change, time, record._headers))
        self.last_close = close_time


def half_open_bounds(windows: Any) -> Bounds:
    """Return the bounds of tumbling and hopping windows, whose end does not belong to them."""
    size = windows.size()
    windows_of = windows.starts_for if are_stock(windows) else windows.windowsFor

    def bounds(last_close: int, close_time: int) -> tuple[int, int] | None:
        last = close_time - size
        if last < 0:
            return None
        if last_close == -1:
            return 0, last
        before = max(0, last_close - size)
        if windows_of(last) == windows_of(before):
            return None
        return before + 1, last

    return bounds


def closed_bounds(difference: int) -> Bounds:
    """Return the bounds of sliding windows, whose end belongs to them."""

    def bounds(last_close: int, close_time: int) -> tuple[int, int] | None:
        last = close_time - difference - 1
        if last < 0:
            return None
        return (0 if last_close == -1 else max(0, last_close - difference)), last

    return bounds
