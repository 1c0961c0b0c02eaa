"""Serdes for numbers in Kafka's binary formats: big endian, fixed width."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, ClassVar

from millstream.core.errors import SerializationException
from millstream.core.serdes.base import Deserializer, Serializer, wrong_type
from millstream.core.serdes.halves import WrapperSerde

NULLABLE_INT = {int, type(None)}
NULLABLE_FLOAT = {float, type(None)}


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
                f"{type(self).__name__} cannot serialize {data}",
                detail=f"It does not fit into {self.layout.size * 8} bits.",
            ) from error

    def serialize_column(self, topic: str, values: Sequence[int | None]) -> list[bytes | None]:
        if set(map(type, values)) <= NULLABLE_INT:
            pack = self.layout.pack
            try:
                return [None if value is None else pack(value) for value in values]
            except struct.error:  # one is out of range: the slow way names it
                pass
        return [self.serialize(topic, value) for value in values]


class _IntegralDeserializer(Deserializer[int]):
    layout: ClassVar[struct.Struct]

    def deserialize(self, topic: str, data: bytes | None) -> int | None:
        if data is None:
            return None
        if len(data) != self.layout.size:
            raise _wrong_size(type(self).__name__, self.layout.size, data)
        value: int = self.layout.unpack(data)[0]
        return value

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[int | None]:
        return _unpack_column(self, topic, values)


class _FloatingSerializer(Serializer[float]):
    layout: ClassVar[struct.Struct]

    def serialize(self, topic: str, data: float | None) -> bytes | None:
        if data is None:
            return None
        if not isinstance(data, (float, int)) or isinstance(data, bool):
            raise wrong_type(self, topic, data, "floating-point numbers")
        try:
            return self.layout.pack(data)
        except OverflowError:
            # Java's cast to the narrower type rounds to infinity.
            return self.layout.pack(float("inf") if data > 0 else float("-inf"))

    def serialize_column(self, topic: str, values: Sequence[float | None]) -> list[bytes | None]:
        if set(map(type, values)) <= NULLABLE_FLOAT:
            pack = self.layout.pack
            try:
                return [None if value is None else pack(value) for value in values]
            except OverflowError:
                pass
        return [self.serialize(topic, value) for value in values]


class _FloatingDeserializer(Deserializer[float]):
    layout: ClassVar[struct.Struct]

    def deserialize(self, topic: str, data: bytes | None) -> float | None:
        if data is None:
            return None
        if len(data) != self.layout.size:
            raise _wrong_size("Deserializer", self.layout.size, data)
        value: float = self.layout.unpack(data)[0]
        return value

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[float | None]:
        return _unpack_column(self, topic, values)


class LongSerializer(_IntegralSerializer):
    """Integers in 8 bytes."""

    layout = struct.Struct(">q")


class LongDeserializer(_IntegralDeserializer):
    """Integers from 8 bytes."""

    layout = struct.Struct(">q")


class IntegerSerializer(_IntegralSerializer):
    """Integers in 4 bytes."""

    layout = struct.Struct(">i")


class IntegerDeserializer(_IntegralDeserializer):
    """Integers from 4 bytes."""

    layout = struct.Struct(">i")


class ShortSerializer(_IntegralSerializer):
    """Integers in 2 bytes."""

    layout = struct.Struct(">h")


class ShortDeserializer(_IntegralDeserializer):
    """Integers from 2 bytes."""

    layout = struct.Struct(">h")


class DoubleSerializer(_FloatingSerializer):
    """Floating-point numbers in 8 bytes."""

    layout = struct.Struct(">d")


class DoubleDeserializer(_FloatingDeserializer):
    """Floating-point numbers from 8 bytes."""

    layout = struct.Struct(">d")


class FloatSerializer(_FloatingSerializer):
    """Floating-point numbers in 4 bytes, which drops digits."""

    layout = struct.Struct(">f")


class FloatDeserializer(_FloatingDeserializer):
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
        if len(data) != 1:
            raise _wrong_size("BooleanDeserializer", 1, data)
        if data[0] > 1:
            signed = data[0] - 256 if data[0] > 127 else data[0]
            raise SerializationException(
                f"Unexpected byte received by BooleanDeserializer: {signed}"
            )
        return data[0] == 1


class LongSerde(WrapperSerde[int]):
    """Integers as 8 bytes, big endian."""

    plain_type = int

    def __init__(self) -> None:
        super().__init__(LongSerializer(), LongDeserializer())


class IntegerSerde(WrapperSerde[int]):
    """Integers as 4 bytes, big endian."""

    plain_type = int

    def __init__(self) -> None:
        super().__init__(IntegerSerializer(), IntegerDeserializer())


class ShortSerde(WrapperSerde[int]):
    """Integers as 2 bytes, big endian."""

    plain_type = int

    def __init__(self) -> None:
        super().__init__(ShortSerializer(), ShortDeserializer())


class DoubleSerde(WrapperSerde[float]):
    """Floating-point numbers as 8 bytes, big endian."""

    plain_type = float

    def __init__(self) -> None:
        super().__init__(DoubleSerializer(), DoubleDeserializer())


class FloatSerde(WrapperSerde[float]):
    """Floating-point numbers as 4 bytes, big endian; Python's have more digits than that."""

    def __init__(self) -> None:
        super().__init__(FloatSerializer(), FloatDeserializer())


class BooleanSerde(WrapperSerde[bool]):
    """Truth values as one byte."""

    plain_type = bool

    def __init__(self) -> None:
        super().__init__(BooleanSerializer(), BooleanDeserializer())


def _wrong_size(who: str, size: int, data: bytes) -> SerializationException:
    hint = ""
    if {size, len(data)} == {4, 8}:
        hint = (
            "Serdes.Integer() and Serdes.Float() are for 4 bytes; Serdes.Long() and "
            "Serdes.Double(), which serdeFrom(int) and serdeFrom(float) give, for 8."
        )
    return SerializationException(
        f"Size of data received by {who} is not {size}", detail=f"It is {len(data)}.", hint=hint
    )


def _unpack_column(
    deserializer: _IntegralDeserializer | _FloatingDeserializer,
    topic: str,
    values: Sequence[bytes | None],
) -> list[Any]:
    layout = deserializer.layout
    try:
        # One unpack for the whole column is right only if each value has the size: two wrong
        # ones could make up for each other.
        if set(map(len, values)) == {layout.size}:  # type: ignore[arg-type]  # None: TypeError
            return list(
                struct.unpack(f">{len(values)}{layout.format[-1]}", b"".join(values))  # type: ignore[arg-type]
            )
    except TypeError:
        pass
    return [deserializer.deserialize(topic, value) for value in values]
