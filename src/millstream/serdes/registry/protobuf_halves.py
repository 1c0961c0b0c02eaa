"""Protobuf serializer, deserializer and serde with schemas in a registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient

from millstream.core.errors import ClassCastException, SerializationException
from millstream.core.serdes import WrapperSerde
from millstream.core.serdes.varint import read_varint, varint
from millstream.core.wording import a_kind
from millstream.serdes.protobuf.messages import has_required
from millstream.serdes.registry.framing import GUID_BYTES, MAGIC_ID, PREFIX, IdKey
from millstream.serdes.registry.halves import (
    Encode,
    RegistryDeserializer,
    RegistrySerializer,
    SchemaReader,
)

R = TypeVar("R")
PROTOBUF = "PROTOBUF"


class KafkaProtobufSerializer(RegistrySerializer[Any]):
    """Messages: a byte 0, the schema's id in 4 bytes, the message's place in its file, the message.

    Args:
        client: The registry's client, for tests.

    Source: ``io.confluent.kafka.serializers.protobuf.KafkaProtobufSerializer``.
    """

    FORMAT = "Protobuf"
    SCHEMA_TYPE = PROTOBUF
    FETCHED_AS = "serialized"

    def kind_of(self, value: Any) -> Any:
        """Return the message's class."""
        return type(value)

    def schema_of(self, value: Any, topic: str) -> tuple[Schema | None, str | None]:
        """Return a message's file, with those it imports registered, and its full name."""
        descriptor = _descriptor(value, topic, type(self).__name__)
        from confluent_kafka.schema_registry.common.protobuf import _schema_to_str

        references = self._references(descriptor.file)
        return Schema(_schema_to_str(descriptor.file), PROTOBUF, references), descriptor.full_name

    def encoders(self, schema: Schema, value: Any, topic: str) -> tuple[Encode, Encode]:
        """Return the functions from messages to bytes; equal messages give equal bytes."""
        del schema, value, topic
        return _encoded, _encoded

    def after_id(self, value: Any) -> bytes:
        """Return the message's place in its file."""
        return index_bytes(message_index(value.DESCRIPTOR))

    def _references(self, file: Any) -> list[SchemaReference]:
        from confluent_kafka.schema_registry.common.protobuf import _is_builtin, _schema_to_str

        settings = self._configured()
        skip, found = settings.values["skip.known.types"], []
        for imported in file.dependencies:
            if skip and _is_builtin(imported.name):
                continue
            schema = Schema(_schema_to_str(imported), PROTOBUF, self._references(imported))
            subject, place = imported.name, f'the import "{imported.name}"'
            version = self._connection().version(
                subject, schema, settings.writing, self.FORMAT, place
            )
            found.append(SchemaReference(imported.name, subject, version))
        return found


class KafkaProtobufDeserializer(RegistryDeserializer[Any]):
    """Messages with the id of their schema.

    Args:
        client: The registry's client, for tests.
        type: The class of the messages; None: that of ``specific.protobuf.value.type`` (or
            ``key``), else one made from the schema.

    Source: ``io.confluent.kafka.serializers.protobuf.KafkaProtobufDeserializer``.
    """

    FORMAT = "Protobuf"
    SCHEMA_TYPE = PROTOBUF
    FETCHED_AS = "serialized"

    def __init__(self, client: SchemaRegistryClient | None = None, type: Any = None) -> None:
        super().__init__(client)
        self._given_type = type
        self._type = type

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Take the registry's address, and the class of the messages, from the configuration.

        Raises:
            ConfigException: The address is missing, or an entry is wrong.
        """
        super().configure(configs, isKey)
        self._type = self._given_type or self._configured().of_role("specific.protobuf.{role}.type")

    def schema_reader(self, written: Schema, id_key: IdKey, topic: str) -> SchemaReader:
        """Return how bytes become messages."""
        if written.schema_type != PROTOBUF:
            raise SerializationException(
                f"the registry's schema is {written.schema_type or 'AVRO'}, not PROTOBUF",
                detail=f'The topic is "{topic}".',
            )
        in_header = id_key[0] != MAGIC_ID or len(id_key) > PREFIX.size
        head = GUID_BYTES if id_key[0] != MAGIC_ID else PREFIX.size
        shapes: dict[tuple[int, ...], Any] = {}
        if self._type is not None:
            shapes[message_index(self._type.DESCRIPTOR)] = self._type

        def decode(data: bytes, start: int) -> Any:
            if in_header and start == 0:
                index, _ = read_index(id_key, head)
            else:
                index, start = read_index(data, start)
            kind = shapes.get(index)
            if kind is None:
                _check_index(written, index)
                kind = shapes[index] = self._type or self._message_class(written, index)
            found = kind.FromString(data[start:])
            if has_required(kind) and not found.IsInitialized():
                lacking = ", ".join(found.FindInitializationErrors())
                raise SerializationException(f"Required fields are missing: {lacking}")
            return found

        return SchemaReader(decode)

    def _message_class(self, schema: Schema, index: Sequence[int]) -> Any:
        from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer
        from google.protobuf.message_factory import GetMessageClass

        client = self._connection().client
        reader: Any = ProtobufDeserializer.__new__(ProtobufDeserializer)
        try:
            file, pool = _parsed(schema, client)
            found = pool.FindFileByName(file.name)
            return GetMessageClass(reader._get_message_desc(pool, found, list(index)))
        except (ValueError, KeyError, TypeError) as error:
            raise SerializationException(
                "cannot make a message's class from the registry's schema",
                error,
                detail=f"{type(error).__name__}: {error}",
                hint="Name the class: KafkaProtobufSerde(Message).",
            ) from error


class KafkaProtobufSerde(WrapperSerde[R], Generic[R]):
    """Protobuf messages with a schema registry.

    Args:
        type: The class of the messages that are read, as protoc generates it; None: that of the
            entry ``specific.protobuf.value.type`` (or ``key``), else one made from the schema.
        client: The registry's client, for tests.

    Source: ``io.confluent.kafka.streams.serdes.protobuf.KafkaProtobufSerde``.
    """

    def __init__(
        self,
        type: type[R] | SchemaRegistryClient | None = None,
        *,
        client: SchemaRegistryClient | None = None,
    ) -> None:
        if isinstance(type, SchemaRegistryClient):
            type, client = None, type
        super().__init__(KafkaProtobufSerializer(client), KafkaProtobufDeserializer(client, type))


def message_index(descriptor: Any) -> tuple[int, ...]:
    """Return a message's place in its file: its number, or those of the messages around it, too."""
    from confluent_kafka.schema_registry.common.protobuf import _create_index_array

    return tuple(_create_index_array(descriptor))


def index_bytes(index: Sequence[int]) -> bytes:
    """Return a message's place as bytes; the first message of a file is one byte.

    Example:
        >>> index_bytes((0,)), index_bytes((1,)), index_bytes((0, 2))
        (b'\\x00', b'\\x02\\x02', b'\\x04\\x00\\x04')
    """
    if tuple(index) == (0,):
        return b"\0"
    return varint(len(index)) + b"".join(map(varint, index))


def read_index(data: bytes, start: int) -> tuple[tuple[int, ...], int]:
    """Return a message's place, and where the message begins.

    Raises:
        SerializationException: The bytes end within it.
    """
    count, at = read_varint(data, start)
    if count == 0:
        return (0,), at
    found = []
    for _ in range(count):
        number, at = read_varint(data, at)
        found.append(number)
    return tuple(found), at


def _check_index(schema: Schema, index: Sequence[int]) -> None:
    """Refuse a place that a file does not have: a class of another file would read anything."""
    from confluent_kafka.schema_registry.common.protobuf import _str_to_proto
    from confluent_kafka.serialization import SerializationError

    try:
        messages = _str_to_proto("default", str(schema.schema_str)).message_type
    except (SerializationError, ValueError):
        # A registry that gives the text of the file only: nothing to compare with.
        return
    for number in index:
        if not 0 <= number < len(messages):
            raise SerializationException(
                f"the schema has no message {'.'.join(map(str, index))}",
                detail="The bytes name a message by its number in the schema's file.",
                hint="Check that the writer registered the file with which it wrote.",
            )
        messages = messages[number].nested_type


def _encoded(message: Any) -> bytes:
    return message.SerializeToString(deterministic=True)  # type: ignore[no-any-return]


def _descriptor(value: Any, topic: str, serializer: str) -> Any:
    descriptor = getattr(value, "DESCRIPTOR", None)
    if descriptor is None or not hasattr(value, "SerializeToString"):
        raise ClassCastException(
            f"{serializer} cannot serialize {a_kind(value)}",
            detail=f'It writes Protobuf messages; the topic is "{topic}".',
            hint="Give an object of a class that protoc has generated.",
        )
    return descriptor


def _parsed(schema: Schema, client: SchemaRegistryClient) -> tuple[Any, Any]:
    from confluent_kafka.schema_registry._sync.protobuf import _resolve_named_schema
    from confluent_kafka.schema_registry.common.protobuf import _init_pool, _str_to_proto
    from google.protobuf.descriptor_pool import DescriptorPool

    pool = DescriptorPool()
    _init_pool(pool)
    _resolve_named_schema(schema, client, pool)
    file = _str_to_proto("default", str(schema.schema_str))
    pool.Add(file)
    return file, pool
