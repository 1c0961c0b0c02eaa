"""Serdes for numbers in Kafka's binary formats: big endian, fixed width."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from millstream.core.errors import SerializationException
from millstream.core.serdes.base import Deserializer, Serializer, plain_bytes, wrong_type
from millstream.core.serdes.halves import StockSerde

T = TypeVar("T")

NULLABLE_INT = {int, type(None)}
NULLABLE_FLOAT = {float, type(None)}

_SHOWN_BITS = 256


class _IntegralSerializer(Serializer[int]):
    layout: ClassVar[struct.Struct]

    def serialize(self, topic: str, data: int | None) -> bytes | None:
        if data is None:
            return None
        if not isinstance(data, int) or isinstance(data, bool):
            raise wrong_type(self, topic, data, "integers")
        try:
            return self.layout.pack(data)
        except struct.error as error:
            raise SerializationException(
                f"{type(self).__name__} cannot serialize {_shown(data)}",
                detail=f"It does not fit into {self.layout.size * 8} bits.",
            ) from error

    def serialize_column(self, topic: str, values: Sequence[int | None]) -> list[bytes | None]:
        if set(map(type, values)) <= NULLABLE_INT:
            pack = self.layout.pack
            try:
                return [None if value is None else pack(value) for value in values]
            except struct.error:  # a value is out of range; serialize() names it
                pass
        return [self.serialize(topic, value) for value in values]


class _FloatingSerializer(Serializer[float]):
    layout: ClassVar[struct.Struct]

    def serialize(self, topic: str, data: float | None) -> bytes | None:
        if data is None:
            return None
        if not isinstance(data, (float, int)) or isinstance(data, bool):
            raise wrong_type(self, topic, data, "floating-point numbers")
        try:
            return self.layout.pack(data)
        except (OverflowError, struct.error):
            # Java's cast to the narrower type rounds to infinity, and so does doubleValue() of a
            # BigInteger; of an int, Python tells it by its other error.
            return self.layout.pack(float("inf") if data > 0 else float("-inf"))

    def serialize_column(self, topic: str, values: Sequence[float | None]) -> list[bytes | None]:
        if set(map(type, values)) <= NULLABLE_FLOAT:
            pack = self.layout.pack
            try:
                return [None if value is None else pack(value) for value in values]
            except OverflowError:
                pass
        return [self.serialize(topic, value) for value in values]


class _NumberDeserializer(Deserializer[T]):
    layout: ClassVar[struct.Struct]

    def deserialize(self, topic: str, data: bytes | None) -> T | None:
        if data is None:
            return None
        if type(data) is not bytes:
            data = plain_bytes(self, data)
        if len(data) != self.layout.size:
            # As Kafka's do, those of floats do not tell their class.
            integral = self.layout.format[-1] in "hiq"
            who = type(self).__name__ if integral else "Deserializer"
            raise _wrong_size(who, self.layout.size, data)
        value: T = self.layout.unpack(data)[0]
        return value

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[T | None]:
        layout = self.layout
        try:
            # One unpack for the whole column needs the right size of each value: two wrong sizes
            # could add up to the right sum.
            if set(map(len, values)) == {layout.size}:  # type: ignore[arg-type]  # None: TypeError
                return list(
                    struct.unpack(f">{len(values)}{layout.format[-1]}", b"".join(values))  # type: ignore[arg-type]
                )
        except TypeError:
            pass
        return [self.deserialize(topic, value) for value in values]


class LongSerializer(_IntegralSerializer):
    """Integers in 8 bytes."""

    layout = struct.Struct(">q")


class LongDeserializer(_NumberDeserializer[int]):
    """Integers from 8 bytes."""

    layout = struct.Struct(">q")


class IntegerSerializer(_IntegralSerializer):
    """Integers in 4 bytes."""

    layout = struct.Struct(">i")


class IntegerDeserializer(_NumberDeserializer[int]):
    """Integers from 4 bytes."""

    layout = struct.Struct(">i")


class ShortSerializer(_IntegralSerializer):
    """Integers in 2 bytes."""

    layout = struct.Struct(">h")


class ShortDeserializer(_NumberDeserializer[int]):
    """Integers from 2 bytes."""

    layout = struct.Struct(">h")


class DoubleSerializer(_FloatingSerializer):
    """Floating-point numbers in 8 bytes; as in Java, each NaN in the same ones."""

    layout = struct.Struct(">d")

    def serialize(self, topic: str, data: float | None) -> bytes | None:
        # The sign of a NaN tells where it comes from: that of inf - inf has one.
        if isinstance(data, float) and math.isnan(data):
            data = math.nan
        return super().serialize(topic, data)

    def serialize_column(self, topic: str, values: Sequence[float | None]) -> list[bytes | None]:
        types = set(map(type, values))
        if types <= NULLABLE_FLOAT:
            # A sum with a NaN is one, and a sum is quick.
            floats: Any = filter(None, values) if type(None) in types else values
            if not math.isnan(sum(floats)):
                pack = self.layout.pack
                return [None if value is None else pack(value) for value in values]
        return [self.serialize(topic, value) for value in values]


class DoubleDeserializer(_NumberDeserializer[float]):
    """Floating-point numbers from 8 bytes."""

    layout = struct.Struct(">d")


class FloatSerializer(_FloatingSerializer):
    """Floating-point numbers in 4 bytes, with a loss of digits."""

    layout = struct.Struct(">f")


class FloatDeserializer(_NumberDeserializer[float]):
    """Floating-point numbers from 4 bytes."""

    layout = struct.Struct(">f")


class BooleanSerializer(Serializer[bool]):
    """Truth values in one byte."""

    def serialize(self, topic: str, data: bool | None) -> bytes | None:
        if data is None:
            return None
        if not isinstance(data, bool):
            raise wrong_type(self, topic, data, "truth values")
        return b"\x01" if data else b"\x00"


class BooleanDeserializer(Deserializer[bool]):
    """Truth values from one byte, 0 or 1."""

    def deserialize(self, topic: str, data: bytes | None) -> bool | None:
        if data is None:
            return None
        if type(data) is not bytes:
            data = plain_bytes(self, data)
        if len(data) != 1:
            raise _wrong_size("BooleanDeserializer", 1, data)
        if data[0] > 1:
            signed = data[0] - 256 if data[0] > 127 else data[0]
            raise SerializationException(
                f"Unexpected byte received by BooleanDeserializer: {signed}"
            )
        return data[0] == 1


class LongSerde(StockSerde[int]):
    """Integers as 8 bytes, big endian."""

    plain_type = int
    _halves = (LongSerializer, LongDeserializer)


class IntegerSerde(StockSerde[int]):
    """Integers as 4 bytes, big endian."""

    plain_type = int
    _halves = (IntegerSerializer, IntegerDeserializer)


class ShortSerde(StockSerde[int]):
    """Integers as 2 bytes, big endian."""

    plain_type = int
    _halves = (ShortSerializer, ShortDeserializer)


class DoubleSerde(StockSerde[float]):
    """Floating-point numbers as 8 bytes, big endian."""

    plain_type = float
    _halves = (DoubleSerializer, DoubleDeserializer)


class FloatSerde(StockSerde[float]):
    """Floating-point numbers as 4 bytes, big endian; Python's floats have more digits."""

    _halves = (FloatSerializer, FloatDeserializer)


class BooleanSerde(StockSerde[bool]):
    """Truth values as one byte."""

    plain_type = bool
    _halves = (BooleanSerializer, BooleanDeserializer)


def _shown(number: int) -> str:
    """Return a number as text; Python writes no number of some thousand digits."""
    bits = number.bit_length()
    return str(number) if bits <= _SHOWN_BITS else f"a number of {bits} bits"


def _wrong_size(who: str, size: int, data: bytes) -> SerializationException:
    hint = ""
    if {size, len(data)} == {4, 8}:
        hint = (
            "Serdes.Integer() and Serdes.Float() are for 4 bytes; Serdes.Long() and "
            "Serdes.Double(), the results of serdeFrom(int) and serdeFrom(float), for 8."
        )
    return SerializationException(
        f"Size of data received by {who} is not {size}", detail=f"It is {len(data)}.", hint=hint
    )
