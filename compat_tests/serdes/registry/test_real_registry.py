"""The three formats against a real registry: ids, evolution, strategies, outages."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from compat_tests.serdes.proto_classes import order_class
from compat_tests.serdes.registry.support import (
    ORDER,
    URL,
    NewOrder,
    OldOrder,
    Order,
    configured,
    round_trip,
)
from millstream import (
    CachedSchemaRegistryClient,
    GenericAvroSerde,
    GenericRecord,
    Headers,
    HeaderSchemaIdSerializer,
    KafkaJsonSchemaSerde,
    KafkaProtobufSerde,
    PrimitiveAvroSerde,
    SchemaRegistryUnavailableException,
    SerializationException,
    SpecificAvroSerde,
    TopicRecordNameStrategy,
)
from millstream.testing.registry import EmbeddedRegistry

QUICK = {"http.read.timeout.ms": 200, "max.retries": 1, "retries.wait.ms": 1}


@pytest.fixture
def client(registry: EmbeddedRegistry) -> CachedSchemaRegistryClient:
    return CachedSchemaRegistryClient(registry.url)


def test_the_id_in_the_bytes_is_the_registry_s(
    registry: EmbeddedRegistry, client: CachedSchemaRegistryClient
) -> None:
    serde = configured(SpecificAvroSerde(OldOrder), registry.url)
    data = serde.serializer().serialize("real-ids", OldOrder("a", 1))
    latest = client.getLatestSchemaMetadata("real-ids-value")
    assert data == b"\0" + latest.getId().to_bytes(4, "big") + b"\x02a\x02"
    assert latest.getVersion() == 1
    # Another process, with a cache of its own, reads it.
    reader = configured(SpecificAvroSerde(NewOrder), registry.url, max_schemas_per_subject=7)
    assert reader.deserializer().deserialize("real-ids", data) == NewOrder("a", 1, "none")


def test_equal_schemas_of_two_subjects_have_one_id(registry: EmbeddedRegistry) -> None:
    serializer = configured(SpecificAvroSerde(OldOrder), registry.url).serializer()
    first, second = (serializer.serialize(t, OldOrder("a", 1)) for t in ("real-one", "real-two"))
    assert first == second


def test_an_incompatible_schema_is_refused(
    registry: EmbeddedRegistry, client: CachedSchemaRegistryClient
) -> None:
    record = {"id": "a", "amount": 1}
    configured(GenericAvroSerde(ORDER), registry.url).serializer().serialize("real-line", record)
    client.updateCompatibility("real-line-value", "BACKWARD")
    fields: Any = ORDER["fields"]
    other = {**ORDER, "fields": [*fields, {"name": "more", "type": "string"}]}
    serializer = configured(GenericAvroSerde(other), registry.url).serializer()
    with pytest.raises(SerializationException, match="Error registering Avro schema") as caught:
        serializer.serialize("real-line", {**record, "more": ""})
    assert 'the subject "real-line-value"' in caught.value.detail
    assert "HTTP status 409" in caught.value.detail
    assert client.getCompatibility("real-line-value") == "BACKWARD"


def test_the_newest_version_is_used_where_the_entries_say_so(
    registry: EmbeddedRegistry, client: CachedSchemaRegistryClient
) -> None:
    client.register("real-latest-value", NewOrder)
    serde: Any = GenericAvroSerde()
    entries = {"auto.register.schemas": False, "use.latest.version": True}
    serde.configure({URL: registry.url, **entries}, False)
    record = {"id": "a", "amount": 1}
    assert round_trip(serde, "real-latest", record) == {**record, "note": "none"}
    known = configured(SpecificAvroSerde(OldOrder), registry.url, auto_register_schemas=False)
    with pytest.raises(SerializationException, match="Error retrieving Avro schema"):
        known.serializer().serialize("real-unknown", OldOrder("a", 1))


def test_keys_json_and_strategies(
    registry: EmbeddedRegistry, client: CachedSchemaRegistryClient
) -> None:
    keys = configured(PrimitiveAvroSerde(str), registry.url, key=True)
    assert round_trip(keys, "real-json", "k") == "k"
    values = configured(
        KafkaJsonSchemaSerde(Order),
        registry.url,
        value_subject_name_strategy=TopicRecordNameStrategy,
        json_fail_invalid_schema=True,
    )
    assert round_trip(values, "real-json", Order("a", 1)) == Order("a", 1)
    assert {"real-json-key", "real-json-Order"} <= set(client.getAllSubjects())
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}}
    strict = configured(
        KafkaJsonSchemaSerde(schema=schema), registry.url, json_fail_invalid_schema=True
    )
    with pytest.raises(SerializationException, match="JSON") as caught:
        strict.serializer().serialize("real-strict", {"id": "a"})
    assert "'a' is not of type 'integer'" in caught.value.detail


def test_protobuf_messages_name_their_place_in_the_file(
    registry: EmbeddedRegistry, client: CachedSchemaRegistryClient
) -> None:
    kind = order_class()
    serde = configured(KafkaProtobufSerde(kind), registry.url)
    order = kind(user="a", count=3)
    data = serde.serializer().serialize("real-proto", order)
    # The second message of its file; the first has the single byte 0.
    assert data[5:] == b"\x02\x02" + order.SerializeToString(deterministic=True)
    assert serde.deserializer().deserialize("real-proto", data) == order
    # Without a class, one is made from the registry's schema.
    made = configured(KafkaProtobufSerde(), registry.url)
    found = made.deserializer().deserialize("real-proto", data)
    assert (found.user, found.count) == ("a", 3)
    assert found.DESCRIPTOR.full_name == kind.DESCRIPTOR.full_name
    assert client.getLatestSchemaMetadata("real-proto-value").getSchemaType() == "PROTOBUF"


def test_a_registry_without_guids_is_told(registry: EmbeddedRegistry) -> None:
    serde: Any = GenericAvroSerde()
    entry = {"value.schema.id.serializer": HeaderSchemaIdSerializer}
    serde.configure({URL: registry.url, **entry}, False)
    record = GenericRecord(ORDER, {"id": "a", "amount": 1})
    with pytest.raises(SerializationException, match="Schema GUID is null"):
        serde.serializer().serialize("real-guid", Headers(), record)


def test_what_is_known_needs_no_registry(registry: EmbeddedRegistry) -> None:
    serde = configured(SpecificAvroSerde(OldOrder), registry.url)
    data = serde.serializer().serialize("real-known", OldOrder("a", 1))
    serde.deserializer().deserialize("real-known", data)
    # As in every batch on Spark: new objects, the same process.
    again = pickle.loads(pickle.dumps(serde))
    registry.pause()
    try:
        assert again.serializer().serialize("real-known", OldOrder("a", 1)) == data
        assert again.deserializer().deserialize("real-known", data) == OldOrder("a", 1)
    finally:
        registry.unpause()


def test_a_registry_that_does_not_answer_is_told_with_what_was_asked(
    registry: EmbeddedRegistry,
) -> None:
    serde: Any = GenericAvroSerde(ORDER)
    serde.configure({URL: registry.url, **QUICK}, False)
    registry.pause()
    try:
        with pytest.raises(SchemaRegistryUnavailableException) as caught:
            # Schemas of other tests are known to this process.
            serde.deserializer().deserialize("real-outage", b"\0\0\x07\0\x01\x02a\x02")
        assert caught.value.problem == "Error retrieving Avro value schema for id 458753"
        with pytest.raises(SchemaRegistryUnavailableException) as caught:
            serde.serializer().serialize("real-outage", {"id": "a", "amount": 1})
        assert 'the subject "real-outage-value"' in caught.value.detail
        assert registry.url in caught.value.detail
    finally:
        registry.unpause()
    assert round_trip(serde, "real-outage", {"id": "a", "amount": 1}) == {"id": "a", "amount": 1}
