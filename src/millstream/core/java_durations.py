"""``Duration``: Java's names over Python's ``timedelta``."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, ClassVar, overload

from typing_extensions import Self

from millstream.core.durations import to_epoch_millis, to_millis
from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.java_shapes import java_duration
from millstream.core.java_units import (
    ChronoUnit,
    far,
    long_or_refuse,
    nanos_of,
    towards_zero,
    unit_or_refuse,
    whole_number,
)
from millstream.core.wording import a_kind

_TEXT = re.compile(
    r"(?P<sign>[-+]?)P(?:(?P<days>[-+]?\d+)D)?(?:T(?=.)(?:(?P<hours>[-+]?\d+)H)?"
    r"(?:(?P<minutes>[-+]?\d+)M)?(?:(?P<seconds>[-+]?\d+)(?:[.,](?P<fraction>\d{0,9}))?S)?)?",
    re.IGNORECASE | re.ASCII,
)


class Duration(timedelta):
    """A length of time, made and read with Java's method names; it is a ``timedelta``.

    Wherever millstream takes a duration it takes this class, a plain ``timedelta`` or integer
    milliseconds. It counts microseconds, not nanoseconds. ``plus`` and its like return a
    ``Duration``, operators a ``timedelta``. Beyond what a ``timedelta`` can hold, some 2.7 million
    years, it keeps its milliseconds, and operators see the longest ``timedelta``.

    Source: ``java.time.Duration``.

    Example:
        >>> Duration.ofMinutes(5).plus(Duration.ofSeconds(1)).toMillis()
        301000
        >>> Duration.ofHours(1) == timedelta(hours=1)
        True
    """

    ZERO: ClassVar[Duration]

    far_ms: int | None = None
    """The length in milliseconds where a ``timedelta`` cannot hold it."""

    @classmethod
    def of_timedelta(cls, value: timedelta) -> Self:
        """Return a ``timedelta`` as a duration."""
        made = cls(days=value.days, seconds=value.seconds, microseconds=value.microseconds)
        if (far_ms := far(value)) is not None:
            made.far_ms = far_ms
        return made

    @classmethod
    def ofDays(cls, days: int) -> Self:
        """Return a duration of whole days of 24 hours."""
        return cls.ofMillis(whole_number(days, "days") * 86_400_000)

    @classmethod
    def ofHours(cls, hours: int) -> Self:
        """Return a duration of whole hours."""
        return cls.ofMillis(whole_number(hours, "hours") * 3_600_000)

    @classmethod
    def ofMinutes(cls, minutes: int) -> Self:
        """Return a duration of whole minutes."""
        return cls.ofMillis(whole_number(minutes, "minutes") * 60_000)

    @classmethod
    def ofSeconds(cls, seconds: int) -> Self:
        """Return a duration of whole seconds."""
        return cls.ofMillis(whole_number(seconds, "seconds") * 1000)

    @classmethod
    def ofMillis(cls, millis: int) -> Self:
        """Return a duration of whole milliseconds.

        Raises:
            IllegalArgumentException: They do not fit into 64 bits.
        """
        try:
            return cls(milliseconds=whole_number(millis, "millis"))
        except OverflowError:
            made = cls.of_timedelta(timedelta.max if millis > 0 else timedelta.min)
            made.far_ms = long_or_refuse(millis, "ms", "a duration")
            return made

    @classmethod
    def ofNanos(cls, nanos: int) -> Self:
        """Return a duration of nanoseconds, rounded towards zero to whole microseconds."""
        return cls._of_nanos(whole_number(nanos, "nanos"))

    @classmethod
    def of(cls, amount: int, unit: ChronoUnit) -> Self:
        """Return a duration of a number of units.

        Example:
            >>> Duration.of(5, ChronoUnit.MINUTES).toMillis()
            300000
        """
        return cls._of_nanos(whole_number(amount, "amount") * unit_or_refuse(unit).value)

    @classmethod
    def _of_nanos(cls, nanos: int) -> Self:
        micros = towards_zero(nanos, 1000)
        try:
            return cls(microseconds=micros)
        except OverflowError:
            return cls.ofMillis(towards_zero(micros, 1000))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the duration of a text such as ``PT1H30M``, as ``str`` writes it.

        Raises:
            IllegalArgumentException: The text has another form.

        Example:
            >>> Duration.parse("PT1M30.5S").toMillis()
            90500
        """
        found = _TEXT.fullmatch(text) if isinstance(text, str) else None
        parts = {} if found is None else found.groupdict()
        sign = parts.pop("sign", "")
        if found is None or not any(parts.values()):
            raise IllegalArgumentException(
                f"{text!r} is not a duration", hint='Write it as "PT1H30M" or "P1DT0.5S".'
            )
        days, hours, minutes, seconds = (
            int(parts[each] or 0) for each in ("days", "hours", "minutes", "seconds")
        )
        whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
        below = int((parts["fraction"] or "").ljust(9, "0"))
        below = -below if (parts["seconds"] or "").startswith("-") else below
        nanos = whole * ChronoUnit.SECONDS.value + below
        return cls._of_nanos(-nanos if sign == "-" else nanos)

    @classmethod
    def between(cls, startInclusive: datetime, endExclusive: datetime) -> Self:
        """Return the time from one instant to another; negative if the second is earlier."""
        if far(startInclusive) is None and far(endExclusive) is None:
            return cls.of_timedelta(endExclusive - startInclusive)
        end_ms = to_epoch_millis(endExclusive, "endExclusive")
        return cls.ofMillis(end_ms - to_epoch_millis(startInclusive, "startInclusive"))

    def toMillis(self) -> int:
        """Return the length in whole milliseconds, rounded towards zero."""
        return to_millis(self, "duration")

    def toNanos(self) -> int:
        """Return the length in nanoseconds.

        Raises:
            IllegalArgumentException: They do not fit into 64 bits: more than 292 years.
        """
        return long_or_refuse(nanos_of(self), "nanoseconds", "a number")

    def toSeconds(self) -> int:
        """Return the length in whole seconds, rounded down."""
        return self // timedelta(seconds=1) if self.far_ms is None else self.far_ms // 1000

    getSeconds = toSeconds

    def toMinutes(self) -> int:
        """Return the length in whole minutes, rounded towards zero."""
        return towards_zero(self.toMillis(), 60_000)

    def toHours(self) -> int:
        """Return the length in whole hours, rounded towards zero."""
        return towards_zero(self.toMillis(), 3_600_000)

    def toDays(self) -> int:
        """Return the length in whole days, rounded towards zero."""
        return towards_zero(self.toMillis(), 86_400_000)

    def isZero(self) -> bool:
        """Return whether the length is 0."""
        return not self

    def isNegative(self) -> bool:
        """Return whether the length is below 0."""
        return self < timedelta(0)

    def isPositive(self) -> bool:
        """Return whether the length is above 0."""
        return self > timedelta(0)

    def compareTo(self, otherDuration: timedelta) -> int:
        """Return -1, 0 or 1: this duration is shorter, equal or longer."""
        mine, other = nanos_of(self), nanos_of(otherDuration)
        return (mine > other) - (mine < other)

    @overload
    def plus(self, duration: timedelta) -> Self: ...
    @overload
    def plus(self, duration: int, unit: ChronoUnit) -> Self: ...
    def plus(self, duration: timedelta | int, unit: ChronoUnit | None = None) -> Self:
        """Return the sum; of a number and a unit, too.

        Raises:
            ClassCastException: It is a number without a unit.
        """
        added = length(duration, unit)
        if self.far_ms is None and added.far_ms is None:
            with suppress(OverflowError):
                return self.of_timedelta(self + added)
        return self.ofMillis(self.toMillis() + added.toMillis())

    def plusDays(self, days: int) -> Self:
        """Return a duration that is longer by whole days of 24 hours."""
        return self.plus(Duration.ofDays(days))

    def plusHours(self, hours: int) -> Self:
        """Return a duration that is longer by whole hours."""
        return self.plus(Duration.ofHours(hours))

    def plusMinutes(self, minutes: int) -> Self:
        """Return a duration that is longer by whole minutes."""
        return self.plus(Duration.ofMinutes(minutes))

    def plusSeconds(self, seconds: int) -> Self:
        """Return a duration that is longer by whole seconds."""
        return self.plus(Duration.ofSeconds(seconds))

    def plusMillis(self, millis: int) -> Self:
        """Return a duration that is longer by whole milliseconds."""
        return self.plus(Duration.ofMillis(millis))

    def plusNanos(self, nanos: int) -> Self:
        """Return a duration that is longer by nanoseconds, in whole microseconds."""
        return self.plus(Duration.ofNanos(nanos))

    @overload
    def minus(self, duration: timedelta) -> Self: ...
    @overload
    def minus(self, duration: int, unit: ChronoUnit) -> Self: ...
    def minus(self, duration: timedelta | int, unit: ChronoUnit | None = None) -> Self:
        """Return the difference; of a number and a unit, too."""
        return self.plus(length(duration, unit).negated())

    def minusDays(self, days: int) -> Self:
        """Return a duration that is shorter by whole days of 24 hours."""
        return self.minus(Duration.ofDays(days))

    def minusHours(self, hours: int) -> Self:
        """Return a duration that is shorter by whole hours."""
        return self.minus(Duration.ofHours(hours))

    def minusMinutes(self, minutes: int) -> Self:
        """Return a duration that is shorter by whole minutes."""
        return self.minus(Duration.ofMinutes(minutes))

    def minusSeconds(self, seconds: int) -> Self:
        """Return a duration that is shorter by whole seconds."""
        return self.minus(Duration.ofSeconds(seconds))

    def minusMillis(self, millis: int) -> Self:
        """Return a duration that is shorter by whole milliseconds."""
        return self.minus(Duration.ofMillis(millis))

    def minusNanos(self, nanos: int) -> Self:
        """Return a duration that is shorter by nanoseconds, in whole microseconds."""
        return self.minus(Duration.ofNanos(nanos))

    def multipliedBy(self, multiplicand: int) -> Self:
        """Return a multiple."""
        times = whole_number(multiplicand, "multiplicand")
        if self.far_ms is None:
            with suppress(OverflowError):
                return self.of_timedelta(self * times)
        return self.ofMillis(self.toMillis() * times)

    @overload
    def dividedBy(self, divisor: int) -> Self: ...
    @overload
    def dividedBy(self, divisor: timedelta) -> int: ...
    def dividedBy(self, divisor: int | timedelta) -> Self | int:
        """Return a whole fraction, in microseconds; of a duration, how often it fits in.

        Both are rounded towards zero.
        """
        if isinstance(divisor, timedelta):
            return towards_zero(nanos_of(self), nanos_of(divisor))
        return self._of_nanos(towards_zero(nanos_of(self), whole_number(divisor, "divisor")))

    def truncatedTo(self, unit: ChronoUnit) -> Self:
        """Return the duration in whole units, rounded towards zero.

        Example:
            >>> Duration.ofMillis(1_500).truncatedTo(ChronoUnit.SECONDS).toMillis()
            1000
        """
        one = unit_or_refuse(unit).value
        return self._of_nanos(towards_zero(nanos_of(self), one) * one)

    def abs(self) -> Self:
        """Return the duration without its sign."""
        return self.negated() if self.isNegative() else self

    def negated(self) -> Self:
        """Return the duration with the other sign."""
        if self.far_ms is None:
            with suppress(OverflowError):
                return self.of_timedelta(-self)
        return self.ofMillis(-self.toMillis())

    def __reduce__(self) -> tuple[Any, ...]:
        if self.far_ms is None:
            return type(self), (self.days, self.seconds, self.microseconds)
        return type(self).ofMillis, (self.far_ms,)

    def toString(self) -> str:
        """Return Java's text, such as ``PT1H30M``; ``str`` does, too."""
        return java_duration(self if self.far_ms is None else self.far_ms)

    __str__ = toString


Duration.ZERO = Duration()


def length(duration: Any, unit: ChronoUnit | None = None) -> Duration:
    """Return a duration, or a number of units, as a duration.

    Raises:
        ClassCastException: It is a number without a unit, or something else.
    """
    if unit is not None:
        return Duration.of(duration, unit)
    if isinstance(duration, timedelta):
        return duration if isinstance(duration, Duration) else Duration.of_timedelta(duration)
    raise ClassCastException(
        f"duration cannot be {a_kind(duration)}",
        hint="Give a Duration or timedelta, or a number and a unit, such as ChronoUnit.MINUTES.",
    )
