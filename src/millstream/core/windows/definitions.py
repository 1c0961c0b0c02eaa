"""Definitions of windows that do not depend on events: time windows and unlimited windows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from typing_extensions import deprecated

from millstream.core.arguments import whole
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
    """A fixed set of windows that does not depend on events.

    Subclass it for your own windows. A store keeps a window's start but not its end, so a key that
    is read from bytes (of a record cache, ``suppress``, or a topic) has a window of ``size()``. A
    key that is forwarded at once has the window that ``windowsFor`` returned.

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
        """Return the windows of an event by their start, in any order.

        The event is added to them in the order of the dict. A window is closed when stream time
        has reached its ``end()`` plus the grace period. Stores have rows by the start.
        """

    @abstractmethod
    def size(self) -> int:
        """Return the length of a window in milliseconds; the largest if lengths differ.

        Size plus grace period is the retention of stores.
        """

    @abstractmethod
    def gracePeriodMs(self) -> int:
        """Return how long after its end a window still takes events, in ms of stream time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeWindows(EarlierWindows, Windows[TimeWindow]):
    """Windows ``[start, end)`` of one size at multiples of an advance, from time 0 on.

    The factories return tumbling windows; ``advanceBy`` returns hopping windows.

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
    """Retention of windows, if the table's ``Materialized`` has none."""

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
        """Return tumbling windows with the grace period ``afterWindowEnd`` of stream time.

        Raises:
            IllegalArgumentException: ``size`` is not positive, or the grace period is negative.
        """
        size_ms = to_millis(size, "size")
        grace_ms = to_millis(afterWindowEnd, "afterWindowEnd")
        return TimeWindows(sizeMs=size_ms, advanceMs=size_ms, grace_ms=grace_ms)

    @staticmethod
    @deprecated("TimeWindows.of() is deprecated: use TimeWindows.ofSizeAndGrace()")
    def of(size: DurationLike) -> TimeWindows:
        """Return tumbling windows as in Kafka 2: size and grace period are 24 hours in sum."""
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
            IllegalArgumentException: ``advance`` is not positive, or larger than the size.
        """
        return replace(self, advanceMs=to_millis(advance, "advance"))

    def windowsFor(self, timestamp: int) -> dict[int, TimeWindow]:
        """Return the windows of an event by their start, earliest first."""
        size, time = self.sizeMs, whole(timestamp, "timestamp")
        return {start: TimeWindow.of_start(start, size) for start in self.starts_for(time)}

    def starts_for(self, timestamp: int) -> range:
        """Return the starts of an event's windows, earliest first."""
        advance = self.advanceMs
        first = max(0, timestamp - self.sizeMs + advance) // advance * advance
        return range(first, timestamp + 1, advance)

    def size(self) -> int:
        return self.sizeMs

    def shortest_ms(self) -> int:
        """Return the length of a window in milliseconds."""
        return self.sizeMs

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
        """Return the window that starts at ``start``; earlier events have no window.

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
        """Return the window by its start; nothing for an earlier event."""
        time = whole(timestamp, "timestamp")
        return {start: UnlimitedWindow(start) for start in self.starts_for(time)}

    def starts_for(self, timestamp: int) -> tuple[int, ...]:
        """Return the start of the window; nothing for an earlier event."""
        return (self.startMs,) if timestamp >= self.startMs else ()

    def size(self) -> int:
        """Return 2**63 - 1."""
        return LONG_MAX

    def gracePeriodMs(self) -> int:
        """Return 0: the window never closes."""
        return 0

    def __str__(self) -> str:
        return f"UnlimitedWindows{{startMs={self.startMs}}}"
