"""Windows that depend on events: sliding windows and sessions."""

from __future__ import annotations

from dataclasses import dataclass, field

from typing_extensions import deprecated

from millstream.core.durations import (
    DurationLike,
    to_millis,
)
from millstream.core.errors import IllegalArgumentException
from millstream.core.windows.earlier import (
    EarlierWindows,
    GapOrFactory,
    GraceRule,
    check_grace,
    remaining_grace,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlidingWindows:
    """Windows ``[t - difference, t]``, both ends included, that slide with the events.

    Source: ``kstream.SlidingWindows``.
    """

    difference_ms: int
    grace_ms: int

    def __str__(self) -> str:
        return f"SlidingWindows{{, sizeMs={self.difference_ms}, graceMs={self.grace_ms}}}"

    def __post_init__(self) -> None:
        if self.difference_ms < 0:
            raise IllegalArgumentException(
                "Window time difference must not be negative.",
                detail=f"It is {self.difference_ms}.",
            )
        if self.grace_ms < 0:
            raise IllegalArgumentException(
                "Window grace period must not be negative.", detail=f"It is {self.grace_ms}."
            )

    @staticmethod
    def ofTimeDifferenceWithNoGrace(timeDifference: DurationLike) -> SlidingWindows:
        """Return windows of that width without a grace period."""
        return SlidingWindows.ofTimeDifferenceAndGrace(timeDifference, 0)

    @staticmethod
    def ofTimeDifferenceAndGrace(
        timeDifference: DurationLike, afterWindowEnd: DurationLike
    ) -> SlidingWindows:
        """Return windows of that width with the grace period ``afterWindowEnd``.

        Raises:
            IllegalArgumentException: One of the two is negative.
        """
        return SlidingWindows(
            difference_ms=to_millis(timeDifference, "timeDifference"),
            grace_ms=to_millis(afterWindowEnd, "afterWindowEnd"),
        )

    @staticmethod
    @deprecated(
        "SlidingWindows.withTimeDifferenceAndGrace() is deprecated: use "
        "SlidingWindows.ofTimeDifferenceAndGrace()"
    )
    def withTimeDifferenceAndGrace(
        timeDifference: DurationLike, grace: DurationLike
    ) -> SlidingWindows:
        """Return the result of ``ofTimeDifferenceAndGrace``."""
        return SlidingWindows.ofTimeDifferenceAndGrace(timeDifference, grace)

    def timeDifferenceMs(self) -> int:
        """Return the largest time between two events of one window."""
        return self.difference_ms

    def gracePeriodMs(self) -> int:
        """Return how long after its end a window still takes events, in ms of stream time."""
        return self.grace_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionWindows(EarlierWindows):
    """Windows that grow with a key's events and end after a gap without events.

    Source: ``kstream.SessionWindows``.
    """

    gap_ms: int
    grace_ms: int
    grace_rule: GraceRule = field(default=GraceRule.FACTORY, compare=False)
    retention_ms: int | None = None
    """Retention of windows, if the table's ``Materialized`` has none."""

    def __post_init__(self) -> None:
        if self.gap_ms < 0:
            raise IllegalArgumentException(
                "Gap time cannot be negative.", detail=f"It is {self.gap_ms}."
            )
        check_grace(self.grace_ms, "cannot")

    @staticmethod
    def ofInactivityGapWithNoGrace(inactivityGap: DurationLike) -> SessionWindows:
        """Return sessions without a grace period."""
        return SessionWindows.ofInactivityGapAndGrace(inactivityGap, 0)

    @staticmethod
    def ofInactivityGapAndGrace(
        inactivityGap: DurationLike, afterWindowEnd: DurationLike
    ) -> SessionWindows:
        """Return sessions with the grace period ``afterWindowEnd`` of stream time.

        Args:
            inactivityGap: Two events this far apart, or less, belong to one session.
            afterWindowEnd: Counted from the end of the gap.

        Raises:
            IllegalArgumentException: One of the two is negative.
        """
        return SessionWindows(
            gap_ms=to_millis(inactivityGap, "inactivityGap"),
            grace_ms=to_millis(afterWindowEnd, "afterWindowEnd"),
        )

    @staticmethod
    @deprecated(
        "SessionWindows.with_() is deprecated: use SessionWindows.ofInactivityGapAndGrace()"
    )
    def with_(inactivityGap: DurationLike) -> SessionWindows:
        """Return sessions as in Kafka 2: gap and grace period are 24 hours in sum."""
        gap_ms = to_millis(inactivityGap, "inactivityGap")
        grace_ms = remaining_grace(gap_ms)
        return SessionWindows(gap_ms=gap_ms, grace_ms=grace_ms, grace_rule=GraceRule.RETENTION)

    inactivityGap = GapOrFactory()

    def shortest_ms(self) -> int:
        """Return the gap in milliseconds."""
        return self.gap_ms

    def __str__(self) -> str:
        return f"SessionWindows{{gapMs={self.gap_ms}, graceMs={self.grace_ms}}}"
