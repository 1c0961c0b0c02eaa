"""``ChronoUnit``, and the numbers of Java's durations and instants."""

from __future__ import annotations

import enum
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from millstream.core.durations import LONG_MAX, LONG_MIN
from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.wording import a_kind

if TYPE_CHECKING:
    from millstream.core.java_durations import Duration

_ONE_MICRO = timedelta(microseconds=1)


class ChronoUnit(enum.Enum):
    """A unit of time with a fixed length; its value is its length in nanoseconds.

    Java's longer units, from ``WEEKS`` on, are left out: no method of its ``Duration`` and
    ``Instant`` takes them.

    Source: ``java.time.temporal.ChronoUnit``.

    Example:
        >>> from millstream import Duration, Instant
        >>> Duration.of(90, ChronoUnit.SECONDS).toMinutes()
        1
        >>> ChronoUnit.MINUTES.between(Instant.EPOCH, Instant.ofEpochSecond(150))
        2
    """

    NANOS = 1
    MICROS = 1_000
    MILLIS = 1_000_000
    SECONDS = 1_000_000_000
    MINUTES = 60_000_000_000
    HOURS = 3_600_000_000_000
    HALF_DAYS = 43_200_000_000_000
    DAYS = 86_400_000_000_000

    def getDuration(self) -> Duration:
        """Return the unit's length; of a nanosecond 0, as durations count microseconds."""
        from millstream.core.java_durations import Duration

        return Duration.of(1, self)

    def between(self, temporal1Inclusive: datetime, temporal2Exclusive: datetime) -> int:
        """Return how many whole units lie between two instants; negative if the second is earlier.

        Raises:
            IllegalArgumentException: They do not fit into 64 bits.
        """
        from millstream.core.java_durations import Duration

        passed = Duration.between(temporal1Inclusive, temporal2Exclusive)
        return long_or_refuse(towards_zero(nanos_of(passed), self.value), "units", "a number")


def nanos_of(duration: timedelta) -> int:
    """Return the length of a duration in nanoseconds."""
    far_ms = far(duration)
    return duration // _ONE_MICRO * 1000 if far_ms is None else far_ms * 1_000_000


def far(value: object) -> int | None:
    """Return the milliseconds that are beyond a ``timedelta`` or ``datetime``; None for others."""
    return getattr(value, "far_ms", None)


def long_or_refuse(number: int, unit: str, what: str) -> int:
    """Return a number that fits into 64 bits.

    Raises:
        IllegalArgumentException: It does not fit.
    """
    if LONG_MIN <= number <= LONG_MAX:
        return number
    raise IllegalArgumentException(
        f"{number} {unit} are too many for {what}", detail="They do not fit into 64 bits."
    )


def whole_number(value: Any, name: str) -> int:
    """Return an integer.

    Raises:
        ClassCastException: It is something else.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ClassCastException(
        f"{name} cannot be {a_kind(value)}", hint="Give an integer, as Java's method takes a long."
    )


def unit_or_refuse(unit: Any) -> ChronoUnit:
    """Return a unit of time.

    Raises:
        ClassCastException: It is something else.
    """
    if isinstance(unit, ChronoUnit):
        return unit
    raise ClassCastException(
        f"unit cannot be {a_kind(unit)}", hint="Give one of ChronoUnit, such as ChronoUnit.MINUTES."
    )


def towards_zero(number: int, divisor: int) -> int:
    """Return a whole fraction, rounded towards zero as Java does."""
    found = abs(number) // abs(divisor)
    return found if (number < 0) == (divisor < 0) else -found
