"""Serdes with a schema registry that are made or configured wrongly."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import Int64Value, StringValue

from compat_tests.serdes.registry.support import Mock
from millstream import (
    ClassCastException,
    ConfigException,
    GenericAvroSerde,
    KafkaJsonSchemaSerde,
    KafkaProtobufSerde,
    NullPointerException,
    PrimitiveAvroSerde,
    SerializationException,
)


@pytest.mark.parametrize("given", [5, "Point", object()])
def test_what_is_no_class_is_refused_where_the_serde_is_made(given: Any) -> None:
    with pytest.raises(ClassCastException, match="type cannot be"):
        KafkaJsonSchemaSerde(given)


@pytest.mark.parametrize("serde", [KafkaJsonSchemaSerde(), KafkaJsonSchemaSerde(list[int])])
def test_a_class_or_none_is_taken(serde: Any) -> None:
    serde.configure({"schema.registry.url": "mock://classes"}, False)


@pytest.mark.parametrize("serde", [KafkaJsonSchemaSerde(), GenericAvroSerde()])
def test_configs_may_not_be_null(serde: Any) -> None:
    with pytest.raises(NullPointerException, match="configs"):
        serde.configure(None, False)


@pytest.mark.parametrize("subject", [None, "", 5])
def test_a_strategy_returns_the_name_of_a_subject(subject: Any) -> None:
    entries: dict[str, Any] = {"value.subject.name.strategy": lambda topic, is_key, schema: subject}
    serde = Mock("strategies-slips").of(PrimitiveAvroSerde(str), **entries)
    with pytest.raises(ConfigException, match="must return a subject's name, not"):
        serde.serializer().serialize("t", "x")


@pytest.mark.parametrize("kind", [None, Int64Value])
def test_a_message_that_its_schema_lacks_is_no_empty_message(kind: Any) -> None:
    mock = Mock("indices-slips")
    data = mock.of(KafkaProtobufSerde()).serializer().serialize("t", StringValue(value="x"))
    assert data[5:7] == b"\x02\x0e"
    deserializer = mock.of(KafkaProtobufSerde(kind)).deserializer()
    with pytest.raises(SerializationException, match=r"the schema has no message 63"):
        deserializer.deserialize("t", data[:5] + b"\x02\x7e")


def test_another_message_of_the_schema_is_read_as_the_class_that_was_asked_for() -> None:
    mock = Mock("indices-others")
    data = mock.of(KafkaProtobufSerde()).serializer().serialize("t", Int64Value(value=5))
    deserializer = mock.of(KafkaProtobufSerde(StringValue)).deserializer()
    assert type(deserializer.deserialize("t", data)) is StringValue
