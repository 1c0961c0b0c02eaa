"""A record's key and value as one value, while the record travels under its id."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from millstream.core.engine.settings import TaskSettings
from millstream.core.headers import Headers
from millstream.core.serdes import (
    Deserializer,
    Serde,
    Serializer,
    deserializer_call,
    serializer_call,
)
from millstream.core.serdes.base import deserialize_column, needs_headers, serialize_column

_LENGTH = struct.Struct(">i")
_NONE = -1


class Carried(NamedTuple):
    """Key and value of a record."""

    key: Any
    value: Any


@dataclass(frozen=True, slots=True)
class CarriedSerializer(Serializer[Carried]):
    """Writes each of the two as its length in 4 bytes, -1 for None, and its bytes."""

    key: Serializer[Any] | None
    """None until the application's default is known."""
    value: Serializer[Any] | None

    def with_defaults(self, settings: TaskSettings) -> CarriedSerializer:
        """Return a copy that knows the application's defaults."""
        keys, values = settings.key_serde, settings.value_serde
        return CarriedSerializer(
            self.key or (None if keys is None else keys.serializer()),
            self.value or (None if values is None else values.serializer()),
        )

    def needs_headers(self) -> bool:
        """Return whether one of the two does."""
        return needs_headers(*(part for part in (self.key, self.value) if part is not None))

    def serialize(self, topic: str, headers: Headers, data: Carried | None) -> bytes | None:  # type: ignore[override]
        if data is None:
            return None
        assert self.key is not None
        assert self.value is not None
        key = serializer_call(self.key)(topic, headers, data.key)
        value = serializer_call(self.value)(topic, headers, data.value)
        return _sized(key) + _sized(value)

    def serialize_column(self, topic: str, values: Sequence[Carried | None]) -> list[bytes | None]:
        """Return many as bytes, each column by itself."""
        if self.needs_headers() or None in values:
            return [self.serialize(topic, Headers(), value) for value in values]
        assert self.key is not None
        assert self.value is not None
        carried = [value for value in values if value is not None]
        keys = serialize_column(self.key, topic, [each.key for each in carried])
        rest = serialize_column(self.value, topic, [each.value for each in carried])
        return [_sized(key) + _sized(value) for key, value in zip(keys, rest, strict=True)]


@dataclass(frozen=True, slots=True)
class CarriedDeserializer(Deserializer[Carried]):
    """Reads what ``CarriedSerializer`` writes."""

    key: Deserializer[Any] | None
    value: Deserializer[Any] | None

    def with_defaults(self, settings: TaskSettings) -> CarriedDeserializer:
        """Return a copy that knows the application's defaults."""
        keys, values = settings.key_serde, settings.value_serde
        return CarriedDeserializer(
            self.key or (None if keys is None else keys.deserializer()),
            self.value or (None if values is None else values.deserializer()),
        )

    def needs_headers(self) -> bool:
        """Return whether one of the two does."""
        return needs_headers(*(part for part in (self.key, self.value) if part is not None))

    def deserialize(self, topic: str, headers: Headers, data: bytes | None) -> Carried | None:  # type: ignore[override]
        if data is None:
            return None
        assert self.key is not None
        assert self.value is not None
        key, value = _split(data)
        return Carried(
            None if key is None else deserializer_call(self.key)(topic, headers, key),
            None if value is None else deserializer_call(self.value)(topic, headers, value),
        )

    def deserialize_column(
        self, topic: str, values: Sequence[bytes | None]
    ) -> list[Carried | None]:
        """Return many, each column by itself."""
        if self.needs_headers() or None in values:
            return [self.deserialize(topic, Headers(), data) for data in values]
        assert self.key is not None
        assert self.value is not None
        parts = [_split(data) for data in values if data is not None]
        keys = deserialize_column(self.key, topic, [key for key, _ in parts])
        rest = deserialize_column(self.value, topic, [value for _, value in parts])
        return list(map(Carried, keys, rest))


@dataclass(frozen=True, slots=True)
class CarriedSerde(Serde[Carried]):
    """The format for keys and values of two serdes; None is the application's default."""

    key: Serde[Any] | None
    value: Serde[Any] | None

    def serializer(self) -> CarriedSerializer:
        """Return the half that writes."""
        parts = (None if each is None else each.serializer() for each in (self.key, self.value))
        return CarriedSerializer(*parts)

    def deserializer(self) -> CarriedDeserializer:
        """Return the half that reads."""
        parts = (None if each is None else each.deserializer() for each in (self.key, self.value))
        return CarriedDeserializer(*parts)


def _sized(data: bytes | None) -> bytes:
    return _LENGTH.pack(_NONE) if data is None else _LENGTH.pack(len(data)) + data


def _split(data: bytes) -> tuple[bytes | None, bytes | None]:
    """Return the bytes of key and value."""
    key, start = _read(data, 0)
    value, _ = _read(data, start)
    return key, value


def _read(data: bytes, start: int) -> tuple[bytes | None, int]:
    (length,) = _LENGTH.unpack_from(data, start)
    start += _LENGTH.size
    return (None, start) if length == _NONE else (data[start : start + length], start + length)
