"""JSON serializer, deserializer and serde with JSON schemas in a registry."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, get_origin

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    SerializationException,
)
from millstream.core.serdes import WrapperSerde
from millstream.core.wording import a_kind
from millstream.serdes.registry.framing import IdKey
from millstream.serdes.registry.halves import (
    Encode,
    RegistryDeserializer,
    RegistrySerializer,
    SchemaReader,
)
from millstream.serdes.registry.json_values import (
    as_plain,
    decoder,
    encoder,
    schema_text,
    title,
)

R = TypeVar("R")
JSON = "JSON"


class KafkaJsonSchemaSerializer(RegistrySerializer[Any]):
    """Objects as JSON: a byte 0, the schema's id in 4 bytes, the text.

    Args:
        client: The registry's client, for tests.
        schema: The schema of all values, as a text or a dict; None: the one made from each
            value's class (dataclasses, msgspec Structs, pydantic models).

    Source: ``io.confluent.kafka.serializers.json.KafkaJsonSchemaSerializer``.
    """

    FORMAT = "JSON"
    SCHEMA_TYPE = JSON

    def __init__(self, client: SchemaRegistryClient | None = None, *, schema: Any = None) -> None:
        super().__init__(client)
        self._schema = _text_of(schema)

    def kind_of(self, value: Any) -> Any:
        """Return the value's class."""
        return type(value)

    def schema_of(self, value: Any, topic: str) -> tuple[Schema | None, str | None]:
        """Return a value's schema and its title."""
        kind: Any = type(value)
        text = self._schema or schema_text(kind)
        if text is not None:
            return Schema(text, JSON), title(text)
        writing = self._configured().writing
        if writing.use_latest or writing.use_id >= 0:
            return None, None
        raise SerializationException(
            f"{type(self).__name__} cannot tell the schema of {a_kind(value)}",
            detail=f'The topic is "{topic}".',
            hint="Give a dataclass, a msgspec Struct or a pydantic model; give the serde a schema: "
            "KafkaJsonSchemaSerde(schema=text); or set use.latest.version=true with "
            "auto.register.schemas=false.",
        )

    def encoders(self, schema: Schema, value: Any, topic: str) -> tuple[Encode, Encode]:
        """Return the functions from values to texts."""
        del topic
        encode = encoder(type(value))
        if not self._configured().values["json.fail.invalid.schema"]:
            return encode, encode
        validate = _validator(schema, self._connection().client)

        def checked(data: Any) -> bytes:
            validate(as_plain(data))
            return encode(data)

        return checked, checked


def _checked_class(given: Any) -> Any:
    if given is None or isinstance(given, type) or get_origin(given) is not None:
        return given
    raise ClassCastException(
        f"type cannot be {a_kind(given)}",
        hint="Give the class of the objects: a dataclass, a msgspec Struct or a pydantic model.",
    )


class KafkaJsonSchemaDeserializer(RegistryDeserializer[Any]):
    """Objects from JSON with the id of their schema.

    Args:
        client: The registry's client, for tests.
        type: The class of the objects; None: that of ``json.value.type`` (or ``key``), else dicts.

    Source: ``io.confluent.kafka.serializers.json.KafkaJsonSchemaDeserializer``.
    """

    FORMAT = "JSON"
    SCHEMA_TYPE = JSON

    def __init__(self, client: SchemaRegistryClient | None = None, type: Any = None) -> None:
        super().__init__(client)
        self._given_type = _checked_class(type)
        self._type = type

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Take the registry's address, and the class of the objects, from the configuration.

        Raises:
            ConfigException: The address is missing, or an entry is wrong.
        """
        super().configure(configs, isKey)
        named = self._configured().of_role("json.{role}.type")
        self._type = self._given_type or (None if named in (object, dict) else named)

    def schema_reader(self, written: Schema, id_key: IdKey, topic: str) -> SchemaReader:
        """Return how texts become objects."""
        del id_key
        kind = written.schema_type
        if kind != JSON:
            raise SerializationException(
                f"the registry's schema is {kind}, not JSON", detail=f'The topic is "{topic}".'
            )
        values = self._configured().values
        read = decoder(self._type, refuse_unknown=values["json.fail.unknown.properties"])
        if not values["json.fail.invalid.schema"]:
            return SchemaReader(lambda data, start: read(data[start:]))
        text = str(written.schema_str)
        schema = self.latest_of(topic, title(text), text) or written
        validate = _validator(schema, self._connection().client)

        def checked(data: bytes, start: int) -> Any:
            validate(json.loads(data[start:]))
            return read(data[start:])

        return SchemaReader(checked)


class KafkaJsonSchemaSerde(WrapperSerde[R], Generic[R]):
    """JSON with a schema registry.

    Args:
        type: The class of the objects that are read: a dataclass, a msgspec Struct or a pydantic
            model; None: that of the entry ``json.value.type`` (or ``key``), else dicts.
        schema: The schema of what is written; None: the one made from each value's class.
        client: The registry's client, for tests.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> serde = KafkaJsonSchemaSerde(Point)
        >>> serde.configure({"schema.registry.url": "mock://points"}, False)
        >>> data = serde.serializer().serialize("json-points", Point(3))
        >>> data[5:]
        b'{"x":3,"y":0}'
        >>> serde.deserializer().deserialize("json-points", data)
        Point(x=3, y=0)

    Source: ``io.confluent.kafka.streams.serdes.json.KafkaJsonSchemaSerde``.
    """

    def __init__(
        self,
        type: type[R] | SchemaRegistryClient | None = None,
        *,
        schema: Any = None,
        client: SchemaRegistryClient | None = None,
    ) -> None:
        if isinstance(type, SchemaRegistryClient):
            type, client = None, type
        super().__init__(
            KafkaJsonSchemaSerializer(client, schema=schema),
            KafkaJsonSchemaDeserializer(client, type),
        )


def _text_of(schema: Any) -> str | None:
    if schema is None:
        return None
    text = schema if isinstance(schema, str) else json.dumps(schema, separators=(",", ":"))
    try:
        json.loads(text)
    except ValueError as error:
        raise IllegalArgumentException("not a JSON schema", detail=f"{error}.") from error
    return text


def _validator(schema: Schema, client: SchemaRegistryClient) -> Callable[[Any], None]:
    from confluent_kafka.schema_registry._sync.json_schema import _resolve_named_schema
    from jsonschema import ValidationError
    from jsonschema.validators import validator_for

    parsed = json.loads(str(schema.schema_str))
    kind = validator_for(parsed)
    kind.check_schema(parsed)
    validator = kind(parsed, registry=_resolve_named_schema(schema, client))

    def validate(value: Any) -> None:
        try:
            validator.validate(value)
        except ValidationError as error:
            raise SerializationException(
                f"JSON does not match schema: {error.message}",
                detail=f"It is at {error.json_path}.",
            ) from error

    return validate
