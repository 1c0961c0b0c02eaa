"""Avro serdes with a schema registry, under Confluent's names."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from confluent_kafka.schema_registry import SchemaRegistryClient

from millstream.core.errors import IllegalArgumentException
from millstream.core.serdes import Deserializer, Serializer, WrapperSerde
from millstream.core.wording import a_kind
from millstream.serdes.avro.classes import SUPPORTED, attributes
from millstream.serdes.registry.avro_halves import (
    GenericAvroDeserializer,
    GenericAvroSerializer,
    KafkaAvroDeserializer,
    KafkaAvroSerializer,
    SpecificAvroDeserializer,
    SpecificAvroSerializer,
)
from millstream.serdes.registry.avro_schemas import PRIMITIVE_OF
from millstream.serdes.registry.generic_record import GenericRecord

R = TypeVar("R")


class SpecificAvroSerde(WrapperSerde[R], Generic[R]):
    """Avro with a schema registry, for objects of record classes and dataclasses.

    The configuration must name the registry (``schema.registry.url``): that of the application if
    the serde is the default one, else call ``configure``.

    Args:
        record_type: The class of the objects that are read; its schema is the reader's, so that
            fields which an older writer did not know get their default. None: a class that is made
            from the writer's schema. A registry's client is taken for ``client``.
        schema: The schema of the class, if it is not the one made from its fields.
        client: The registry's client, for tests.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> serde = SpecificAvroSerde(Point)
        >>> serde.configure({"schema.registry.url": "mock://points"}, False)
        >>> data = serde.serializer().serialize("points", Point(3))
        >>> serde.deserializer().deserialize("points", data)
        Point(x=3, y=0)

    Source: ``io.confluent.kafka.streams.serdes.avro.SpecificAvroSerde``.
    """

    def __init__(
        self,
        record_type: type[R] | SchemaRegistryClient | None = None,
        *,
        schema: Any = None,
        client: SchemaRegistryClient | None = None,
    ) -> None:
        if isinstance(record_type, SchemaRegistryClient):
            record_type, client = None, record_type
        if record_type is not None and attributes(record_type) is None:
            raise IllegalArgumentException(
                f"{getattr(record_type, '__qualname__', a_kind(record_type))} cannot stand for "
                "records",
                hint=f"Give {SUPPORTED}.",
            )
        super().__init__(
            SpecificAvroSerializer(client, schema=schema),
            SpecificAvroDeserializer(client, record_type, schema=schema),
        )


class ReflectionAvroSerde(SpecificAvroSerde[R]):
    """Avro with a schema registry, with the schema made from a class's fields.

    Source: ``io.confluent.kafka.streams.serdes.avro.ReflectionAvroSerde``.
    """


class GenericAvroSerde(WrapperSerde[GenericRecord]):
    """Avro with a schema registry, for dicts: what is read knows its schema.

    Args:
        schema: The schema of what is written, and that records are read as. None: records are
            written with their own (``GenericRecord``), and read with the writer's.
        client: The registry's client, for tests.

    Example:
        >>> schema = {"type": "record", "name": "P", "fields": [{"name": "x", "type": "int"}]}
        >>> serde = GenericAvroSerde(schema)
        >>> serde.configure({"schema.registry.url": "mock://points"}, False)
        >>> data = serde.serializer().serialize("generic-points", {"x": 3})
        >>> serde.deserializer().deserialize("generic-points", data)
        {'x': 3}

    Source: ``io.confluent.kafka.streams.serdes.avro.GenericAvroSerde``.
    """

    def __init__(self, schema: Any = None, *, client: SchemaRegistryClient | None = None) -> None:
        if isinstance(schema, SchemaRegistryClient):
            schema, client = None, schema
        super().__init__(
            GenericAvroSerializer(client, schema=schema),
            GenericAvroDeserializer(client, schema=schema),
        )


class PrimitiveAvroSerde(WrapperSerde[R], Generic[R]):
    """Avro with a schema registry, for single values: most often keys.

    Args:
        type: ``str``, ``int`` (a long), ``float`` (a double), ``bool`` or ``bytes``; or an Avro
            name, such as ``"int"`` for what Java calls Integer. None: by each value's class.
        client: The registry's client, for tests.

    Source: ``io.confluent.kafka.streams.serdes.avro.PrimitiveAvroSerde``.
    """

    def __init__(
        self,
        type: type[R] | str | SchemaRegistryClient | None = None,
        *,
        client: SchemaRegistryClient | None = None,
    ) -> None:
        if isinstance(type, SchemaRegistryClient):
            type, client = None, type
        schema: Any = type
        if type is not None and not isinstance(type, str):
            schema = PRIMITIVE_OF.get(type)
            if schema is None:
                raise IllegalArgumentException(
                    f"{type.__qualname__} is no single value of Avro",
                    hint='Give str, int, float, bool, bytes, or a name such as "int".',
                )
        halves: tuple[Serializer[Any], Deserializer[Any]] = (
            KafkaAvroSerializer(client, schema=schema),
            KafkaAvroDeserializer(client),
        )
        super().__init__(*halves)
