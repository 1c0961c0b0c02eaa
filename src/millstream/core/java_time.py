"""``Duration`` and ``Instant``: Java's names over Python's ``timedelta`` and ``datetime``."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any, ClassVar

from typing_extensions import Self

from millstream.core.durations import EPOCH, ONE_MS, to_epoch_millis
from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.java_shapes import java_duration
from millstream.core.wording import a_kind


class Duration(timedelta):
    """A length of time, made and read with Java's method names; it is a ``timedelta``.

    Wherever millstream takes a duration it takes this class, a plain ``timedelta`` or integer
    milliseconds. It counts microseconds, not nanoseconds. ``plus`` and its like return a
    ``Duration``, operators a ``timedelta``.

    Source: ``java.time.Duration``.

    Example:
        >>> Duration.ofMinutes(5).plus(Duration.ofSeconds(1)).toMillis()
        301000
        >>> Duration.ofHours(1) == timedelta(hours=1)
        True
    """

    ZERO: ClassVar[Duration]

    @classmethod
    def of_timedelta(cls, value: timedelta) -> Self:
        """Return a ``timedelta`` as a duration."""
        return cls(days=value.days, seconds=value.seconds, microseconds=value.microseconds)

    @classmethod
    def ofDays(cls, days: int) -> Self:
        """Return a duration of whole days of 24 hours."""
        return cls(days=_whole(days, "days"))

    @classmethod
    def ofHours(cls, hours: int) -> Self:
        """Return a duration of whole hours."""
        return cls(hours=_whole(hours, "hours"))

    @classmethod
    def ofMinutes(cls, minutes: int) -> Self:
        """Return a duration of whole minutes."""
        return cls(minutes=_whole(minutes, "minutes"))

    @classmethod
    def ofSeconds(cls, seconds: int) -> Self:
        """Return a duration of whole seconds."""
        return cls(seconds=_whole(seconds, "seconds"))

    @classmethod
    def ofMillis(cls, millis: int) -> Self:
        """Return a duration of whole milliseconds."""
        return cls(milliseconds=_whole(millis, "millis"))

    @classmethod
    def between(cls, startInclusive: datetime, endExclusive: datetime) -> Self:
        """Return the time from one instant to another; negative if the second is earlier."""
        return cls.of_timedelta(endExclusive - startInclusive)

    def toMillis(self) -> int:
        """Return the length in whole milliseconds, rounded towards zero."""
        return _towards_zero(self, ONE_MS)

    def toSeconds(self) -> int:
        """Return the length in whole seconds, rounded down."""
        return self // timedelta(seconds=1)

    getSeconds = toSeconds

    def toMinutes(self) -> int:
        """Return the length in whole minutes, rounded towards zero."""
        return _towards_zero(self, timedelta(minutes=1))

    def toHours(self) -> int:
        """Return the length in whole hours, rounded towards zero."""
        return _towards_zero(self, timedelta(hours=1))

    def toDays(self) -> int:
        """Return the length in whole days, rounded towards zero."""
        return _towards_zero(self, timedelta(days=1))

    def isZero(self) -> bool:
        """Return whether the length is 0."""
        return not self

    def isNegative(self) -> bool:
        """Return whether the length is below 0."""
        return self < timedelta(0)

    def plus(self, duration: timedelta) -> Self:
        """Return the sum."""
        return self.of_timedelta(self + duration)

    def plusMillis(self, millis: int) -> Self:
        """Return a duration that is longer by whole milliseconds."""
        return self.plus(timedelta(milliseconds=_whole(millis, "millis")))

    def plusSeconds(self, seconds: int) -> Self:
        """Return a duration that is longer by whole seconds."""
        return self.plus(timedelta(seconds=_whole(seconds, "seconds")))

    def minus(self, duration: timedelta) -> Self:
        """Return the difference."""
        return self.of_timedelta(self - duration)

    def multipliedBy(self, multiplicand: int) -> Self:
        """Return a multiple."""
        return self.of_timedelta(self * _whole(multiplicand, "multiplicand"))

    def dividedBy(self, divisor: int) -> Self:
        """Return a whole fraction, in microseconds, rounded down."""
        return self.of_timedelta(self // _whole(divisor, "divisor"))

    def negated(self) -> Self:
        """Return the duration with the other sign."""
        return self.of_timedelta(-self)

    def toString(self) -> str:
        """Return Java's text, such as ``PT1H30M``; ``str`` does, too."""
        return java_duration(self)

    __str__ = toString


Duration.ZERO = Duration()


class Instant(datetime):
    """A point in time in UTC, made and read with Java's method names; it is a ``datetime``.

    Wherever millstream takes a point in time it takes this class, an aware ``datetime`` or integer
    milliseconds since 1970-01-01T00:00Z. It counts microseconds and ends with the year 9999.

    Source: ``java.time.Instant``.

    Example:
        >>> Instant.ofEpochMilli(1_500).plusMillis(500).toEpochMilli()
        2000
        >>> Instant.parse("1970-01-01T00:00:01Z").getEpochSecond()
        1
    """

    EPOCH: ClassVar[Instant]

    @classmethod
    def of_datetime(cls, value: datetime) -> Self:
        """Return an aware ``datetime`` as an instant.

        Raises:
            IllegalArgumentException: It has no time zone.
        """
        if value.tzinfo is None:
            raise IllegalArgumentException(
                f"{value!r} has no time zone",
                hint="Make it with datetime(..., tzinfo=timezone.utc).",
            )
        utc = value.astimezone(timezone.utc)
        return cls(*utc.timetuple()[:6], utc.microsecond, timezone.utc)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """Return the present time; a time zone makes no difference to it."""
        return cls.of_datetime(datetime.now(tz or timezone.utc))

    @classmethod
    def ofEpochMilli(cls, epochMilli: int) -> Self:
        """Return the instant of milliseconds since 1970-01-01T00:00Z."""
        return cls.of_datetime(EPOCH + timedelta(milliseconds=_whole(epochMilli, "epochMilli")))

    @classmethod
    def ofEpochSecond(cls, epochSecond: int) -> Self:
        """Return the instant of seconds since 1970-01-01T00:00Z."""
        return cls.of_datetime(EPOCH + timedelta(seconds=_whole(epochSecond, "epochSecond")))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the instant of a text such as ``2024-05-01T12:00:00.5Z``.

        Raises:
            IllegalArgumentException: The text has another form, or no time zone.
        """
        # Before Python 3.11 fromisoformat() knows neither "Z" nor one digit of a second's fraction.
        head, point, rest = text.removesuffix("Z").partition(".")
        digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
        plain = f"{head}{point}{digits[:6].ljust(6, '0') if digits else ''}{rest[len(digits) :]}"
        try:
            found = datetime.fromisoformat(f"{plain}+00:00" if text.endswith("Z") else plain)
        except ValueError as error:
            raise IllegalArgumentException(
                f'"{text}" is not an instant', hint="Write it as 2024-05-01T12:00:00.500Z."
            ) from error
        return cls.of_datetime(found)

    def toEpochMilli(self) -> int:
        """Return milliseconds since 1970-01-01T00:00Z, rounded down."""
        return to_epoch_millis(self, "instant")

    def getEpochSecond(self) -> int:
        """Return seconds since 1970-01-01T00:00Z, rounded down."""
        return self.toEpochMilli() // 1000

    def plus(self, duration: timedelta) -> Self:
        """Return the instant that is later by a duration."""
        return self.of_datetime(self + duration)

    def plusMillis(self, millis: int) -> Self:
        """Return the instant that is later by milliseconds."""
        return self.plus(timedelta(milliseconds=_whole(millis, "millis")))

    def plusSeconds(self, seconds: int) -> Self:
        """Return the instant that is later by seconds."""
        return self.plus(timedelta(seconds=_whole(seconds, "seconds")))

    def minus(self, duration: timedelta) -> Self:
        """Return the instant that is earlier by a duration."""
        return self.of_datetime(self - duration)

    def minusMillis(self, millis: int) -> Self:
        """Return the instant that is earlier by milliseconds."""
        return self.minus(timedelta(milliseconds=_whole(millis, "millis")))

    def minusSeconds(self, seconds: int) -> Self:
        """Return the instant that is earlier by seconds."""
        return self.minus(timedelta(seconds=_whole(seconds, "seconds")))

    def isBefore(self, other: datetime) -> bool:
        """Return whether this instant is earlier than the other."""
        return self < other

    def isAfter(self, other: datetime) -> bool:
        """Return whether this instant is later than the other."""
        return self > other

    def toString(self) -> str:
        """Return Java's text, such as ``1970-01-01T00:00:00.500Z``; ``str`` does, too."""
        micros = self.microsecond
        unit = "seconds" if not micros else "microseconds" if micros % 1000 else "milliseconds"
        return f"{self.replace(tzinfo=None).isoformat(timespec=unit)}Z"

    __str__ = toString


Instant.EPOCH = Instant.of_datetime(EPOCH)


def from_millis(millis: int) -> Duration:
    """Return milliseconds as a duration; beyond its range, the longest one with that sign."""
    try:
        return Duration(milliseconds=millis)
    except OverflowError:
        return Duration.of_timedelta(timedelta.max if millis > 0 else timedelta.min)


def from_epoch_millis(millis: int) -> Instant:
    """Return epoch milliseconds as an instant; beyond its range, the last or the first one.

    Windows may end at 2**63 - 1 ms, which Java's Instant can hold and ``datetime`` cannot.
    """
    try:
        return Instant.ofEpochMilli(millis)
    except OverflowError:
        last = datetime.max if millis > 0 else datetime.min
        return Instant.of_datetime(last.replace(tzinfo=timezone.utc))


def _whole(value: Any, name: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ClassCastException(
        f"{name} cannot be {a_kind(value)}", hint="Give an integer, as Java's method takes a long."
    )


def _towards_zero(value: timedelta, unit: timedelta) -> int:
    return value // unit if value >= timedelta(0) else -(-value // unit)
