"""``Instant``: Java's names over Python's ``datetime``."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any, ClassVar, overload

from typing_extensions import Self

from millstream.core.durations import EPOCH, to_epoch_millis
from millstream.core.errors import IllegalArgumentException
from millstream.core.java_durations import Duration, length
from millstream.core.java_text import java_instant
from millstream.core.java_units import (
    ChronoUnit,
    far,
    long_or_refuse,
    unit_or_refuse,
    whole_number,
)


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
    MIN: ClassVar[Instant]
    MAX: ClassVar[Instant]

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
        if (far_ms := far(value)) is not None:
            return cls._of_far(far_ms)
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
            since_epoch = timedelta(milliseconds=whole_number(epochMilli, "epochMilli"))
            return cls.of_datetime(EPOCH + since_epoch)
        except OverflowError:
            return cls._of_far(long_or_refuse(epochMilli, "ms", "an instant"))

    @classmethod
    def _of_far(cls, far_ms: int) -> Self:
        last = datetime.max if far_ms > 0 else datetime.min
        made = cls.of_datetime(last.replace(tzinfo=timezone.utc))
        made.far_ms = far_ms
        return made

    @classmethod
    def ofEpochSecond(cls, epochSecond: int, nanoAdjustment: int = 0) -> Self:
        """Return the instant of seconds since 1970-01-01T00:00Z, and nanoseconds after them."""
        whole = cls.ofEpochMilli(whole_number(epochSecond, "epochSecond") * 1000)
        return whole.plusNanos(nanoAdjustment) if nanoAdjustment else whole

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
        """Return milliseconds since 1970-01-01T00:00Z, rounded down.

        Raises:
            IllegalArgumentException: They do not fit into 64 bits, as those of ``MIN`` and ``MAX``.
        """
        return to_epoch_millis(self, "instant")

    def getEpochSecond(self) -> int:
        """Return seconds since 1970-01-01T00:00Z, rounded down."""
        return _millis(self) // 1000

    def getNano(self) -> int:
        """Return the nanoseconds after the second."""
        return self.microsecond * 1000 if self.far_ms is None else self.far_ms % 1000 * 1_000_000

    @overload
    def plus(self, duration: timedelta) -> Self: ...
    @overload
    def plus(self, duration: int, unit: ChronoUnit) -> Self: ...
    def plus(self, duration: timedelta | int, unit: ChronoUnit | None = None) -> Self:
        """Return the instant that is later by a duration, or by a number of units.

        Raises:
            ClassCastException: It is a number without a unit.
        """
        added = length(duration, unit)
        if self.far_ms is None and added.far_ms is None:
            with suppress(OverflowError):
                return self.of_datetime(self + added)
        return self.ofEpochMilli(_millis(self) + added.toMillis())

    def plusSeconds(self, seconds: int) -> Self:
        """Return the instant that is later by seconds."""
        return self.plus(Duration.ofSeconds(seconds))

    def plusMillis(self, millis: int) -> Self:
        """Return the instant that is later by milliseconds."""
        return self.plus(Duration.ofMillis(millis))

    def plusNanos(self, nanos: int) -> Self:
        """Return the instant that is later by nanoseconds, in whole microseconds."""
        return self.plus(Duration.ofNanos(nanos))

    @overload
    def minus(self, duration: timedelta) -> Self: ...
    @overload
    def minus(self, duration: int, unit: ChronoUnit) -> Self: ...
    def minus(self, duration: timedelta | int, unit: ChronoUnit | None = None) -> Self:
        """Return the instant that is earlier by a duration, or by a number of units."""
        return self.plus(length(duration, unit).negated())

    def minusSeconds(self, seconds: int) -> Self:
        """Return the instant that is earlier by seconds."""
        return self.minus(Duration.ofSeconds(seconds))

    def minusMillis(self, millis: int) -> Self:
        """Return the instant that is earlier by milliseconds."""
        return self.minus(Duration.ofMillis(millis))

    def minusNanos(self, nanos: int) -> Self:
        """Return the instant that is earlier by nanoseconds, in whole microseconds."""
        return self.minus(Duration.ofNanos(nanos))

    def until(self, endExclusive: datetime, unit: ChronoUnit) -> int:
        """Return how many whole units lie between this instant and a later one.

        Example:
            >>> Instant.EPOCH.until(Instant.ofEpochSecond(150), ChronoUnit.MINUTES)
            2
        """
        return unit_or_refuse(unit).between(self, endExclusive)

    def truncatedTo(self, unit: ChronoUnit) -> Self:
        """Return the begin of the unit that this instant lies in.

        Example:
            >>> str(Instant.parse("2024-05-01T12:34:56Z").truncatedTo(ChronoUnit.HOURS))
            '2024-05-01T12:00:00Z'
        """
        one_ms, below_ms = divmod(unit_or_refuse(unit).value, 1_000_000)
        if not below_ms:
            return self.ofEpochMilli(_millis(self) // one_ms * one_ms)
        return self.of_datetime(self)  # of micro- and nanoseconds there is no part

    def compareTo(self, other: datetime) -> int:
        """Return -1, 0 or 1: this instant is earlier, equal or later."""
        if self.far_ms is None and far(other) is None:
            return (self > other) - (self < other)
        mine, others = _millis(self), _millis(other)
        return (mine > others) - (mine < others)

    def isBefore(self, other: datetime) -> bool:
        """Return whether this instant is earlier than the other."""
        return self.compareTo(other) < 0

    def isAfter(self, other: datetime) -> bool:
        """Return whether this instant is later than the other."""
        return self.compareTo(other) > 0

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.far_ms is None:
            return super().__reduce_ex__(protocol)
        return type(self)._of_far, (self.far_ms,)

    def toString(self) -> str:
        """Return Java's text, such as ``1970-01-01T00:00:00.500Z``; ``str`` does, too."""
        if self.far_ms is not None:
            return java_instant(self.far_ms)
        micros = self.microsecond
        unit = "seconds" if not micros else "microseconds" if micros % 1000 else "milliseconds"
        return f"{self.replace(tzinfo=None).isoformat(timespec=unit)}Z"

    __str__ = toString


Instant.EPOCH = Instant.of_datetime(EPOCH)
# Of the years -1,000,000,000 and 1,000,000,000, as Java's: more milliseconds than 64 bits hold.
Instant.MIN = Instant._of_far(-31_557_014_167_219_200_000)
Instant.MAX = Instant._of_far(31_556_889_864_403_199_999)


def from_millis(millis: int) -> Duration:
    """Return milliseconds as a duration."""
    return Duration.ofMillis(millis)


def from_epoch_millis(millis: int) -> Instant:
    """Return epoch milliseconds as an instant; windows may end at 2**63 - 1 ms."""
    return Instant.ofEpochMilli(millis)


def _millis(instant: datetime) -> int:
    """Return epoch milliseconds; those of ``MIN`` and ``MAX``, too."""
    far_ms = far(instant)
    return to_epoch_millis(instant, "instant") if far_ms is None else far_ms
