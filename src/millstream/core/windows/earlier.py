"""Window methods of Kafka 0.10 to 3, for programs that still use them."""

from __future__ import annotations

import enum
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from typing_extensions import Self, deprecated

from millstream.core.durations import DurationLike, to_millis
from millstream.core.errors import IllegalArgumentException, IllegalStateException

if TYPE_CHECKING:
    from millstream.core.windows.by_events import SessionWindows

DAY_MS = 24 * 60 * 60 * 1000
"""Default grace period and retention of windows in earlier versions."""

_MIN_SEGMENT_MS = 60_000


class GraceRule(enum.Enum):
    """Where a window's grace period comes from."""

    FACTORY = "factory"
    """``of...WithNoGrace`` or ``of...AndGrace``: it stays."""
    RETENTION = "retention"
    """``of`` or ``with_``: what a day, or the time given to ``until``, leaves."""
    GIVEN = "given"
    """``grace``."""


class EarlierWindows:
    """The deprecated methods of windows that are kept for a while.

    The class that inherits is a frozen dataclass with these fields.

    Source: KIP-94, KIP-328; ``kstream.Windows`` of Kafka 2, KIP-633.
    """

    __slots__ = ()

    grace_ms: int
    grace_rule: GraceRule
    retention_ms: int | None

    @abstractmethod
    def gracePeriodMs(self) -> int:
        """Return the grace period in milliseconds."""

    @abstractmethod
    def shortest_ms(self) -> int:
        """Return the time that an event may change a window without any grace."""

    @deprecated("grace() is deprecated: give the grace period to a factory whose name has AndGrace")
    def grace(self, afterWindowEnd: DurationLike) -> Self:
        """Return a copy with another grace period; for windows made by ``of`` or ``with_``.

        Raises:
            IllegalStateException: Another factory has set it.
            IllegalArgumentException: It is negative.
        """
        if self.grace_rule is GraceRule.FACTORY:
            raise IllegalStateException(
                "Cannot call grace() after setting grace value via ofTimeDifferenceAndGrace or "
                "ofTimeDifferenceWithNoGrace.",
                detail="So have other factories whose names end in AndGrace or NoGrace.",
            )
        grace_ms = to_millis(afterWindowEnd, "afterWindowEnd")
        changed: Self = _changed(self, grace_ms=grace_ms, grace_rule=GraceRule.GIVEN)
        return changed

    @deprecated(
        "until() is deprecated: use Materialized.withRetention() for how long windows are kept, "
        "and a factory whose name has AndGrace for how long they take late events"
    )
    def until(self, durationMs: DurationLike) -> Self:
        """Return a copy that is kept that long.

        Windows made by ``of`` or ``with_`` also take late events that long, unless ``grace`` says
        otherwise. ``Materialized.withRetention`` goes first.

        Raises:
            IllegalArgumentException: It is shorter than a window, or than the gap of a session.
        """
        retention_ms = to_millis(durationMs, "durationMs")
        if retention_ms < self.shortest_ms():
            raise IllegalArgumentException(
                "Window retention time (durationMs) cannot be smaller than the window size.",
                detail=f"They are {retention_ms} and {self.shortest_ms()} ms.",
            )
        grace_ms = self.grace_ms
        if self.grace_rule is GraceRule.RETENTION:
            grace_ms = retention_ms - self.shortest_ms()
        changed: Self = _changed(self, retention_ms=retention_ms, grace_ms=grace_ms)
        return changed

    @deprecated("maintainMs() is deprecated: see Materialized.withRetention()")
    def maintainMs(self) -> int:
        """Return how long a window is kept at least, in milliseconds."""
        return self.maintained_ms()

    @deprecated(
        "segmentInterval() is deprecated: give a retention to the supplier of the store, which "
        "chooses its segments"
    )
    def segmentInterval(self) -> int:
        """Return the width of a store's segments in milliseconds: half of what it keeps."""
        return max(self.maintained_ms() // 2, _MIN_SEGMENT_MS)

    def maintained_ms(self) -> int:
        """Return how long a window is kept if the store does not say it."""
        kept_ms = self.shortest_ms() + self.gracePeriodMs()
        return kept_ms if self.retention_ms is None else self.retention_ms


def remaining_grace(shortest_ms: int) -> int:
    """Return the grace period of windows that are made without one: what a day leaves."""
    return max(DAY_MS - shortest_ms, 0)


def _changed(windows: Any, **changes: Any) -> Any:
    # To a type checker the mixin is no dataclass.
    return replace(windows, **changes)


class GapOrFactory:
    """``windows.inactivityGap()`` tells the gap; ``SessionWindows.inactivityGap(gap)``, of KIP-94,
    made sessions.
    """

    @overload
    def __get__(
        self, windows: None, kind: type[SessionWindows]
    ) -> Callable[[DurationLike], SessionWindows]: ...

    @overload
    def __get__(self, windows: SessionWindows, kind: Any = None) -> Callable[[], int]: ...

    def __get__(self, windows: SessionWindows | None, kind: Any = None) -> Any:
        if windows is None:
            return _sessions(kind)
        gap_ms = windows.gap_ms

        def inactivityGap() -> int:
            """Return the gap that ends a session, in milliseconds."""
            return gap_ms

        return inactivityGap


def _sessions(kind: Any) -> Callable[[DurationLike], SessionWindows]:
    @deprecated(
        "SessionWindows.inactivityGap() as a factory is deprecated: use "
        "SessionWindows.ofInactivityGapAndGrace()"
    )
    def inactivityGap(inactivityGap: DurationLike) -> SessionWindows:
        """Return sessions that take late events for a day, gap included."""
        gap_ms = to_millis(inactivityGap, "inactivityGap")
        grace_ms = remaining_grace(gap_ms)
        made: SessionWindows = kind(
            gap_ms=gap_ms, grace_ms=grace_ms, grace_rule=GraceRule.RETENTION
        )
        return made

    return inactivityGap


def check_grace(grace_ms: int, may: str = "must not") -> None:
    """Refuse a negative grace period."""
    if grace_ms < 0:
        raise IllegalArgumentException(
            f"Grace period {may} be negative.", detail=f"It is {grace_ms}."
        )
