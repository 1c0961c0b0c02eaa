"""How an update of a table is written to a repartition topic: new value, old value, or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from millstream.core.engine.settings import TaskSettings
from millstream.core.errors import StreamsException
from millstream.core.headers import Headers
from millstream.core.records import Change
from millstream.core.serdes import Deserializer, Serde, Serializer
from millstream.core.serdes.base import deserializer_call, serializer_call
from millstream.core.serdes.varint import read_varint, varint

_OLD, _NEW, _BOTH = b"\x00", b"\x01", b"\x02"


@dataclass(frozen=True, slots=True)
class ChangeSerializer(Serializer[Change[Any]]):
    """Writes the values and, as the last byte, which of them there are.

    ``old 0``, ``new 1``, or ``length-of-new new old 2`` with the length as a varint (KIP-904).

    Source: Kafka's ``ChangedSerializer``.
    """

    inner: Serializer[Any] | None
    """Writes one value; None until the application's default is known."""

    def with_defaults(self, settings: TaskSettings) -> ChangeSerializer:
        """Return a copy that knows the application's default."""
        serde = settings.value_serde
        return ChangeSerializer(self.inner or (None if serde is None else serde.serializer()))

    def serialize(self, topic: str, headers: Headers, data: Change[Any] | None) -> bytes | None:  # type: ignore[override]
        if data is None:
            return None
        assert self.inner is not None
        write = serializer_call(self.inner)
        new = None if data.new is None else write(topic, headers, data.new)
        old = None if data.old is None else write(topic, headers, data.old)
        if data.new is not None and data.old is not None:
            new, old = new or b"", old or b""
            return varint(len(new)) + new + old + _BOTH
        if data.new is not None:
            return (new or b"") + _NEW
        if data.old is not None:
            return (old or b"") + _OLD
        raise StreamsException("an update of a table has neither a new nor an old value")


@dataclass(frozen=True, slots=True)
class ChangeDeserializer(Deserializer[Change[Any]]):
    """Reads what ``ChangeSerializer`` writes. Source: Kafka's ``ChangedDeserializer``."""

    inner: Deserializer[Any] | None

    def with_defaults(self, settings: TaskSettings) -> ChangeDeserializer:
        """Return a copy that knows the application's default."""
        serde = settings.value_serde
        return ChangeDeserializer(self.inner or (None if serde is None else serde.deserializer()))

    def deserialize(self, topic: str, headers: Headers, data: bytes | None) -> Change[Any] | None:  # type: ignore[override]
        if data is None:
            return None
        assert self.inner is not None
        read = deserializer_call(self.inner)
        body, flag = data[:-1], data[-1:]
        if flag == _NEW:
            return Change(read(topic, headers, body), None)
        if flag == _OLD:
            return Change(None, read(topic, headers, body))
        if flag != _BOTH:
            raise StreamsException(f"an update of a table is marked {data[-1]}, not 0, 1 or 2")
        length, start = read_varint(body)
        new, old = body[start : start + length], body[start + length :]
        return Change(read(topic, headers, new), read(topic, headers, old))


@dataclass(frozen=True, slots=True)
class ChangeSerde(Serde[Change[Any]]):
    """The format for values of one serde; None is the application's default."""

    inner: Serde[Any] | None

    def serializer(self) -> ChangeSerializer:
        """Return the half that writes."""
        return ChangeSerializer(None if self.inner is None else self.inner.serializer())

    def deserializer(self) -> ChangeDeserializer:
        """Return the half that reads."""
        return ChangeDeserializer(None if self.inner is None else self.inner.deserializer())
