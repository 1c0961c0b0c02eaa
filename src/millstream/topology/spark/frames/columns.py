"""Columns of DataFrames for what serdes read and write."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from importlib import import_module
from typing import Any

import msgspec
import pyarrow as pa

from millstream.core.errors import IllegalArgumentException, MillstreamError, StreamsException
from millstream.core.serdes.base import Serde, configure_part
from millstream.core.serdes.identity import format_of
from millstream.core.serdes.json_sets import is_model
from millstream.core.serdes.windowed import WindowedSerializer
from millstream.plugins.kinds import SERDES
from millstream.plugins.registry import offered

TYPES = {
    "String": "string",
    "Long": "bigint",
    "Integer": "int",
    "Short": "smallint",
    "Double": "double",
    "Float": "float",
    "Boolean": "boolean",
    "UUID": "string",
    "ByteArray": "binary",
    "Void": "binary",
}
"""Stock serde, as its identity names it -> the type of its column."""
ONE_FORM = frozenset({"String", "Long", "Integer", "Short", "Boolean", "ByteArray"})
"""Stock serdes of which two equal values in a column have equal bytes. 0.0 and -0.0 have not, and a
text in a column of JSON may be a text, a number, or a structure whose bytes have other spaces."""
MOMENT = "timestamp_ltz"
"""Type of a time in a schema: ``timestamp`` means what ``spark.sql.timestampType`` says."""
TEXT = "string"
"""Type of a column whose serde does not tell a type: its values are JSON."""
_ARROW_ERRORS = (pa.ArrowException, TypeError, ValueError, OverflowError)


def serde_named(name: str, *, is_key: bool) -> Serde[Any]:
    """Return the serde that an option names: ``string``, ``long``, or ``package.module:name``.

    Raises:
        IllegalArgumentException: There is none of that name, or it cannot be made.
    """
    offers = offered(SERDES)
    place, _, path = name.partition(":")
    try:
        found: Any = import_module(place) if path else offers.get(name.strip().lower())
        for part in path.split(".") if path else ():
            found = getattr(found, part)
        made: Any = found() if callable(found) and not isinstance(found, Serde) else found
        if hasattr(made, "serializer") and hasattr(made, "deserializer"):
            configure_part(made, {}, is_key)
            serde: Serde[Any] = made
            return serde
        reason = "It is not the name of a serde."
    except Exception as error:  # noqa: BLE001 - a user's module may raise anything
        reason = f"{type(error).__name__}: {error}."
    raise IllegalArgumentException(
        f'there is no serde "{name}"',
        detail=f"{reason} There are: {', '.join(sorted(offers))}.",
        hint="Or write package.module:name of a serde that Spark's workers can import.",
    )


def stock_serde(text: str, *, is_key: bool) -> Serde[Any] | None:
    """Return the stock serde with an identity; None for any other text."""
    for name in offered(SERDES):
        serde = serde_named(name, is_key=is_key)
        if format_of(serde) == text:
            return serde
    return None


def type_of(serde: Any) -> str:
    """Return the type of a serde's column.

    >>> from millstream.core.serdes import Serdes
    >>> type_of(Serdes.Long()), type_of(Serdes.JsonSerde())
    ('bigint', 'string')
    """
    inner = inner_of_windowed(serde)
    if inner is not None:
        kind = TYPES.get(format_of(_Reading(inner)), TEXT)
        return f"struct<key: {kind}, start: {MOMENT}, end: {MOMENT}>"
    return TYPES.get(format_of(serde), TEXT)


def inner_of_windowed(serde: Any) -> Any:
    """Return the deserializer of the keys in windowed keys; None for any other serde."""
    deserializer = serde.deserializer()
    if isinstance(serde.serializer(), WindowedSerializer) and hasattr(deserializer, "_inner"):
        return deserializer._inner
    return None


class _Reading:
    """A deserializer as a serde, of which only the format is asked."""

    def __init__(self, deserializer: Any) -> None:
        self._deserializer = deserializer

    def serializer(self) -> Any:
        """Return what the format is told of."""
        return self._deserializer

    def deserializer(self) -> Any:
        """Return what the format is told of."""
        return self._deserializer


def arrow_column(values: Sequence[Any], kind: pa.DataType, what: str) -> pa.Array:
    """Return objects as a column.

    Args:
        values: What a serde has read; None is null.
        kind: The column's type. A string column has texts as they are and JSON of anything else.
        what: Names the column in an error.

    Raises:
        StreamsException: An object does not fit the type.
    """
    try:
        if pa.types.is_string(kind):
            return pa.array([_text(each) for each in values], kind)
        if pa.types.is_nested(kind):
            values = [_plain(each) for each in values]
        # Arrow would never let go of a memoryview.
        values = [bytes(each) if type(each) is memoryview else each for each in values]
        return pa.array(values, kind)
    except _ARROW_ERRORS as error:
        raise StreamsException(
            f"{what} does not fit its column",
            detail=f"{type(error).__name__}: {str(error).splitlines()[0]}; the column has type "
            f"{kind}.",
            hint="Give the column another type: string takes everything, as JSON.",
        ) from error


def times_column(millis: Sequence[int | None]) -> pa.Array:
    """Return epoch milliseconds as a timestamp column; times that Spark cannot have are null."""
    limit = (1 << 63) // 1000
    kept = [each if each is not None and -limit < each < limit else None for each in millis]
    return pa.array(kept, pa.timestamp("ms", "UTC")).cast(pa.timestamp("us", "UTC"))


def reason_of(error: Exception) -> str:
    """Return class and text of an error in one line."""
    text = error.problem if isinstance(error, MillstreamError) else str(error)
    return f"{type(error).__name__}: {text.splitlines()[0] if text else 'no text'}"


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(_plain(value), ensure_ascii=False, default=json_default)


def json_default(value: Any) -> Any:
    """Return what JSON has for a value of Spark: times in ISO 8601, decimals as text, bytes base64.

    A timestamp is one of UTC: the bytes of a key must not depend on the session's time zone.

    >>> json_default(Decimal("1.50"))
    '1.50'
    """
    if isinstance(value, datetime) and value.tzinfo is not None:
        # The first hours of the year 1 have no time of UTC in Python.
        with suppress(OverflowError):
            value = value.astimezone(timezone.utc)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value, builtin_types=_KEPT, str_keys=False, enc_hook=_parts)


def _parts(value: Any) -> Any:
    """Return what an object that msgspec does not know consists of."""
    if hasattr(value, "DESCRIPTOR"):
        return import_module("google.protobuf.json_format").MessageToDict(value)
    if hasattr(value, "avro_fields"):
        return value.to_dict()
    if is_model(type(value)):
        return value.model_dump()
    return str(value)


_KEPT = (bytes, bytearray, memoryview, datetime, date, time, timedelta, Decimal)
"""Types that columns and ``json_default`` take as they are."""
