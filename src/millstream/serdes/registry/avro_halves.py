"""Avro serializer and deserializer with a schema registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient

from millstream.core.errors import SerializationException
from millstream.core.wording import a_kind
from millstream.serdes.avro.classes import attributes
from millstream.serdes.avro.column_decoder import ColumnDecoder
from millstream.serdes.avro.decoder import decoder
from millstream.serdes.avro.derive import schema_of_class
from millstream.serdes.avro.encoder import encoder
from millstream.serdes.avro.fit import refuse_unfit
from millstream.serdes.avro.misfit import Misfit
from millstream.serdes.avro.records import NamedRecord, avro_record_class
from millstream.serdes.avro.schema import AvroSchema, avro_schema, kind_of
from millstream.serdes.avro.to_datum import converter
from millstream.serdes.registry.avro_schemas import (
    AVRO,
    PRIMITIVE_OF,
    is_record,
    parsed_schema,
    record_name,
    records_of_union,
    registered,
)
from millstream.serdes.registry.framing import IdKey
from millstream.serdes.registry.generic_record import GenericRecord
from millstream.serdes.registry.halves import (
    Decode,
    DecodeMany,
    Encode,
    RegistryDeserializer,
    RegistrySerializer,
    SchemaReader,
)

_LATEST = "use.latest.version=true with auto.register.schemas=false"


class KafkaAvroSerializer(RegistrySerializer[Any]):
    """Objects as Avro: a byte 0, the schema's id in 4 bytes, the datum.

    Args:
        client: The registry's client, for tests.
        schema: The schema of all values; None: each value's own. Dataclasses, record classes and
            ``GenericRecord`` have one, and so have str, int (long), float (double), bool and bytes.

    Source: ``io.confluent.kafka.serializers.KafkaAvroSerializer``.
    """

    FORMAT = "Avro"
    SCHEMA_TYPE = AVRO
    varied = frozenset({GenericRecord})

    def __init__(self, client: SchemaRegistryClient | None = None, *, schema: Any = None) -> None:
        super().__init__(client)
        self._schema = None if schema is None else avro_schema(schema)

    def kind_of(self, value: Any) -> Any:
        """Return the value's class; for generic records their schema."""
        if type(value) is GenericRecord and self._schema is None:
            return value.schema.text
        return type(value)

    def schema_of(self, value: Any, topic: str) -> tuple[Schema | None, str | None]:
        """Return a value's schema and its record's name."""
        schema = self._schema_of(value, topic)
        return (None, None) if schema is None else (registered(schema), record_name(schema))

    def encoders(self, schema: Schema, value: Any, topic: str) -> tuple[Encode, Encode]:
        """Return the functions from values to data."""
        del value
        parsed = parsed_schema(schema, self._connection().client)
        if parsed.root == "bytes":
            return bytes, bytes
        encode, convert = encoder(parsed), converter(parsed)

        def converted(data: Any) -> bytes:
            try:
                return encode(convert(data))
            except Misfit as misfit:
                raise misfit.error(parsed.name, topic) from None

        return encode, converted

    def check_readable(self, latest: Schema, own: Schema, place: str) -> None:
        """Refuse the registry's schema if it cannot read what the value's own would write."""
        from millstream.serdes.registry.mock import unreadable

        if reason := unreadable(latest, own, self._connection().client):
            raise SerializationException(
                f"Incompatible schema {latest.schema_str} for schema {own.schema_str}. Set "
                "latest.compatibility.strict=false to disable this check",
                detail=f"{reason}; {place}.",
            )

    def _schema_of(self, value: Any, topic: str) -> AvroSchema | None:
        if self._schema is not None:
            return self._schema
        kind: Any = type(value)
        if kind is GenericRecord:
            return value.schema  # type: ignore[no-any-return]
        if kind in PRIMITIVE_OF:
            return PRIMITIVE_OF[kind]
        if attributes(kind) is not None:
            return schema_of_class(kind)
        for known, schema in PRIMITIVE_OF.items():
            if isinstance(value, known):
                return schema
        writing = self._configured().writing
        if writing.use_latest or writing.use_id >= 0:
            return None
        raise SerializationException(
            f"{type(self).__name__} cannot tell the schema of {a_kind(value)}",
            detail=f'The topic is "{topic}".',
            hint="Give the serde a schema: GenericAvroSerde(schema); return a "
            f"GenericRecord(schema, fields); or set {_LATEST}.",
        )


class KafkaAvroDeserializer(RegistryDeserializer[Any]):
    """Objects from Avro with the id of their schema.

    Args:
        client: The registry's client, for tests.
        type: The class of the objects; None: that of the entry ``specific.avro.value.type`` (or
            ``key``), or with ``specific.avro.reader`` one made from the schema, else
            ``GenericRecord``. What is no record is itself.
        schema: The schema that records are read as; None: the class's own, else the writer's.
        specific: Whether records become objects of classes whatever the configuration says.

    Source: ``io.confluent.kafka.serializers.KafkaAvroDeserializer``.
    """

    FORMAT = "Avro"
    SCHEMA_TYPE = AVRO

    def __init__(
        self,
        client: SchemaRegistryClient | None = None,
        type: Any = None,
        *,
        schema: Any = None,
        specific: bool = False,
    ) -> None:
        super().__init__(client)
        self._schema = None if schema is None else avro_schema(schema)
        self._given_type = type
        self._type = type
        self._specific = self._makes_classes = specific

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Take the registry's address, and the class of the objects, from the configuration.

        Raises:
            ConfigException: The address is missing, or an entry is wrong.
        """
        super().configure(configs, isKey)
        settings = self._configured()
        self._type = self._given_type or settings.of_role("specific.avro.{role}.type")
        self._makes_classes = self._specific or settings.values["specific.avro.reader"]

    def schema_reader(self, written: Schema, id_key: IdKey, topic: str) -> SchemaReader:
        """Return how data of a schema become objects."""
        del id_key
        client = self._connection().client
        writer = parsed_schema(written, client)
        reader, wanted = self._reader(writer, topic)
        if writer.root == "bytes":
            return SchemaReader(lambda data, start: data[start:])
        if wanted is not None:
            refuse_unfit(reader, wanted)
        decode: Any = decoder(writer, reader, wanted)
        many = ColumnDecoder(writer, reader, wanted).decoded
        made = _generic_maker(reader) if wanted is None else None
        return SchemaReader(decode, many) if made is None else _generic_reader(made, decode, many)

    def _reader(self, writer: AvroSchema, topic: str) -> tuple[AvroSchema, Any]:
        """Return the schema and the class of the objects that a schema's data become."""
        wanted, own = self._type, self._schema
        if own is None and wanted is not None and attributes(wanted) is not None:
            own = schema_of_class(wanted)
        if own is None:
            text = str(registered(writer).schema_str)
            newest = self.latest_of(topic, record_name(writer), text)
            own = writer if newest is None else parsed_schema(newest, self._connection().client)
        if wanted is None and self._makes_classes:
            names = [own.name] if is_record(own) else records_of_union(own)
            # With the class of one record, all records of its schema become objects of classes.
            wanted = avro_record_class(own, names[0]) if names else None
        return own, wanted


def _generic_maker(schema: AvroSchema) -> Callable[[Any], Any] | None:
    """Return the function from dicts to generic records; None if the schema has no record."""
    if is_record(schema):
        return lambda fields: GenericRecord(schema, fields)
    own = {name: avro_schema(schema.alone(name)) for name in records_of_union(schema)}
    if not own:
        return None
    maps = any(kind_of(each) == "map" for each in schema.root)
    only = next(iter(own.values())) if len(own) == 1 and not maps else None

    def made(value: Any) -> Any:
        if isinstance(value, NamedRecord):
            return GenericRecord(own[value.record_name], value)
        return GenericRecord(only, value) if only is not None and type(value) is dict else value

    return made


def _generic_reader(made: Callable[[Any], Any], decode: Decode, many: DecodeMany) -> SchemaReader:
    def read(data: bytes, start: int) -> Any:
        return made(decode(data, start))

    def read_many(values: Sequence[bytes | None], start: int) -> list[Any] | None:
        found = many(values, start)
        if found is None:
            return None
        return [None if each is None else made(each) for each in found]

    return SchemaReader(read, read_many)


class SpecificAvroSerializer(KafkaAvroSerializer):
    """Objects of record classes and dataclasses as Avro with the id of their schema."""


class SpecificAvroDeserializer(KafkaAvroDeserializer):
    """Objects of record classes or dataclasses from Avro with the id of their schema."""

    def __init__(
        self,
        client: SchemaRegistryClient | None = None,
        type: Any = None,
        *,
        schema: Any = None,
        specific: bool = True,
    ) -> None:
        super().__init__(client, type, schema=schema, specific=specific)


class GenericAvroSerializer(KafkaAvroSerializer):
    """Dicts and generic records as Avro with the id of their schema."""


class GenericAvroDeserializer(KafkaAvroDeserializer):
    """Generic records from Avro with the id of their schema."""
