"""Avro's logical types: Python objects to the numbers, bytes and text that stand for them."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from millstream.core.java_units import far
from millstream.serdes.avro.misfit import Misfit
from millstream.serdes.avro.wire import Malformed

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
LOCAL_EPOCH = dt.datetime(1970, 1, 1)
EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
MICROSECOND = dt.timedelta(microseconds=1)
MILLISECOND = dt.timedelta(milliseconds=1)

Node = Mapping[str, Any]


def writer_of(logical: str, node: Node) -> tuple[type, Callable[[Any], Any]]:
    """Return a logical type's Python class, and the function from such an object to plain Avro."""
    if logical == "decimal":
        return Decimal, _decimal_writer(node)
    return _WRITERS[logical]


def reader_of(logical: str, node: Node) -> Callable[[Any], Any]:
    """Return the function from plain Avro to the logical type's Python object."""
    if logical == "decimal":
        return _decimal_reader(node)
    return _READERS[logical]


def _date(value: dt.date) -> int:
    if isinstance(value, dt.datetime):
        raise Misfit(value, "a date without time", "Give value.date().")
    return value.toordinal() - EPOCH_DAY


def _micros_of_day(value: dt.time) -> int:
    if value.tzinfo is not None:
        raise Misfit(value, "a time without a zone", "Give value.replace(tzinfo=None).")
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return seconds * 1_000_000 + value.microsecond


def _millis_of_day(value: dt.time) -> int:
    return _micros_of_day(value) // 1000


def _instant(unit: dt.timedelta) -> Callable[[dt.datetime], int]:
    def write(value: dt.datetime) -> int:
        if value.utcoffset() is None:
            raise Misfit(
                value,
                "a datetime with a zone",
                "A time without a zone differs from machine to machine: "
                "give datetime.now(timezone.utc), for instance.",
            )
        if (far_ms := far(value)) is not None:
            # Beyond the years of Python, an Instant's own fields are those of the last one.
            return far_ms * (MILLISECOND // unit)
        return (value - EPOCH) // unit

    return write


def _local(unit: dt.timedelta) -> Callable[[dt.datetime], int]:
    def write(value: dt.datetime) -> int:
        if value.tzinfo is not None:
            raise Misfit(value, "a datetime without a zone", "Give value.replace(tzinfo=None).")
        return (value - LOCAL_EPOCH) // unit

    return write


def _decimal_writer(node: Node) -> Callable[[Any], bytes]:
    precision, scale, size = node["precision"], node.get("scale", 0), node.get("size")

    def write(value: Decimal) -> bytes:
        sign, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int):
            raise Misfit(value, "a finite decimal")
        if exponent < -scale and any(digits[exponent + scale :]):
            raise Misfit(
                value,
                f"a decimal of scale {scale}",
                f'Round it first: value.quantize(Decimal("1e-{scale}")).',
            )
        unscaled = 0
        if any(digits):
            if value.adjusted() + 1 + scale > precision:
                raise Misfit(value, f"a decimal of {precision} digits, {scale} of them decimal")
            unscaled = int("".join(map(str, digits)))
            shift = exponent + scale
            unscaled = unscaled * 10**shift if shift >= 0 else unscaled // 10**-shift
        signed = -unscaled if sign else unscaled
        length = signed.bit_length() // 8 + 1 if signed >= 0 else (signed + 1).bit_length() // 8 + 1
        if size is not None:
            if length > size:
                raise Misfit(value, f"a decimal that {size} bytes can hold")
            length = size
        return int(signed).to_bytes(length, "big", signed=True)

    return write


def _decimal_reader(node: Node) -> Callable[[bytes], Decimal]:
    scale = node.get("scale", 0)

    def read(data: bytes) -> Decimal:
        unscaled = int.from_bytes(data, "big", signed=True)
        digits = tuple(map(int, str(abs(unscaled))))
        return Decimal((int(unscaled < 0), digits, -scale))

    return read


def _time_of(micros: int) -> dt.time:
    seconds, micros = divmod(micros, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return dt.time(hour, minute, second, micros)


def _instant_reader(logical: str, epoch: dt.datetime, micros: int) -> Callable[[int], dt.datetime]:
    def read(number: int) -> dt.datetime:
        try:
            return epoch + dt.timedelta(microseconds=number * micros)
        except OverflowError as error:
            raise _no_object_for(number, logical) from error

    return read


def _date_of(days: int) -> dt.date:
    try:
        return dt.date.fromordinal(days + EPOCH_DAY)
    except (OverflowError, ValueError) as error:
        raise _no_object_for(days, "date") from error


def _no_object_for(number: int, logical: str) -> Malformed:
    return Malformed(
        f"{number} is a {logical} outside of the years 1 to 9999, for which Python has no object; "
        "a serde whose schema has no logical type at this place reads the number"
    )


_WRITERS: Mapping[str, tuple[type, Callable[[Any], Any]]] = {
    "date": (dt.date, _date),
    "time-millis": (dt.time, _millis_of_day),
    "time-micros": (dt.time, _micros_of_day),
    "timestamp-millis": (dt.datetime, _instant(MILLISECOND)),
    "timestamp-micros": (dt.datetime, _instant(MICROSECOND)),
    "local-timestamp-millis": (dt.datetime, _local(MILLISECOND)),
    "local-timestamp-micros": (dt.datetime, _local(MICROSECOND)),
    "uuid": (uuid.UUID, str),
}
_READERS: Mapping[str, Callable[[Any], Any]] = {
    "date": _date_of,
    "time-millis": lambda millis: _time_of(millis * 1000),
    "time-micros": _time_of,
    "timestamp-millis": _instant_reader("timestamp-millis", EPOCH, 1000),
    "timestamp-micros": _instant_reader("timestamp-micros", EPOCH, 1),
    "local-timestamp-millis": _instant_reader("local-timestamp-millis", LOCAL_EPOCH, 1000),
    "local-timestamp-micros": _instant_reader("local-timestamp-micros", LOCAL_EPOCH, 1),
    "uuid": uuid.UUID,
}
