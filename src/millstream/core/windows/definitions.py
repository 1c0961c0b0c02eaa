"""Definitions of windows that are known before any event is seen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from typing_extensions import deprecated

from millstream.core.durations import (
    LONG_MAX,
    DurationLike,
    InstantLike,
    to_epoch_millis,
    to_millis,
)
from millstream.core.errors import IllegalArgumentException
from millstream.core.windows.earlier import (
    EarlierWindows,
    GraceRule,
    check_grace,
    remaining_grace,
)
from millstream.core.windows.window import TimeWindow, UnlimitedWindow, Window

W = TypeVar("W", bound=Window)


class Windows(ABC, Generic[W]):
    """A fixed set of windows, known before any event is seen.

    Subclass it for windows of your own. A store keeps a window's start and no end, so a key that
    is read back from one (out of a record cache, of ``suppress``, of a topic) has a window of
    ``size()``; what is forwarded at once has the window that ``windowsFor`` returned.

    Example:
        >>> class Shifts(Windows[TimeWindow]):
        ...     def windowsFor(self, timestamp):
        ...         start = timestamp - timestamp % 8
        ...         return {start: TimeWindow(start, start + 7)}
        ...     def size(self):
        ...         return 8
        ...     def gracePeriodMs(self):
        ...         return 0
        >>> Shifts().windowsFor(19)
        {16: TimeWindow(16, 23)}

    Source: ``kstream.Windows``.
    """

    __slots__ = ()

    @abstractmethod
    def windowsFor(self, timestamp: int) -> dict[int, W]:
        """Return the windows that an event falls into by their start, in any order.

        The event is added to them in the order of the dict. A window is closed when stream time
        has reached its own ``end()`` and the grace period. Stores keep rows by the start.
        """

    @abstractmethod
    def size(self) -> int:
        """Return the length of a window in milliseconds, of the longest if they differ.

        With the grace period it is how long stores keep windows.
        """

    @abstractmethod
    def gracePeriodMs(self) -> int:
        """Return how long after its end a window still takes events, in ms of stream time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeWindows(EarlierWindows, Windows[TimeWindow]):
    """Windows ``[start, end)`` of one size at multiples of an advance, from time 0 on.

    Tumbling as made by the factories; ``advanceBy`` makes them hop.

    Example:
        >>> hopping = TimeWindows.ofSizeWithNoGrace(10).advanceBy(5)
        >>> list(hopping.windowsFor(12).values())
        [TimeWindow(5, 15), TimeWindow(10, 20)]

    Source: ``kstream.TimeWindows``.
    """

    sizeMs: int
    advanceMs: int
    grace_ms: int
    grace_rule: GraceRule = field(default=GraceRule.FACTORY, compare=False)
    retention_ms: int | None = None
    """How long windows are kept, if the table's ``Materialized`` does not say it."""

    def __post_init__(self) -> None:
        if self.sizeMs <= 0:
            raise IllegalArgumentException(
                "Window size (sizeMs) must be larger than zero.", detail=f"It is {self.sizeMs}."
            )
        if not 0 < self.advanceMs <= self.sizeMs:
            raise IllegalArgumentException(
                "Window advancement interval should be more than zero and less than window "
                f"duration which is {self.sizeMs} ms, but given advancement interval is: "
                f"{self.advanceMs} ms"
            )
        check_grace(self.grace_ms)

    @staticmethod
    def ofSizeWithNoGrace(size: DurationLike) -> TimeWindows:
        """Return tumbling windows that are closed as soon as stream time reaches their end."""
        return TimeWindows.ofSizeAndGrace(size, 0)

    @staticmethod
    def ofSizeAndGrace(size: DurationLike, afterWindowEnd: DurationLike) -> TimeWindows:
        """Return tumbling windows that take late events for ``afterWindowEnd`` of stream time.

        Raises:
            IllegalArgumentException: ``size`` is not above zero, or the grace below it.
        """
        size_ms = to_millis(size, "size")
        grace_ms = to_millis(afterWindowEnd, "afterWindowEnd")
        return TimeWindows(sizeMs=size_ms, advanceMs=size_ms, grace_ms=grace_ms)

    @staticmethod
    @deprecated("TimeWindows.of() is deprecated: use TimeWindows.ofSizeAndGrace()")
    def of(size: DurationLike) -> TimeWindows:
        """Return tumbling windows as Kafka 2 did: size and grace are 24 hours together."""
        size_ms = to_millis(size, "size")
        return TimeWindows(
            sizeMs=size_ms,
            advanceMs=size_ms,
            grace_ms=remaining_grace(size_ms),
            grace_rule=GraceRule.RETENTION,
        )

    def advanceBy(self, advance: DurationLike) -> TimeWindows:
        """Return windows of this size that start every ``advance``.

        Raises:
            IllegalArgumentException: ``advance`` is not above zero, or larger than the size.
        """
        return replace(self, advanceMs=to_millis(advance, "advance"))

    def windowsFor(self, timestamp: int) -> dict[int, TimeWindow]:
        """Return the windows that an event falls into, by their start, earliest first."""
        size = self.sizeMs
        return {start: TimeWindow.of_start(start, size) for start in self.starts_for(timestamp)}

    def starts_for(self, timestamp: int) -> range:
        """Return the starts of the windows that an event falls into, earliest first."""
        advance = self.advanceMs
        first = max(0, timestamp - self.sizeMs + advance) // advance * advance
        return range(first, timestamp + 1, advance)

    def size(self) -> int:
        """Return the length of a window in milliseconds."""
        return self.sizeMs

    def shortest_ms(self) -> int:
        """Return the length of a window in milliseconds."""
        return self.sizeMs

    def gracePeriodMs(self) -> int:
        """Return how long after its end a window still takes events, in ms of stream time."""
        return self.grace_ms

    def __str__(self) -> str:
        return (
            f"TimeWindows{{, sizeMs={self.sizeMs}, advanceMs={self.advanceMs}, "
            f"graceMs={self.grace_ms}}}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlimitedWindows(Windows[UnlimitedWindow]):
    """One window from a start, 0 unless ``startOn`` says otherwise, to the end of time.

    Source: ``kstream.UnlimitedWindows``.
    """

    startMs: int = 0

    @staticmethod
    def of() -> UnlimitedWindows:
        """Return the window that starts at time 0."""
        return UnlimitedWindows()

    def startOn(self, start: InstantLike) -> UnlimitedWindows:
        """Return the window that starts at ``start``; earlier events fall into none.

        Raises:
            IllegalArgumentException: ``start`` is negative.
        """
        start_ms = to_epoch_millis(start, "start")
        if start_ms < 0:
            raise IllegalArgumentException(
                "Window start time (startMs) cannot be negative.", detail=f"It is {start_ms}."
            )
        return UnlimitedWindows(startMs=start_ms)

    @deprecated("until() is deprecated: an unlimited window is kept for ever")
    def until(self, durationMs: DurationLike) -> UnlimitedWindows:
        """Raise: the window never ends.

        Raises:
            IllegalArgumentException: Always.
        """
        raise IllegalArgumentException(
            "Window retention time (durationMs) cannot be set for UnlimitedWindows.",
            detail=f"It is {to_millis(durationMs, 'durationMs')} ms.",
        )

    def windowsFor(self, timestamp: int) -> dict[int, UnlimitedWindow]:
        """Return the one window by its start, or nothing for an event before it."""
        return {start: UnlimitedWindow(start) for start in self.starts_for(timestamp)}

    def starts_for(self, timestamp: int) -> tuple[int, ...]:
        """Return the start of the window if the event falls into it."""
        return (self.startMs,) if timestamp >= self.startMs else ()

    def size(self) -> int:
        """Return 2**63 - 1."""
        return LONG_MAX

    def gracePeriodMs(self) -> int:
        """Return 0: the window never closes."""
        return 0

    def __str__(self) -> str:
        return f"UnlimitedWindows{{startMs={self.startMs}}}"
