"""Durations and points in time as ``timedelta``, ``datetime`` or milliseconds."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from math import floor
from numbers import Real
from typing import Any

from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.wording import a_kind

DurationLike = int | timedelta
InstantLike = int | datetime

LONG_MAX = 2**63 - 1
LONG_MIN = -(2**63)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
ONE_MS = timedelta(milliseconds=1)

_ISO_DURATION = re.compile(
    r"P(?:(?P<days>\d+)D)?(?:T(?=.)(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?"
    r"(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?",
    re.IGNORECASE,
)


def to_millis(value: DurationLike, name: str) -> int:
    """Return a duration in whole milliseconds, rounded towards zero.

    Args:
        value: A ``timedelta``, or an integer number of milliseconds. May be negative.
        name: The parameter's name, for the error.

    Raises:
        IllegalArgumentException: The value is None, or does not fit into 64 bits.
        ClassCastException: The value is of another type.

    Example:
        >>> to_millis(timedelta(seconds=1.5), "size")
        1500
    """
    if isinstance(value, timedelta):
        # A Duration may be longer than a timedelta can be.
        if (far_ms := getattr(value, "far_ms", None)) is not None:
            return int(far_ms)
        # Of a subclass, such as pendulum's, only what a timedelta is.
        whole = timedelta.__pos__(value)
        return whole // ONE_MS if whole >= timedelta(0) else -(-whole // ONE_MS)
    return _checked_long(value, name, "a timedelta or an integer number of milliseconds")


def iso_duration_millis(text: str) -> int | None:
    """Return the milliseconds of a duration of ISO 8601, such as ``PT1H30M``; None for others.

    As for Java's ``Duration``, a day has 24 hours, and there are no longer units.
    """
    found = _ISO_DURATION.fullmatch(text.strip())
    parts = {} if found is None else {k: v for k, v in found.groupdict().items() if v is not None}
    if not parts:
        return None
    return timedelta(**{name: float(value) for name, value in parts.items()}) // ONE_MS


def to_epoch_millis(value: InstantLike, name: str) -> int:
    """Return a point in time in milliseconds since 1970-01-01T00:00Z, rounded down.

    Args:
        value: A ``datetime`` with a time zone, or an integer number of epoch milliseconds.
        name: The parameter's name, for the error.

    Raises:
        IllegalArgumentException: The value is None, a ``datetime`` without a time zone, or does
            not fit into 64 bits.
        ClassCastException: The value is of another type.
    """
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise IllegalArgumentException(
                f'Invalid value for parameter "{name}" (value was: {value}). It has no time zone.',
                hint="Pass datetime(..., tzinfo=timezone.utc), or epoch milliseconds.",
            )
        # An Instant may be later than a datetime can be, and later than 64 bits can say.
        if (far_ms := getattr(value, "far_ms", None)) is None:
            return datetime.__sub__(value, EPOCH) // ONE_MS
        if not LONG_MIN <= far_ms <= LONG_MAX:
            raise IllegalArgumentException(
                f'Invalid value for parameter "{name}" (value was: {value}). '
                "It can't be converted to milliseconds.",
                detail="It does not fit into 64 bits.",
            )
        return int(far_ms)
    return _checked_long(value, name, "a datetime or an integer number of epoch milliseconds")


def event_millis(value: object, name: str) -> int:
    """Return an event time that a user's code gave: any number or ``datetime``, rounded down.

    ``time.time() * 1000`` is a float, NumPy's and pandas' integers are no ``int``.

    Raises:
        IllegalArgumentException: It does not fit into 64 bits, or is a ``datetime`` without a time
            zone.
        ClassCastException: It is of another type.

    Example:
        >>> event_millis(1700000000000.7, "timestamp")
        1700000000000
    """
    if type(value) is int:
        return to_epoch_millis(value, name)
    whole: Any = value
    if type(value) is not bool and isinstance(value, Real):
        # NaN, infinity and NumPy's timedelta64, which counts as a number, are named below.
        with suppress(ValueError, OverflowError, TypeError):
            whole = floor(value)
    return to_epoch_millis(whole, name)


def stored_millis(value: object) -> int:
    """Return the time of a value that a user's code puts into a store, as ``event_millis`` does."""
    if type(value) is int and LONG_MIN <= value <= LONG_MAX:
        return value
    return event_millis(value, "timestamp")


def _checked_long(value: object, name: str, wanted: str) -> int:
    if value is None:
        raise IllegalArgumentException(
            f'Invalid value for parameter "{name}" (value was: null). It shouldn\'t be null.',
            hint=f"Pass {wanted}.",
        )
    if not isinstance(value, int) or isinstance(value, bool):
        raise ClassCastException(
            f'Invalid value for parameter "{name}" (value was: {value!r})',
            detail=f"It is {a_kind(value)}.",
            hint=f"Pass {wanted}.",
        )
    if not LONG_MIN <= value <= LONG_MAX:
        raise IllegalArgumentException(
            f'Invalid value for parameter "{name}" (value was: {value}). '
            "It can't be converted to milliseconds.",
            detail="It does not fit into 64 bits.",
        )
    # Of a member of an enum its number.
    return value if type(value) is int else int(value)
