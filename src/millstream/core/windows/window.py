"""``Window``: an interval of event time; ``Windowed``: a key and its window."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from typing_extensions import Self

from millstream.core.durations import LONG_MAX, event_millis
from millstream.core.errors import IllegalArgumentException, NullPointerException
from millstream.core.java_text import java_text
from millstream.core.java_time import Instant, from_epoch_millis

K = TypeVar("K")


class Window(ABC):
    """An interval of event time in epoch milliseconds; the subclass includes or excludes the end.

    Raises:
        IllegalArgumentException: The start is negative, or the end lies before it.

    Source: ``kstream.Window``.
    """

    __slots__ = ("_end", "_start")

    def __init__(self, startMs: int, endMs: int) -> None:
        plain = type(startMs) is int and type(endMs) is int
        # What is negative or beyond 64 bits has something left of the 63 bits of a time.
        if not plain or (startMs | endMs) >> 63 or endMs < startMs:
            startMs, endMs = _checked(startMs, endMs)
        self._start = startMs
        self._end = endMs

    @property
    def startMs(self) -> int:
        """The first millisecond."""
        return self._start

    @property
    def endMs(self) -> int:
        """The end in epoch milliseconds."""
        return self._end

    def start(self) -> int:
        """Return the first millisecond of the window."""
        return self._start

    def end(self) -> int:
        """Return the end in epoch milliseconds."""
        return self._end

    def startTime(self) -> Instant:
        """Return the first instant of the window, in UTC."""
        return from_epoch_millis(self._start)

    def endTime(self) -> Instant:
        """Return the end, in UTC."""
        return from_epoch_millis(self._end)

    @abstractmethod
    def overlap(self, other: Window) -> bool:
        """Return whether the two share a millisecond.

        Raises:
            IllegalArgumentException: The windows are not of one type.
        """

    def _same_type(self, other: Window) -> None:
        if other is None:
            raise NullPointerException("other cannot be null")
        if type(self) is not type(other):
            raise IllegalArgumentException(
                "Cannot compare windows of different type. "
                f"Other window has type {type(other).__name__}."
            )

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, Window)
            and self._start == other._start
            and self._end == other._end
        )

    def __hash__(self) -> int:
        return hash((self._start, self._end))

    def __str__(self) -> str:
        return f"Window{{startMs={self._start}, endMs={self._end}}}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._start}, {self._end})"


def _checked(start: object, end: object) -> tuple[int, int]:
    """Return a window's times as integers, whatever numbers or times they are.

    Raises:
        IllegalArgumentException: They do not fit into 64 bits, or make no window.
        ClassCastException: They are of another type.
    """
    start_ms, end_ms = event_millis(start, "startMs"), event_millis(end, "endMs")
    if start_ms < 0:
        raise IllegalArgumentException(
            "Window startMs time cannot be negative.", detail=f"It is {start_ms}."
        )
    if end_ms < start_ms:
        raise IllegalArgumentException(
            "Window endMs time cannot be smaller than window startMs time.",
            detail=f"They are {end_ms} and {start_ms}.",
        )
    return start_ms, end_ms


class TimeWindow(Window):
    """``[start, end)``: the end is not included.

    Raises:
        IllegalArgumentException: The start is negative, or the end not after it.
    """

    __slots__ = ()

    def __init__(self, startMs: int, endMs: int) -> None:
        super().__init__(startMs, endMs)
        if startMs == endMs:
            raise IllegalArgumentException(
                "Window endMs must be greater than window startMs.", detail=f"Both are {endMs}."
            )

    @classmethod
    def of_start(cls, start_ms: int, size_ms: int) -> Self:
        """Return the window of that size; its end is at most 2**63 - 1.

        Raises:
            IllegalArgumentException: The start is negative, or already at that limit.
        """
        end_ms = start_ms + size_ms
        if 0 <= start_ms < end_ms <= LONG_MAX:
            window = cls.__new__(cls)
            window._start = start_ms
            window._end = end_ms
            return window
        return cls(start_ms, min(end_ms, LONG_MAX))

    def overlap(self, other: Window) -> bool:
        self._same_type(other)
        return self._start < other._end and other._start < self._end


class SessionWindow(Window):
    """``[start, end]``: from the first to the last event of a session, both included."""

    __slots__ = ()

    @classmethod
    def of_events(cls, first_ms: int, last_ms: int) -> Self:
        """Return the window from one event's time to another's, which were checked before."""
        window = cls.__new__(cls)
        window._start = first_ms
        window._end = last_ms
        return window

    def overlap(self, other: Window) -> bool:
        self._same_type(other)
        return not (other._end < self._start or self._end < other._start)


class UnlimitedWindow(Window):
    """From a start to the end of time."""

    __slots__ = ()

    def __init__(self, startMs: int) -> None:
        super().__init__(startMs, LONG_MAX)

    def overlap(self, other: Window) -> bool:
        """Return True: both windows have no end."""
        self._same_type(other)
        return True


class Windowed(Generic[K]):
    """The key of a windowed result: the record's key and the window.

    Example:
        >>> str(Windowed("clicks", TimeWindow(0, 10)))
        '[clicks@0/10]'

    Source: ``kstream.Windowed``.
    """

    __slots__ = ("_key", "_window")

    def __init__(self, key: K, window: Window) -> None:
        self._key = key
        self._window = window

    def key(self) -> K:
        """Return the key without the window."""
        return self._key

    def window(self) -> Window:
        """Return the window."""
        return self._window

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Windowed)
            and self._key == other._key
            and self._window == other._window
        )

    def __hash__(self) -> int:
        window: object = self._window
        if not isinstance(window, Window):
            return hash((self._key, window))
        return hash((self._key, window._start, window._end))

    def __str__(self) -> str:
        given: object = self._window
        if not isinstance(given, Window):  # in the text of an error it would be one more
            return f"[{java_text(self._key)}@{java_text(given)}]"
        return f"[{java_text(self._key)}@{given.start()}/{given.end()}]"

    def __repr__(self) -> str:
        return f"Windowed({self._key!r}, {self._window!r})"
