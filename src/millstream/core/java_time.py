"""``Duration`` and ``Instant``: Java's names over Python's ``timedelta`` and ``datetime``."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any, ClassVar

from typing_extensions import Self

from millstream.core.durations import EPOCH, LONG_MAX, LONG_MIN, to_epoch_millis, to_millis
from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.java_shapes import java_duration
from millstream.core.java_text import java_instant
from millstream.core.wording import a_kind


def _far(value: object) -> int | None:
    return getattr(value, "far_ms", None)


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
        if (far_ms := _far(value)) is not None:
            made.far_ms = far_ms
        return made

    @classmethod
    def ofDays(cls, days: int) -> Self:
        """Return a duration of whole days of 24 hours."""
        return cls.ofMillis(_whole(days, "days") * 86_400_000)

    @classmethod
    def ofHours(cls, hours: int) -> Self:
        """Return a duration of whole hours."""
        return cls.ofMillis(_whole(hours, "hours") * 3_600_000)

    @classmethod
    def ofMinutes(cls, minutes: int) -> Self:
        """Return a duration of whole minutes."""
        return cls.ofMillis(_whole(minutes, "minutes") * 60_000)

    @classmethod
    def ofSeconds(cls, seconds: int) -> Self:
        """Return a duration of whole seconds."""
        return cls.ofMillis(_whole(seconds, "seconds") * 1000)

    @classmethod
    def ofMillis(cls, millis: int) -> Self:
        """Return a duration of whole milliseconds.

        Raises:
            IllegalArgumentException: They do not fit into 64 bits.
        """
        try:
            return cls(milliseconds=_whole(millis, "millis"))
        except OverflowError:
            made = cls.of_timedelta(timedelta.max if millis > 0 else timedelta.min)
            made.far_ms = _long(millis, "a duration")
            return made

    @classmethod
    def between(cls, startInclusive: datetime, endExclusive: datetime) -> Self:
        """Return the time from one instant to another; negative if the second is earlier."""
        if _far(startInclusive) is None and _far(endExclusive) is None:
            return cls.of_timedelta(endExclusive - startInclusive)
        end_ms = to_epoch_millis(endExclusive, "endExclusive")
        return cls.ofMillis(end_ms - to_epoch_millis(startInclusive, "startInclusive"))

    def toMillis(self) -> int:
        """Return the length in whole milliseconds, rounded towards zero."""
        return to_millis(self, "duration")

    def toSeconds(self) -> int:
        """Return the length in whole seconds, rounded down."""
        return self // timedelta(seconds=1) if self.far_ms is None else self.far_ms // 1000

    getSeconds = toSeconds

    def toMinutes(self) -> int:
        """Return the length in whole minutes, rounded towards zero."""
        return _towards_zero(self.toMillis(), 60_000)

    def toHours(self) -> int:
        """Return the length in whole hours, rounded towards zero."""
        return _towards_zero(self.toMillis(), 3_600_000)

    def toDays(self) -> int:
        """Return the length in whole days, rounded towards zero."""
        return _towards_zero(self.toMillis(), 86_400_000)

    def isZero(self) -> bool:
        """Return whether the length is 0."""
        return not self

    def isNegative(self) -> bool:
        """Return whether the length is below 0."""
        return self < timedelta(0)

    def plus(self, duration: timedelta) -> Self:
        """Return the sum."""
        if self.far_ms is None and _far(duration) is None:
            with suppress(OverflowError):
                return self.of_timedelta(self + duration)
        return self.ofMillis(self.toMillis() + to_millis(duration, "duration"))

    def plusMillis(self, millis: int) -> Self:
        """Return a duration that is longer by whole milliseconds."""
        return self.plus(Duration.ofMillis(millis))

    def plusSeconds(self, seconds: int) -> Self:
        """Return a duration that is longer by whole seconds."""
        return self.plus(Duration.ofSeconds(seconds))

    def minus(self, duration: timedelta) -> Self:
        """Return the difference."""
        return self.plus(Duration.of_timedelta(duration).negated())

    def multipliedBy(self, multiplicand: int) -> Self:
        """Return a multiple."""
        times = _whole(multiplicand, "multiplicand")
        if self.far_ms is None:
            with suppress(OverflowError):
                return self.of_timedelta(self * times)
        return self.ofMillis(self.toMillis() * times)

    def dividedBy(self, divisor: int) -> Self:
        """Return a whole fraction, in microseconds, rounded down."""
        if self.far_ms is not None:
            return self.ofMillis(self.far_ms // _whole(divisor, "divisor"))
        return self.of_timedelta(self // _whole(divisor, "divisor"))

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


class Instant(datetime):
    """A point in time in UTC, made and read with Java's method names; it is a ``datetime``.

    Wherever millstream takes a point in time it takes this class, an aware ``datetime`` or integer
    milliseconds since 1970-01-01T00:00Z. It counts microseconds. Outside of the years 1 to 9999 it
    keeps its milliseconds, and operators see the first or the last ``datetime``.

    Source: ``java.time.Instant``.

    Example:
        >>> Instant.ofEpochMilli(1_500).plusMillis(500).toEpochMilli()
        2000
        >>> Instant.parse("1970-01-01T00:00:01Z").getEpochSecond()
        1
    """

    EPOCH: ClassVar[Instant]

    far_ms: int | None = None
    """Milliseconds since 1970-01-01T00:00Z where a ``datetime`` cannot hold them."""

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
        if (far_ms := _far(value)) is not None:
            return cls.ofEpochMilli(far_ms)
        utc = value.astimezone(timezone.utc)
        return cls(*utc.timetuple()[:6], utc.microsecond, timezone.utc)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """Return the present time; a time zone makes no difference to it."""
        return cls.of_datetime(datetime.now(tz or timezone.utc))

    @classmethod
    def ofEpochMilli(cls, epochMilli: int) -> Self:
        """Return the instant of milliseconds since 1970-01-01T00:00Z.

        Raises:
            IllegalArgumentException: They do not fit into 64 bits.
        """
        try:
            return cls.of_datetime(EPOCH + timedelta(milliseconds=_whole(epochMilli, "epochMilli")))
        except OverflowError:
            last = datetime.max if epochMilli > 0 else datetime.min
            made = cls.of_datetime(last.replace(tzinfo=timezone.utc))
            made.far_ms = _long(epochMilli, "an instant")
            return made

    @classmethod
    def ofEpochSecond(cls, epochSecond: int) -> Self:
        """Return the instant of seconds since 1970-01-01T00:00Z."""
        return cls.ofEpochMilli(_whole(epochSecond, "epochSecond") * 1000)

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
        if self.far_ms is None and _far(duration) is None:
            with suppress(OverflowError):
                return self.of_datetime(self + duration)
        return self.ofEpochMilli(self.toEpochMilli() + to_millis(duration, "duration"))

    def plusMillis(self, millis: int) -> Self:
        """Return the instant that is later by milliseconds."""
        return self.plus(Duration.ofMillis(millis))

    def plusSeconds(self, seconds: int) -> Self:
        """Return the instant that is later by seconds."""
        return self.plus(Duration.ofSeconds(seconds))

    def minus(self, duration: timedelta) -> Self:
        """Return the instant that is earlier by a duration."""
        return self.plus(Duration.of_timedelta(duration).negated())

    def minusMillis(self, millis: int) -> Self:
        """Return the instant that is earlier by milliseconds."""
        return self.minus(Duration.ofMillis(millis))

    def minusSeconds(self, seconds: int) -> Self:
        """Return the instant that is earlier by seconds."""
        return self.minus(Duration.ofSeconds(seconds))

    def isBefore(self, other: datetime) -> bool:
        """Return whether this instant is earlier than the other."""
        if self.far_ms is None and _far(other) is None:
            return self < other
        return self.toEpochMilli() < to_epoch_millis(other, "other")

    def isAfter(self, other: datetime) -> bool:
        """Return whether this instant is later than the other."""
        if self.far_ms is None and _far(other) is None:
            return self > other
        return self.toEpochMilli() > to_epoch_millis(other, "other")

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.far_ms is None:
            return super().__reduce_ex__(protocol)
        return type(self).ofEpochMilli, (self.far_ms,)

    def toString(self) -> str:
        """Return Java's text, such as ``1970-01-01T00:00:00.500Z``; ``str`` does, too."""
        if self.far_ms is not None:
            return java_instant(self.far_ms)
        micros = self.microsecond
        unit = "seconds" if not micros else "microseconds" if micros % 1000 else "milliseconds"
        return f"{self.replace(tzinfo=None).isoformat(timespec=unit)}Z"

    __str__ = toString


Instant.EPOCH = Instant.of_datetime(EPOCH)


def from_millis(millis: int) -> Duration:
    """Return milliseconds as a duration."""
    return Duration.ofMillis(millis)


def from_epoch_millis(millis: int) -> Instant:
    """Return epoch milliseconds as an instant; windows may end at 2**63 - 1 ms."""
    return Instant.ofEpochMilli(millis)


def _long(millis: int, what: str) -> int:
    if LONG_MIN <= millis <= LONG_MAX:
        return millis
    raise IllegalArgumentException(
        f"{millis} ms are too many for {what}", detail="They do not fit into 64 bits."
    )


def _whole(value: Any, name: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ClassCastException(
        f"{name} cannot be {a_kind(value)}", hint="Give an integer, as Java's method takes a long."
    )


def _towards_zero(millis: int, unit_ms: int) -> int:
    return millis // unit_ms if millis >= 0 else -(-millis // unit_ms)
