"""Windows of a record: stock ones by arithmetic, a user's by calling ``windowsFor``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any

from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.windows import TimeWindow, TimeWindows, UnlimitedWindow, UnlimitedWindows
from millstream.core.wording import a_kind

Opening = tuple[int, int, Any]
"""A window's start, its end, and the window; None where it is cheap to make later."""

_STOCK = (TimeWindows.windowsFor, UnlimitedWindows.windowsFor)


def are_stock(windows: Any) -> bool:
    """Return whether a start is all there is to know of each of these windows.

    A subclass may have any other windows.
    """
    return getattr(type(windows), "windowsFor", None) in _STOCK


def opener(windows: Any) -> Callable[[int], Sequence[Opening]]:
    """Return what tells, for a time, the windows that a record of that time falls into."""
    if not are_stock(windows):
        return GivenWindows(windows)
    starts_for, size = windows.starts_for, windows.size()

    def opened(timestamp: int) -> list[Opening]:
        return [(start, start + size, None) for start in starts_for(timestamp)]

    return opened


def window_maker(windows: Any) -> Callable[[int], Any]:
    """Return what makes the stock window that begins at a time."""
    if isinstance(windows, TimeWindows):
        size = windows.sizeMs
        return lambda start: TimeWindow.of_start(start, size)
    return UnlimitedWindow


class GivenWindows:
    """Asks a user's windows, in the order of their own, and checks what they say once per type."""

    def __init__(self, windows: Any) -> None:
        self._windows = windows
        self._seen: set[type] = set()

    def __call__(self, timestamp: int) -> list[Opening]:
        """Return the windows of a time.

        Raises:
            ClassCastException: ``windowsFor`` does not return windows by their starts.
            IllegalArgumentException: A window was made without its start and end.
        """
        found = self._windows.windowsFor(timestamp)
        if not isinstance(found, Mapping):
            raise ClassCastException(
                f"windowsFor() of {self._name()} returned {a_kind(found)}",
                hint="Return a dict of each window's start to the window.",
            )
        opened: list[Opening] = []
        for start, window in found.items():
            if type(window) not in self._seen:
                self._check(start, window)
            opened.append((index(start), window.end(), window))
        return opened

    def _check(self, start: Any, window: Any) -> None:
        if not hasattr(start, "__index__") or not callable(getattr(window, "end", None)):
            raise ClassCastException(
                f"windowsFor() of {self._name()} returned {{{start!r}: {window!r}}}",
                hint="Return a dict of each window's start, an int in ms, to the Window.",
            )
        if not hasattr(window, "_start"):
            raise IllegalArgumentException(
                f"{a_kind(window)} does not know its start and end",
                hint="Call super().__init__(startMs, endMs) in its __init__.",
            )
        self._seen.add(type(window))

    def _name(self) -> str:
        return type(self._windows).__name__
