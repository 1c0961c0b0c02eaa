"""Serdes for unchanged bytes, and for None only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millstream.core.errors import IllegalArgumentException
from millstream.core.serdes.base import Deserializer, Serializer, plain_bytes, wrong_type
from millstream.core.serdes.halves import StockSerde

BytesLike = bytes | bytearray | memoryview


class ByteArraySerializer(Serializer[BytesLike]):
    """Bytes, unchanged; ``bytearray`` and ``memoryview`` are copied."""

    def serialize(self, topic: str, data: BytesLike | None) -> bytes | None:
        if data is None or type(data) is bytes:
            return data
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise wrong_type(self, topic, data, "bytes")
        return bytes(data)

    def serialize_column(
        self, topic: str, values: Sequence[BytesLike | None]
    ) -> list[bytes | None]:
        serialize = self.serialize
        return [
            value if value is None or type(value) is bytes else serialize(topic, value)
            for value in values
        ]


class ByteArrayDeserializer(Deserializer[bytes]):
    """Bytes as they are."""

    def deserialize(self, topic: str, data: bytes | None) -> bytes | None:
        return data if data is None or type(data) is bytes else plain_bytes(self, data)

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[bytes | None]:
        return list(values)


class BytesSerializer(ByteArraySerializer):
    """Bytes, unchanged: Python's ``bytes`` correspond to Kafka's ``Bytes`` and to Java's arrays."""


class BytesDeserializer(ByteArrayDeserializer):
    """Bytes as they are."""


class ByteBufferSerializer(ByteArraySerializer):
    """Bytes, unchanged; a ``memoryview`` is Python's byte buffer."""


class ByteBufferDeserializer(Deserializer[memoryview]):
    """Bytes as a read-only ``memoryview``."""

    def deserialize(self, topic: str, data: bytes | None) -> memoryview | None:
        return None if data is None else memoryview(plain_bytes(self, data))


class VoidSerializer(Serializer[Any]):
    """Nothing but None.

    Raises:
        ClassCastException: from ``serialize``, for anything else.
    """

    def serialize(self, topic: str, data: Any) -> None:
        if data is not None:
            raise wrong_type(self, topic, data, "None only")


class VoidDeserializer(Deserializer[Any]):
    """Nothing but None."""

    def deserialize(self, topic: str, data: bytes | None) -> None:
        if data is not None:
            raise IllegalArgumentException("Data should be null for a VoidDeserializer.")


class ByteArraySerde(StockSerde[Any]):
    """``bytes`` as they are."""

    plain_type = bytes
    _halves = (ByteArraySerializer, ByteArrayDeserializer)


class BytesSerde(StockSerde[Any]):
    """``bytes`` as they are."""

    plain_type = bytes
    _halves = (BytesSerializer, BytesDeserializer)


class ByteBufferSerde(StockSerde[Any]):
    """A ``memoryview`` over the bytes."""

    _halves = (ByteBufferSerializer, ByteBufferDeserializer)


class VoidSerde(StockSerde[Any]):
    """For keys or values that are always None."""

    plain_type = type(None)
    _halves = (VoidSerializer, VoidDeserializer)
