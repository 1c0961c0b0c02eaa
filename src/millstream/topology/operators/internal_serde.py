"""Base of the serdes of internal topics, whose values hold others that the user's serdes write."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from typing_extensions import Self

from millstream.core.errors import SerializationException
from millstream.core.headers import Headers
from millstream.core.serdes import Deserializer, Serde, Serializer
from millstream.core.serdes.base import (
    DeserializerCall,
    SerializerCall,
    deserializer_call,
    needs_headers,
    serializer_call,
)
from millstream.core.serdes.checks import halves_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class InnerSerde:
    """A user's serde and its calls, looked up once: that costs more than most serdes do."""

    serializer: Serializer[Any]
    deserializer: Deserializer[Any]
    write: SerializerCall
    read: DeserializerCall

    @staticmethod
    def all_of(*serdes: Serde[Any] | None) -> tuple[InnerSerde, ...]:
        """Return the calls of some serdes; of none if one of them is not known."""
        if None in serdes:
            return ()
        where = "inside of that of an internal topic"
        parts = [halves_of(each, where) for each in serdes if each is not None]
        return tuple(
            InnerSerde(writer, reader, serializer_call(writer), deserializer_call(reader))
            for writer, reader in parts
        )

    def needs_headers(self) -> bool:
        """Return whether it writes or reads headers."""
        return needs_headers(self.serializer, self.deserializer)


@dataclass(frozen=True, slots=True)
class InternalSerde(Serde[T], Serializer[T], Deserializer[T]):
    """Serializer, deserializer and serde in one; the inner serdes are configured by their owner."""

    inners: tuple[InnerSerde, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    """Empty until the application's defaults are known."""

    @abstractmethod
    def encode(self, topic: str, headers: Headers, data: T) -> bytes:
        """Return a value as bytes."""

    @abstractmethod
    def decode(self, topic: str, headers: Headers, data: bytes) -> T:
        """Return the value of bytes."""

    def serializer(self) -> Self:
        return self

    def deserializer(self) -> Self:
        return self

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def needs_headers(self) -> bool:
        """Return whether an inner serde writes or reads headers."""
        return not self.inners or any(each.needs_headers() for each in self.inners)

    def serialize(self, topic: str, headers: Headers, data: T | None) -> bytes | None:  # type: ignore[override]
        return None if data is None else self.encode(topic, headers, data)

    def deserialize(self, topic: str, headers: Headers, data: bytes | None) -> T | None:  # type: ignore[override]
        return None if data is None else self.decode(topic, headers, data)


def broken(what: str, data: bytes) -> SerializationException:
    """Return the error for bytes of an internal topic that are not what this package writes."""
    return SerializationException(
        f"the bytes of {what} cannot be read",
        detail=f"They are {len(data)} bytes, and begin with {data[:24]!r}.",
        hint="Only the application itself may write to its internal topics.",
    )
