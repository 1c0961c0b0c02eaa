"""Avro schemas between a registry and this library: texts, references, names."""

from __future__ import annotations

from functools import lru_cache

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry._sync.avro import _resolve_named_schema
from confluent_kafka.schema_registry.common.avro import parse_schema_with_repo

from millstream.core.errors import IllegalArgumentException, SerializationException
from millstream.serdes.avro.schema import (
    PRIMITIVES,
    RECORDS,
    AvroSchema,
    avro_schema,
    kind_of,
)
from millstream.serdes.registry.avro_text import java_text

AVRO = "AVRO"
PRIMITIVE_OF: dict[type, AvroSchema] = {
    str: avro_schema("string"),
    bool: avro_schema("boolean"),
    int: avro_schema("long"),
    float: avro_schema("double"),
    bytes: avro_schema("bytes"),
}
"""The schema of values that are no records, as Java's serializer chooses it by their class."""


@lru_cache(maxsize=1024)
def registered(schema: AvroSchema) -> Schema:
    """Return a schema as it is registered: in the form of Java's."""
    return Schema(java_text(schema.text), AVRO)


def record_name(schema: AvroSchema) -> str | None:
    """Return the full name of a record, an enum or a fixed; None for other schemas."""
    name = schema.name
    return None if name in PRIMITIVES or name in ("union", "array", "map") else name


def is_record(schema: AvroSchema) -> bool:
    """Tell whether a schema is that of a record."""
    return kind_of(schema.root) in RECORDS


def records_of_union(schema: AvroSchema) -> list[str]:
    """Return the full names of the records of a schema that is a union; none for other schemas."""
    branches = schema.root if isinstance(schema.root, list) else []
    found = map(schema.resolved, branches)
    return [each["name"] for each in found if kind_of(each) in RECORDS]


def parsed_schema(schema: Schema, client: SchemaRegistryClient) -> AvroSchema:
    """Return a registry's schema, with those that it refers to.

    Raises:
        SerializationException: It is no Avro schema.
    """
    kind = schema.schema_type or AVRO
    if kind != AVRO:
        raise SerializationException(
            f"the registry's schema is {kind}, not AVRO",
            hint="Read the topic with KafkaJsonSchemaSerde or KafkaProtobufSerde.",
        )
    try:
        if not schema.references:
            return avro_schema(_text(schema))
        named = _resolve_named_schema(schema, client)
        return avro_schema(parse_schema_with_repo(_text(schema), named))
    except IllegalArgumentException as error:
        raise SerializationException(
            "the registry's schema is no Avro schema", error, detail=str(error)
        ) from error


def _text(schema: Schema) -> str:
    return str(schema.schema_str).strip().strip('"') if _is_name(schema) else str(schema.schema_str)


def _is_name(schema: Schema) -> bool:
    return str(schema.schema_str).strip().strip('"') in PRIMITIVES
