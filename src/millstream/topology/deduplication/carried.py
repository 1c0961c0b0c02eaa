"""Key and value of a record as one value, for its way through a topic that is keyed by its id."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from millstream.core.engine.settings import TaskSettings
from millstream.core.headers import Headers
from millstream.core.serdes import Serde
from millstream.core.serdes.base import deserialize_column, serialize_column
from millstream.topology.operators.internal_serde import InnerSerde, InternalSerde, broken

_LENGTH = struct.Struct(">i")
_NONE = -1


class Carried(NamedTuple):
    """Key and value of a record."""

    key: Any
    value: Any


@dataclass(frozen=True, slots=True)
class CarriedSerde(InternalSerde[Carried]):
    """Writes each of the two as its length in 4 bytes, -1 for None, and its bytes."""

    key: Serde[Any] | None
    """None until the application's default is known."""
    value: Serde[Any] | None

    def with_defaults(self, settings: TaskSettings) -> CarriedSerde:
        """Return a copy that knows the application's defaults."""
        serdes = self.key or settings.key_serde, self.value or settings.value_serde
        return replace(self, inners=InnerSerde.all_of(*serdes))

    def encode(self, topic: str, headers: Headers, data: Carried) -> bytes:
        key = self.inners[0].write(topic, headers, data.key)
        value = self.inners[1].write(topic, headers, data.value)
        return _sized(key) + _sized(value)

    def decode(self, topic: str, headers: Headers, data: bytes) -> Carried:
        key, value = _split(data)
        return Carried(
            None if key is None else self.inners[0].read(topic, headers, key),
            None if value is None else self.inners[1].read(topic, headers, value),
        )

    def serialize_column(self, topic: str, values: Sequence[Carried | None]) -> list[bytes | None]:
        """Return many as bytes, each column by itself."""
        if self.needs_headers() or None in values:
            return [self.serialize(topic, Headers(), value) for value in values]
        carried = [value for value in values if value is not None]
        writers = self.inners[0].serializer, self.inners[1].serializer
        keys = serialize_column(writers[0], topic, [each.key for each in carried])
        rest = serialize_column(writers[1], topic, [each.value for each in carried])
        return [_sized(key) + _sized(value) for key, value in zip(keys, rest, strict=True)]

    def deserialize_column(
        self, topic: str, values: Sequence[bytes | None]
    ) -> list[Carried | None]:
        """Return many, each column by itself."""
        if self.needs_headers() or None in values:
            return [self.deserialize(topic, Headers(), data) for data in values]
        parts = [_split(data) for data in values if data is not None]
        readers = self.inners[0].deserializer, self.inners[1].deserializer
        keys = deserialize_column(readers[0], topic, [key for key, _ in parts])
        rest = deserialize_column(readers[1], topic, [data for _, data in parts])
        return list(map(Carried, keys, rest))


def _sized(data: bytes | None) -> bytes:
    return _LENGTH.pack(_NONE) if data is None else _LENGTH.pack(len(data)) + data


def _split(data: bytes) -> tuple[bytes | None, bytes | None]:
    """Return the bytes of key and value."""
    try:
        key, start = _read(data, 0)
        value, end = _read(data, start)
    except struct.error as error:
        raise broken("a record on its way to its id", data) from error
    if end != len(data):
        raise broken("a record on its way to its id", data)
    return key, value


def _read(data: bytes, start: int) -> tuple[bytes | None, int]:
    (length,) = _LENGTH.unpack_from(data, start)
    start += _LENGTH.size
    return (None, start) if length == _NONE else (data[start : start + length], start + length)
