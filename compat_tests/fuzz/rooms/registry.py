"""Serdes with a schema registry: the framing before payloads, and GUIDs in headers."""

from __future__ import annotations

from typing import Any

from compat_tests.fuzz.decoder import Decoder, Maker
from compat_tests.fuzz.rooms.serdes import AVRO, tree
from compat_tests.serdes.proto_classes import order_class
from millstream import Headers
from millstream.serdes import GenericAvroSerde, KafkaJsonSchemaSerde, KafkaProtobufSerde
from millstream.serdes.registry.framing import VALUE_HEADER, HeaderSchemaIdSerializer

_NAMES = iter(range(1 << 30))


def framed(serde: Any, value: Any, **more: Any) -> Decoder:
    """Return the decoder of a serde with a registry in memory."""
    configs = {"schema.registry.url": f"mock://fuzz-{next(_NAMES)}", **more}
    serde.configure(configs, False)
    sample = serde.serializer().serialize("t", Headers(), value)
    read = serde.deserializer().deserialize
    return Decoder([sample], lambda data: read("t", Headers(), data))


def in_header(serde: Any, value: Any) -> Decoder:
    """Return the same with the schema's GUID in a header, whose value is the input."""
    configs = {"schema.registry.url": f"mock://fuzz-{next(_NAMES)}"}
    configs["value.schema.id.serializer"] = HeaderSchemaIdSerializer()  # type: ignore[assignment]
    serde.configure(configs, False)
    headers = Headers()
    payload = serde.serializer().serialize("t", headers, value)
    read = serde.deserializer().deserialize
    found = headers.lastHeader(VALUE_HEADER)
    assert found is not None

    def decode(data: bytes) -> object:
        return read("t", Headers().add(VALUE_HEADER, data), payload)

    return Decoder([found.value() or b""], decode)


def avro_value() -> Any:
    """Return a value of AVRO with its schema, as a generic record."""
    import json

    from millstream.serdes.registry.generic_record import GenericRecord

    return GenericRecord(json.dumps(AVRO), tree())


def _message() -> tuple[Any, Any]:
    kind = order_class()
    return kind, kind(user="u", count=3, tags={"a": 1})


def _protobuf(frame: Any) -> Decoder:
    kind, message = _message()
    return frame(KafkaProtobufSerde(kind), message)  # type: ignore[no-any-return]


SCHEMA = {
    "type": "object",
    "title": "Point",
    "properties": {"x": {"type": "integer"}, "y": {"type": "array", "items": {"type": "number"}}},
}


def _json(frame: Any, **more: Any) -> Decoder:
    serde: Any = KafkaJsonSchemaSerde(schema=SCHEMA)
    return frame(serde, {"x": 3, "y": [0.5]}, **more)  # type: ignore[no-any-return]


DECODERS: dict[str, Maker] = {
    "registry-avro": lambda: framed(GenericAvroSerde(), avro_value()),
    "registry-avro-header": lambda: in_header(GenericAvroSerde(), avro_value()),
    "registry-protobuf": lambda: _protobuf(framed),
    "registry-protobuf-header": lambda: _protobuf(in_header),
    "registry-json": lambda: _json(framed),
    "registry-json-validated": lambda: _json(framed, **{"json.fail.invalid.schema": True}),
    "registry-json-header": lambda: _json(in_header),
}
