"""Protobuf serde: messages without a header."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TypeVar

from google.protobuf.message import DecodeError, EncodeError, Message

from millstream.core.errors import ClassCastException, SerializationException
from millstream.core.serdes import Deserializer, Serializer, WrapperSerde
from millstream.core.serdes.misfits import registry_hint
from millstream.core.wording import a_kind
from millstream.serdes.protobuf import messages

M = TypeVar("M")
_BAD = (DecodeError, ValueError, RecursionError)


class ProtobufSerializer(Serializer[Any]):
    """Messages of one class as bytes. See ``ProtobufSerde``.

    Entries of maps are sorted: equal messages give equal bytes.
    """

    def __init__(self, message_class: Any) -> None:
        self._class = messages.checked(message_class)
        self._name = self._class.DESCRIPTOR.full_name
        self._format = f"{self._name}, {messages.digest(self._class)}"

    def serialize(self, topic: str, data: Any) -> bytes | None:
        if data is None:
            return None
        # A class that has travelled as descriptors is another one, with the same name.
        if not isinstance(data, Message) or data.DESCRIPTOR.full_name != self._name:
            raise ClassCastException(
                f"ProtobufSerializer cannot serialize {a_kind(data)} as {self._name}",
                detail=f'The topic is "{topic}".',
                hint="Name a serde for this message at the operator, or change default.key.serde "
                "or default.value.serde.",
            )
        try:
            found: bytes = data.SerializeToString(deterministic=True)
        except (EncodeError, ValueError, RecursionError) as error:
            raise SerializationException(
                f"ProtobufSerializer cannot serialize a message of {self._name}",
                detail=f'{error}; the topic is "{topic}".',
            ) from error
        return found

    def serialize_column(self, topic: str, values: Sequence[Any]) -> list[bytes | None]:
        if {*map(type, values)} <= {self._class, type(None)}:
            with suppress(EncodeError, ValueError, RecursionError):
                return [
                    None if value is None else value.SerializeToString(deterministic=True)
                    for value in values
                ]
        return [self.serialize(topic, value) for value in values]

    def __reduce__(self) -> tuple[Any, ...]:
        return _serializer, messages.reference(self._class)


class ProtobufDeserializer(Deserializer[Any]):
    """Messages of one class from bytes. See ``ProtobufSerde``."""

    def __init__(self, message_class: Any) -> None:
        self._class = messages.checked(message_class)
        self._name = self._class.DESCRIPTOR.full_name
        self._format = f"{self._name}, {messages.digest(self._class)}"
        self._read = self._class.FromString
        self._may_lack = messages.has_required(self._class)

    def deserialize(self, topic: str, data: bytes | None) -> Any:
        if data is None:
            return None
        try:
            found = self._read(bytes(data))
        except _BAD as error:
            raise SerializationException(
                f"ProtobufDeserializer received bytes that are not {self._name}",
                detail=f'{error}; they are {len(data)} bytes, the topic is "{topic}".',
                hint=registry_hint(data),
            ) from error
        if self._may_lack and not found.IsInitialized():
            lacking = ", ".join(found.FindInitializationErrors())
            raise SerializationException(
                f"ProtobufDeserializer received bytes that are not a whole {self._name}",
                detail=f'Required fields are missing: {lacking}; the topic is "{topic}".',
            )
        return found

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[Any]:
        if not self._may_lack:
            read = self._read
            # One by one, the first that fails is told.
            with suppress(*_BAD, TypeError):
                return [None if value is None else read(value) for value in values]
        return [self.deserialize(topic, value) for value in values]

    def __reduce__(self) -> tuple[Any, ...]:
        return _deserializer, messages.reference(self._class)


class ProtobufSerde(WrapperSerde[M]):
    """Protobuf without a schema registry: the bytes of one message, and nothing else.

    Args:
        message_class: A class that ``protoc`` has generated, or one made at run time by
            ``google.protobuf.message_factory``; that travels to workers as its descriptors.

    Raises:
        IllegalArgumentException: It is no message class.

    Example:
        >>> from google.protobuf.wrappers_pb2 import Int64Value
        >>> serde = ProtobufSerde(Int64Value)
        >>> serde.serializer().serialize("counts", Int64Value(value=7))
        b'\\x08\\x07'
    """

    def __init__(self, message_class: type[M]) -> None:
        super().__init__(ProtobufSerializer(message_class), ProtobufDeserializer(message_class))


def _serializer(home: Any, name: str) -> ProtobufSerializer:
    return ProtobufSerializer(messages.found(home, name))


def _deserializer(home: Any, name: str) -> ProtobufDeserializer:
    return ProtobufDeserializer(messages.found(home, name))
