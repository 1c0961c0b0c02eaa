"""Avro with a registry in memory: bytes, subjects, evolution, classes."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import pytest
from confluent_kafka.schema_registry.error import SchemaRegistryError

from compat_tests.serdes.registry.support import (
    NEWER_ORDER,
    ORDER,
    Mock,
    NewOrder,
    OldOrder,
    Order,
    round_trip,
)
from millstream import (
    ConfigException,
    GenericAvroSerde,
    GenericRecord,
    Headers,
    HeaderSchemaIdSerializer,
    IllegalArgumentException,
    InvalidConfigurationException,
    KafkaAvroDeserializer,
    KafkaAvroSerializer,
    MockSchemaRegistry,
    PrimitiveAvroSerde,
    RecordNameStrategy,
    ReflectionAvroSerde,
    SerializationException,
    SpecificAvroSerde,
    TimeWindowedSerde,
    TopicRecordNameStrategy,
    Windowed,
)
from millstream.core.serdes.identity import format_of
from millstream.core.windows import TimeWindow
from millstream.serdes.registry.failures import failure


def test_bytes_are_a_zero_the_id_and_the_datum(mock: Mock) -> None:
    mock.client.register("other", '"int"')
    serde = mock.of(SpecificAvroSerde(Order))
    data = serde.serializer().serialize("orders", Order("a", -1, "x"))
    assert data == b"\0" + (2).to_bytes(4, "big") + b"\x02a\x01\x02x"
    assert serde.deserializer().deserialize("orders", data) == Order("a", -1, "x")
    assert mock.client.getAllSubjects() == ["orders-value", "other"]


def test_keys_have_a_subject_of_their_own(mock: Mock) -> None:
    serde = mock.of(PrimitiveAvroSerde(str), key=True)
    assert serde.serializer().serialize("orders", "k") == b"\0\0\0\0\x01\x02k"
    assert mock.client.getLatestSchemaMetadata("orders-key").getSchema() == '"string"'


@pytest.mark.parametrize("value", ["text", True, 2**40, 0.5, b"bytes"])
def test_a_single_value_is_written_by_its_class(mock: Mock, value: object) -> None:
    assert round_trip(mock.of(PrimitiveAvroSerde()), "singles", value) == value


def test_top_level_bytes_have_no_length_as_in_java(mock: Mock) -> None:
    serde = mock.of(PrimitiveAvroSerde(bytes))
    assert serde.serializer().serialize("blobs", b"xyz") == b"\0\0\0\0\x01xyz"


def test_a_primitive_may_be_named_as_avro_names_it(mock: Mock) -> None:
    serde = mock.of(PrimitiveAvroSerde("int"))
    assert round_trip(serde, "numbers", 7) == 7
    assert mock.client.getLatestSchemaMetadata("numbers-value").getSchema() == '"int"'
    with pytest.raises(IllegalArgumentException, match="list is no single value of Avro"):
        PrimitiveAvroSerde(list)


def test_none_is_null_and_asks_nothing(mock: Mock) -> None:
    serde = mock.of(SpecificAvroSerde(Order))
    assert serde.serializer().serialize("orders", None) is None
    assert serde.deserializer().deserialize("orders", None) is None
    assert mock.client.getAllSubjects() == []


def test_an_older_writer_is_read_with_the_newer_reader(mock: Mock) -> None:
    old, new = mock.of(SpecificAvroSerde(OldOrder)), mock.of(SpecificAvroSerde(NewOrder))
    data = old.serializer().serialize("orders", OldOrder("a", 3))
    assert new.deserializer().deserialize("orders", data) == NewOrder("a", 3, "none")
    newer = new.serializer().serialize("orders", NewOrder("a", 3, "gift"))
    assert old.deserializer().deserialize("orders", newer) == OldOrder("a", 3)
    assert mock.client.getAllVersions("orders-value") == [1, 2]


def test_a_change_that_readers_cannot_follow_is_refused(mock: Mock) -> None:
    mock.of(GenericAvroSerde(ORDER)).serializer().serialize("orders", {"id": "a", "amount": 1})
    other = {**ORDER, "fields": [*ORDER["fields"], {"name": "note", "type": "string"}]}
    serializer = mock.of(GenericAvroSerde(other)).serializer()
    with pytest.raises(SerializationException, match="Error registering Avro schema") as caught:
        serializer.serialize("orders", {"id": "a", "amount": 1, "note": ""})
    assert "HTTP status 409" in caught.value.detail
    assert "Give a new field a default" in caught.value.hint
    mock.client.updateCompatibility("orders-value", "NONE")
    assert serializer.serialize("orders", {"id": "a", "amount": 1, "note": ""}) is not None


def test_a_generic_record_is_written_with_the_schema_it_was_read_with(mock: Mock) -> None:
    written = (
        mock.of(GenericAvroSerde(ORDER)).serializer().serialize("in", {"id": "a", "amount": 1})
    )
    serde = mock.of(GenericAvroSerde())
    record = serde.deserializer().deserialize("in", written)
    assert record == {"id": "a", "amount": 1}
    record.put("amount", record.get("amount") + 1)
    assert round_trip(serde, "out", record) == {"id": "a", "amount": 2}
    assert mock.client.getLatestSchemaMetadata("out-value").getId() == 1
    assert pickle.loads(pickle.dumps(record)) == record
    assert record.copy().getSchema() == record.getSchema()


def test_a_plain_dict_needs_a_schema_from_elsewhere(mock: Mock) -> None:
    serializer = mock.of(GenericAvroSerde()).serializer()
    with pytest.raises(SerializationException, match="cannot tell the schema of a dict"):
        serializer.serialize("orders", {"id": "a", "amount": 1})
    mock.client.register("orders-value", mock_text(ORDER))
    latest = {"auto.register.schemas": "false", "use.latest.version": True}
    serde = GenericAvroSerde()
    serde.configure({"schema.registry.url": mock.url, **latest}, False)
    assert round_trip(serde, "orders", {"id": "a", "amount": 1}) == {"id": "a", "amount": 1}


def test_the_newest_schema_is_used_if_it_can_read_the_class_s_own(mock: Mock) -> None:
    mock.client.register("orders-value", mock_text(NEWER_ORDER))
    entries = {"auto.register.schemas": False, "use.latest.version": True}
    serde = SpecificAvroSerde(OldOrder)
    serde.configure({"schema.registry.url": mock.url, **entries}, False)
    data = serde.serializer().serialize("orders", OldOrder("a", 1))
    assert data == b"\0\0\0\0\x01\x02a\x02\x08none"
    mock.client.register("others-value", '{"type":"record","name":"Other","fields":[]}')
    with pytest.raises(SerializationException, match=r"latest\.compatibility\.strict=false"):
        serde.serializer().serialize("others", OldOrder("a", 1))


def test_without_registering_the_schema_must_be_known(mock: Mock) -> None:
    serde = mock.of(SpecificAvroSerde(OldOrder), auto_register_schemas=False)
    with pytest.raises(SerializationException, match="Error retrieving Avro schema"):
        serde.serializer().serialize("orders", OldOrder("a", 1))
    mock.client.register("orders-value", OldOrder)
    assert round_trip(serde, "orders", OldOrder("a", 1)) == OldOrder("a", 1)


def test_strategies_name_the_subject(mock: Mock) -> None:
    def own(topic: str, is_key: bool, schema: Any) -> str:
        return f"{topic}/{schema.name()}/{'key' if is_key else 'value'}"

    confluent = "io.confluent.kafka.serializers.subject"
    for strategy in (
        RecordNameStrategy,
        TopicRecordNameStrategy(),
        f"{confluent}.TopicNameStrategy",
        own,
    ):
        serde = mock.of(SpecificAvroSerde(OldOrder), value_subject_name_strategy=strategy)
        assert round_trip(serde, "orders", OldOrder("a", 1)) == OldOrder("a", 1)
    expected = ["orders-shop.Order", "orders-value", "orders/shop.Order/value", "shop.Order"]
    assert mock.client.getAllSubjects() == expected
    key = mock.of(PrimitiveAvroSerde(str), key=True, key_subject_name_strategy=RecordNameStrategy)
    with pytest.raises(SerializationException, match="must only be a record schema"):
        key.serializer().serialize("orders", "k")


def test_the_guid_can_stand_in_a_header(mock: Mock) -> None:
    entry = {"value.schema.id.serializer": HeaderSchemaIdSerializer}
    serde: Any = GenericAvroSerde()
    serde.configure({"schema.registry.url": mock.url, **entry}, False)
    headers = Headers()
    record = GenericRecord(ORDER, {"id": "a", "amount": 1})
    data = serde.serializer().serialize("orders", headers, record)
    assert data == b"\x02a\x02"
    header = headers.lastHeader("__value_schema_id")
    assert header is not None
    assert (header.value() or b"")[0] == 1
    assert len(header.value() or b"") == 17
    plain = mock.of(GenericAvroSerde())
    assert plain.deserializer().deserialize("orders", headers, data) == record
    assert serde.serializer().needs_headers()
    assert not plain.deserializer().needs_headers()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "Unknown magic byte!"),
        (b"\0\0\0", "Unknown magic byte!"),
        (b'{"id": 1}', "Unknown magic byte!"),
        (b"\0\0\0\0\x63\0", "Error retrieving Avro value schema for id 99"),
        (b"\0\0\0\0\x01\x02", "Error deserializing Avro message for id 1"),
    ],
)
def test_bytes_of_others_are_refused_by_name(mock: Mock, data: bytes, problem: str) -> None:
    serde = mock.of(SpecificAvroSerde(OldOrder))
    serde.serializer().serialize("orders", OldOrder("a", 1))
    with pytest.raises(SerializationException) as caught:
        serde.deserializer().deserialize("orders", data)
    assert caught.value.problem == problem
    assert problem == "Unknown magic byte!" or '"orders"' in caught.value.detail


def test_a_value_that_does_not_fit_is_told_with_its_field(mock: Mock) -> None:
    serializer = mock.of(GenericAvroSerde(ORDER)).serializer()
    with pytest.raises(SerializationException, match="Error serializing Avro message") as caught:
        serializer.serialize("orders", {"id": "a", "amount": "many"})
    assert 'the field "amount"' in caught.value.detail


def test_a_column_has_the_results_of_single_calls(mock: Mock) -> None:
    serde = mock.of(SpecificAvroSerde(OldOrder))
    newer = mock.of(SpecificAvroSerde(NewOrder))
    values = [OldOrder("a", 1), None, NewOrder("b", 2, "x"), OldOrder("c", 3)]
    column = serde.serializer().serialize_column("orders", values)
    assert column == [serde.serializer().serialize("orders", value) for value in values]
    read = newer.deserializer().deserialize_column("orders", column)
    assert read == [NewOrder("a", 1, "none"), None, NewOrder("b", 2, "x"), NewOrder("c", 3, "none")]


def test_a_class_is_made_of_the_schema_if_none_is_named(mock: Mock) -> None:
    data = mock.of(SpecificAvroSerde(Order)).serializer().serialize("orders", Order("a", 1))
    made = mock.of(SpecificAvroSerde()).deserializer().deserialize("orders", data)
    assert (made.id, made.amount, made.note) == ("a", 1, "")
    reader = mock.of(GenericAvroSerde(), specific_avro_reader=True).deserializer()
    assert reader.deserialize("orders", data).amount == 1
    named = mock.of(GenericAvroSerde(), specific_avro_value_type=Order).deserializer()
    assert named.deserialize("orders", data) == Order("a", 1)


def test_reflection_makes_the_schema_of_the_class(mock: Mock) -> None:
    @dataclass
    class Point:
        x: int

    assert round_trip(mock.of(ReflectionAvroSerde(Point)), "points", Point(3)) == Point(3)


def test_windowed_keys_go_around_a_registry_s(mock: Mock) -> None:
    serde = TimeWindowedSerde(mock.of(PrimitiveAvroSerde(str), key=True), 10)
    key = Windowed("k", TimeWindow.of_start(20, 10))
    assert round_trip(serde, "counts", key) == key
    assert mock.client.getAllSubjects() == ["counts-key"]


def test_a_client_can_be_given_as_in_java(mock: Mock) -> None:
    serializer, deserializer = KafkaAvroSerializer(mock.client), KafkaAvroDeserializer(mock.client)
    serializer.configure({"schema.registry.url": "http://nowhere:1"}, False)
    deserializer.configure({"schema.registry.url": "http://nowhere:1"}, False)
    data = serializer.serialize("orders", OldOrder("a", 1))
    assert deserializer.deserialize("orders", data) == {"id": "a", "amount": 1}


def test_a_serde_must_be_configured() -> None:
    serde = SpecificAvroSerde(Order)
    for call in (serde.serializer().serialize, serde.deserializer().deserialize):
        with pytest.raises(InvalidConfigurationException, match="SchemaRegistryClient not found"):
            call("orders", None)
    with pytest.raises(ConfigException, match='Missing required configuration "schema.registry'):
        serde.configure({}, False)


def test_a_mock_registry_cannot_leave_its_process(mock: Mock) -> None:
    with pytest.raises(ConfigException, match="a mock registry cannot be used on Spark"):
        pickle.dumps(mock.of(SpecificAvroSerde(Order)))


def test_a_dropped_scope_begins_anew(mock: Mock) -> None:
    mock.client.register("orders-value", OldOrder)
    MockSchemaRegistry.dropScope(mock.scope)
    assert mock.client.getAllSubjects() == []
    assert round_trip(mock.of(SpecificAvroSerde(Order)), "x", Order("a", 1)) == Order("a", 1)
    assert mock.client.getAllSubjects() == ["x-value"]


def mock_text(schema: Any) -> str:
    import json

    return json.dumps(schema)


def test_a_store_s_note_is_the_same_for_all_avro_serdes_of_a_registry(mock: Mock) -> None:
    serdes = (SpecificAvroSerde(Order), SpecificAvroSerde(OldOrder), GenericAvroSerde(ORDER))
    assert {format_of(serde) for serde in serdes} == {"KafkaAvro"}
    assert {format_of(mock.of(serde)) for serde in serdes} == {"KafkaAvro"}


def test_bytes_that_end_too_early_are_told_so(mock: Mock) -> None:
    serde = mock.of(SpecificAvroSerde(Order))
    data = serde.serializer().serialize("short", Order("a", -1, "x"))
    with pytest.raises(SerializationException, match="for id 1") as info:
        serde.deserializer().deserialize("short", data[:5])
    assert info.value.detail == 'The value is of the topic "short"; the bytes end too early'


def test_an_address_that_is_no_registry_is_told_apart_from_an_unknown_schema() -> None:
    # What the client raises for an answer that is not JSON with an error code.
    nothing: Any = None
    told = failure(SchemaRegistryError(404, nothing, nothing), "Error", "x")
    assert "with its path" in told.hint
    known = failure(SchemaRegistryError(404, 40403, "Schema not found"), "Error", "x")
    assert "with its path" not in known.hint
