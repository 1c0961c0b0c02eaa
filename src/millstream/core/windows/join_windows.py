"""Windows of a join of two streams."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from typing_extensions import deprecated

from millstream.core.durations import (
    LONG_MAX,
    DurationLike,
    to_millis,
)
from millstream.core.errors import IllegalArgumentException, UnsupportedOperationException
from millstream.core.windows.definitions import Windows
from millstream.core.windows.earlier import (
    EarlierWindows,
    GraceRule,
    check_grace,
    remaining_grace,
)
from millstream.core.windows.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinWindows(EarlierWindows, Windows[Window]):
    """Time difference of the two events of a join: ``[t - before, t + after]``, inclusive.

    Source: ``kstream.JoinWindows``.
    """

    beforeMs: int
    afterMs: int
    grace_ms: int
    grace_rule: GraceRule = field(default=GraceRule.FACTORY, compare=False)
    retention_ms: int | None = None
    spurious_results_fix: bool = True
    """Left and outer results without a partner wait for the window's close; not for ``of``."""

    def __post_init__(self) -> None:
        if not 0 <= self.beforeMs + self.afterMs <= LONG_MAX:
            raise IllegalArgumentException(
                "Window interval (ie, beforeMs+afterMs) must not be negative.",
                detail=f"They are {self.beforeMs} and {self.afterMs}.",
            )
        check_grace(self.grace_ms)

    @staticmethod
    def ofTimeDifferenceWithNoGrace(timeDifference: DurationLike) -> JoinWindows:
        """Return a symmetric window without a grace period."""
        return JoinWindows.ofTimeDifferenceAndGrace(timeDifference, 0)

    @staticmethod
    def ofTimeDifferenceAndGrace(
        timeDifference: DurationLike, afterWindowEnd: DurationLike
    ) -> JoinWindows:
        """Return a symmetric window with the grace period ``afterWindowEnd``.

        Raises:
            IllegalArgumentException: One of the two is negative.
        """
        difference_ms = to_millis(timeDifference, "timeDifference")
        grace_ms = to_millis(afterWindowEnd, "afterWindowEnd")
        return JoinWindows(beforeMs=difference_ms, afterMs=difference_ms, grace_ms=grace_ms)

    @staticmethod
    @deprecated("JoinWindows.of() is deprecated: use JoinWindows.ofTimeDifferenceAndGrace()")
    def of(timeDifference: DurationLike) -> JoinWindows:
        """Return the window as in Kafka 2: 24 hours of grace, results without partner at once."""
        difference_ms = to_millis(timeDifference, "timeDifference")
        return JoinWindows(
            beforeMs=difference_ms,
            afterMs=difference_ms,
            grace_ms=remaining_grace(2 * difference_ms),
            grace_rule=GraceRule.RETENTION,
            spurious_results_fix=False,
        )

    def before(self, timeDifference: DurationLike) -> JoinWindows:
        """Return a copy: the other event may be that much earlier; negative: must be later."""
        return replace(self, beforeMs=to_millis(timeDifference, "timeDifference"))

    def after(self, timeDifference: DurationLike) -> JoinWindows:
        """Return a copy: the other event may be that much later; negative: must be earlier."""
        return replace(self, afterMs=to_millis(timeDifference, "timeDifference"))

    def windowsFor(self, timestamp: int) -> dict[int, Window]:
        """Raise: the windows of a join depend on its events.

        Raises:
            UnsupportedOperationException: Always.
        """
        raise UnsupportedOperationException(
            "windowsFor() is not supported by JoinWindows.", hint="Ask beforeMs and afterMs."
        )

    def size(self) -> int:
        """Return ``before`` plus ``after`` in milliseconds."""
        return self.beforeMs + self.afterMs

    def shortest_ms(self) -> int:
        """Return ``before`` plus ``after`` in milliseconds."""
        return self.size()

    def __str__(self) -> str:
        return (
            f"JoinWindows{{beforeMs={self.beforeMs}, afterMs={self.afterMs}, "
            f"graceMs={self.grace_ms}}}"
        )
