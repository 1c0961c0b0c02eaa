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
    """Origin of a window's grace period."""

    FACTORY = "factory"
    """``of...WithNoGrace`` or ``of...AndGrace``: ``grace`` is refused."""
    RETENTION = "retention"
    """``of`` or ``with_``: a day, or the time given to ``until``, minus the window's size."""
    GIVEN = "given"
    """``grace``."""


class EarlierWindows:
    """Deprecated methods of windows: ``grace``, ``until``, ``maintainMs``, ``segmentInterval``.

    Subclasses are frozen dataclasses with these fields.

    Source: KIP-94, KIP-328; ``kstream.Windows`` of Kafka 2, KIP-633.
    """

    __slots__ = ()

    grace_ms: int
    grace_rule: GraceRule
    retention_ms: int | None

    def gracePeriodMs(self) -> int:
        """Return how long after its end a window still takes events, in ms of stream time."""
        return self.grace_ms

    @abstractmethod
    def shortest_ms(self) -> int:
        """Return the shortest retention: a window's size, or a session's gap, in milliseconds."""

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
                detail="The same is true of all factories whose names end in AndGrace or NoGrace.",
            )
        grace_ms = to_millis(afterWindowEnd, "afterWindowEnd")
        changed: Self = _changed(self, grace_ms=grace_ms, grace_rule=GraceRule.GIVEN)
        return changed

    @deprecated(
        "until() is deprecated: use Materialized.withRetention() for how long windows are kept, "
        "and a factory whose name has AndGrace for how long they take late events"
    )
    def until(self, durationMs: DurationLike) -> Self:
        """Return a copy with that retention.

        It also sets the grace period of windows made by ``of`` or ``with_``, unless ``grace`` was
        called. ``Materialized.withRetention`` has priority.

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
        """Return the shortest retention of a window in milliseconds."""
        return self.maintained_ms()

    @deprecated(
        "segmentInterval() is deprecated: give a retention to the supplier of the store, which "
        "chooses its segments"
    )
    def segmentInterval(self) -> int:
        """Return the width of a store's segments in milliseconds: half of the retention."""
        return max(self.maintained_ms() // 2, _MIN_SEGMENT_MS)

    def maintained_ms(self) -> int:
        """Return the retention of a window if the store has none."""
        kept_ms = self.shortest_ms() + self.gracePeriodMs()
        return kept_ms if self.retention_ms is None else self.retention_ms


def remaining_grace(shortest_ms: int) -> int:
    """Return the grace period of windows made without one: a day minus ``shortest_ms``."""
    return max(DAY_MS - shortest_ms, 0)


def _changed(windows: Any, **changes: Any) -> Any:
    # For a type checker the mixin is not a dataclass.
    return replace(windows, **changes)


class GapOrFactory:
    """Descriptor: ``windows.inactivityGap()`` is the gap; on the class it is KIP-94's factory."""

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
        """Return sessions whose gap and grace period are 24 hours in sum."""
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
