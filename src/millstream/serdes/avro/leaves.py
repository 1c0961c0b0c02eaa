"""Avro's types without inner types: checks and conversions of single objects."""

from __future__ import annotations

import enum
import math
import struct
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from millstream.serdes.avro.logical import writer_of
from millstream.serdes.avro.misfit import Misfit
from millstream.serdes.avro.schema import logical_of

Convert = Callable[[Any], Any]
_FLOAT = struct.Struct("<f")


def leaf(kind: str, node: Any) -> Convert:
    """Return the function from an object to a datum of a type without inner types."""
    if kind == "fixed":
        plain = _fixed(node)
    elif kind == "enum":
        plain = _enum(node)
    else:
        plain = _LEAVES[kind]
    logical = logical_of(node)
    return plain if logical is None else _logical(logical, node, plain)


def _logical(logical: str, node: Any, plain: Convert) -> Convert:
    known, write = writer_of(logical, node)

    def convert(value: Any) -> Any:
        if isinstance(value, known):
            return plain(write(value))
        if logical == "decimal" and isinstance(value, int) and not isinstance(value, bool):
            return plain(write(Decimal(value)))
        try:
            datum = plain(value)
            if logical == "uuid":
                uuid.UUID(datum)
        except (Misfit, ValueError):
            raise Misfit(value, f"{logical}: {_a(known)}") from None
        return datum

    return convert


def _a(known: type) -> str:
    return f"an object of {known.__module__}.{known.__qualname__}"


def _null(value: Any) -> None:
    if value is not None:
        raise Misfit(value, "null: None")


def _boolean(value: Any) -> bool:
    if value is True or value is False:
        return value
    raise Misfit(value, "a boolean: True or False")


def _integer(bits: int, name: str) -> Convert:
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1

    def convert(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise Misfit(value, f"{name}: an int")
        if not low <= value <= high:
            raise Misfit(value, f"{name}, from {low} to {high}")
        return int(value)

    return convert


def _double(value: Any) -> float:
    if type(value) is float:
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            pass
    raise Misfit(value, "a double: a float or an int")


def _float(value: Any) -> float:
    try:
        number = _double(value)
        _FLOAT.pack(number)
    except (Misfit, OverflowError):
        raise Misfit(value, f"a float of 4 bytes, up to {3.4e38:g}") from None
    return number


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    raise Misfit(value, "bytes")


def text(value: Any) -> str:
    """Return text that UTF-8 can write, and no subclass of it; the value of an enum's member."""
    if isinstance(value, enum.Enum):
        value = value.value
    if not isinstance(value, str):
        raise Misfit(value, "a string: a str")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Misfit(value, "text that UTF-8 can write, without single surrogates") from None
    return str.__str__(value)


def _fixed(node: Mapping[str, Any]) -> Convert:
    size = node["size"]

    def convert(value: Any) -> bytes:
        if isinstance(value, bytes | bytearray | memoryview) and len(found := bytes(value)) == size:
            return found
        raise Misfit(value, f"{size} bytes")

    return convert


def _enum(node: Mapping[str, Any]) -> Convert:
    symbols = frozenset(node["symbols"])
    listed = ", ".join(node["symbols"])

    def convert(value: Any) -> str:
        if isinstance(value, enum.Enum):
            for found in (value.value, value.name):
                if isinstance(found, str) and found in symbols:
                    return found
        elif isinstance(value, str) and value in symbols:
            return value
        raise Misfit(value, f"one of {listed}")

    return convert


_LEAVES: Mapping[str, Convert] = {
    "null": _null,
    "boolean": _boolean,
    "int": _integer(32, "an int of 32 bits"),
    "long": _integer(64, "a long of 64 bits"),
    "float": _float,
    "double": _double,
    "bytes": _bytes,
    "string": text,
}


def is_exact_float(value: float) -> bool:
    """Tell whether 4 bytes hold a float without loss."""
    try:
        return math.isnan(value) or _FLOAT.unpack(_FLOAT.pack(value))[0] == value
    except OverflowError:
        return False
