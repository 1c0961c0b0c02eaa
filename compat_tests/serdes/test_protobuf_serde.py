"""The Protobuf serde: messages, keys, workers, errors."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct
from google.protobuf.wrappers_pb2 import Int64Value, StringValue
from hypothesis import given
from hypothesis import strategies as st

from compat_tests.serdes.proto_classes import FIELD, order_class, required_class
from millstream import (
    ClassCastException,
    Consumed,
    Grouped,
    IllegalArgumentException,
    Materialized,
    ProtobufSerde,
    Serdes,
    SerializationException,
    StreamsBuilder,
    TimeWindowedSerde,
    TopologyTestDriver,
)
from millstream.core.serdes.identity import format_of, same_format
from millstream.core.windows import TimeWindow, Windowed

Order = order_class()
SERDE: ProtobufSerde[Any] = ProtobufSerde(Order)


def order(user: str = "a", **fields: Any) -> Any:
    return Order(user=user, **fields)


@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(-(2**63), 2**63 - 1),
    st.dictionaries(st.text("abc", max_size=2), st.integers(0, 9)),
)
def test_messages_are_equal_after_writing_and_reading(
    user: str, count: int, tags: dict[str, int]
) -> None:
    one = order(user, count=count, tags=tags, lines=[{"sku": "x"}], at={"seconds": 5})
    other = order(user, count=count, tags=dict(reversed(tags.items())), lines=[{"sku": "x"}])
    other.at.seconds = 5
    data = SERDE.serializer().serialize("t", one)
    assert SERDE.serializer().serialize_column("t", [one, None, other]) == [data, None, data]
    assert SERDE.deserializer().deserialize("t", data) == one
    assert SERDE.deserializer().deserialize_column("t", [None, data]) == [None, one]


def test_null_is_null_and_an_empty_message_is_not() -> None:
    assert SERDE.serializer().serialize("t", None) is None
    assert SERDE.serializer().serialize("t", Order()) == b""
    assert SERDE.deserializer().deserialize("t", None) is None
    assert SERDE.deserializer().deserialize("t", b"") == Order()


@pytest.mark.parametrize("value", [Int64Value(value=1), {"user": "a"}, b"", Order, 5])
def test_an_object_of_another_class_is_refused(value: Any) -> None:
    for call in (SERDE.serializer().serialize, _column):
        with pytest.raises(ClassCastException, match=r"as shop\.Order") as caught:
            call("orders", value)
        assert 'the topic is "orders"' in str(caught.value).replace("The", "the")


def _column(topic: str, value: Any) -> Any:
    return SERDE.serializer().serialize_column(topic, [value])


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05ab", b"\x0a\x01\xff", b"\x07"])
def test_bytes_of_something_else_are_refused(data: bytes) -> None:
    with pytest.raises(SerializationException, match=r"bytes that are not shop\.Order"):
        SERDE.deserializer().deserialize("orders", data)
    with pytest.raises(SerializationException, match=r"bytes that are not shop\.Order"):
        SERDE.deserializer().deserialize_column("orders", [data])


def test_a_message_without_a_required_field_is_refused_both_ways() -> None:
    must = required_class()
    serde = ProtobufSerde(must)
    with pytest.raises(SerializationException, match=r"cannot serialize a message of old\.Must"):
        serde.serializer().serialize("t", must())
    with pytest.raises(SerializationException, match="Required fields are missing: id"):
        serde.deserializer().deserialize("t", b"")
    with pytest.raises(SerializationException, match="Required fields are missing: id"):
        serde.deserializer().deserialize_column("t", [b""])


@pytest.mark.parametrize("given_class", [order(), int, None, "Order"])
def test_what_is_no_message_class_is_refused(given_class: Any) -> None:
    with pytest.raises(IllegalArgumentException, match="is no message class"):
        ProtobufSerde(given_class)


def test_a_generated_class_travels_by_name() -> None:
    again = pickle.loads(pickle.dumps(ProtobufSerde(Int64Value)))
    assert type(again.deserializer().deserialize("t", b"\x08\x07")) is Int64Value


def test_a_class_made_at_run_time_travels_as_its_descriptors() -> None:
    again = pickle.loads(pickle.dumps(SERDE))
    written = order(tags={"b": 1}, at={"seconds": 5})
    data = SERDE.serializer().serialize("t", written)
    found = again.deserializer().deserialize("t", data)
    assert found.tags["b"] == 1
    assert again.serializer().serialize("t", found) == data
    assert again.serializer().serialize("t", written) == data
    assert SERDE.serializer().serialize("t", found) == data
    assert format_of(again) == format_of(SERDE)


def test_the_identity_has_the_fields() -> None:
    assert format_of(SERDE).startswith("Protobuf(shop.Order, ")
    assert format_of(SERDE) == format_of(ProtobufSerde(order_class()))
    changed = ProtobufSerde(order_class(FIELD.TYPE_SINT64))
    assert not same_format(format_of(SERDE), format_of(changed))
    assert "Struct" in format_of(ProtobufSerde(Struct))


@pytest.mark.parametrize("store", ["in_memory", "rocksDB"])
def test_messages_are_keys_of_tables_and_stores_keep_their_own(store: str) -> None:
    builder = StreamsBuilder()
    text = Serdes.String()
    stream = builder.stream("in", Consumed.with_(SERDE, text))
    counts = stream.groupByKey(Grouped.with_(SERDE, text)).count(Materialized.as_("counts"))
    counts.toStream().to("out")
    builder.table("latest-in", Consumed.with_(text, SERDE), Materialized.as_("latest"))
    one, same = order(tags={"x": 1, "y": 2}), order(tags={"y": 2, "x": 1})
    with TopologyTestDriver(builder.build(), {"default.dsl.store": store}) as driver:
        topic = driver.createInputTopic("in", SERDE.serializer(), text.serializer())
        for key in (one, same, order("b")):
            topic.pipeInput(key, "v")
        out = driver.createOutputTopic("out", SERDE.deserializer(), Serdes.Long().deserializer())
        assert [pair.value for pair in out.readKeyValuesToList()] == [1, 2, 1]
        driver.createInputTopic("latest-in", text.serializer(), SERDE.serializer()).pipeInput(
            "k", one
        )
        latest: Any = driver.getKeyValueStore("latest")
        latest.get("k").user = "changed"
        assert latest.get("k") == one


def test_windowed_keys_over_messages() -> None:
    serde = TimeWindowedSerde(ProtobufSerde(StringValue), 10)
    key = Windowed(StringValue(value="a"), TimeWindow(20, 30))
    assert serde.deserializer().deserialize("t", serde.serializer().serialize("t", key)) == key
