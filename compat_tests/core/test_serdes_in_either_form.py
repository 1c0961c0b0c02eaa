"""A serializer around another one passes the record's headers on, whatever the inner one wants."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from millstream import (
    Deserializer,
    Headers,
    JsonSerde,
    KeyValue,
    Serde,
    Serdes,
    Serializer,
    StreamsBuilder,
)
from millstream.testing import TestRecord, TopologyTestDriver

HEADERS = Headers().add("k", b"v")
STOCK: list[tuple[Serde[Any], Any]] = [
    (Serdes.String(), "a"),
    (Serdes.Integer(), 1),
    (Serdes.Short(), 1),
    (Serdes.Long(), 1),
    (Serdes.Float(), 1.5),
    (Serdes.Double(), 1.5),
    (Serdes.Boolean(), True),
    (Serdes.ByteArray(), b"a"),
    (Serdes.Bytes(), b"a"),
    (Serdes.UUID(), uuid.UUID(int=7)),
    (Serdes.Void(), None),
    (Serdes.ListSerde(list, Serdes.Long()), [1, 2]),
    (JsonSerde(), {"a": 1}),
    (JsonSerde.of(list[int]), [1]),
]


@pytest.mark.parametrize(("serde", "value"), STOCK, ids=lambda each: type(each).__name__)
def test_a_stock_serde_takes_headers_that_it_does_not_need(serde: Any, value: Any) -> None:
    data = serde.serializer().serialize("t", value)
    assert serde.serializer().serialize("t", HEADERS, value) == data
    assert serde.deserializer().deserialize("t", HEADERS, data) == value
    assert serde.deserializer().deserialize("t", data) == value


class Marking(Serializer[Any]):
    """Adds a header, and leaves the bytes to another serializer."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def serialize(self, topic: str, headers: Headers, data: Any) -> bytes | None:  # type: ignore[override]
        headers.add("marked", b"1")
        found: bytes | None = self.inner.serialize(topic, headers, data)
        return found


class Counting(Deserializer[Any]):
    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def deserialize(self, topic: str, headers: Headers, data: bytes | None) -> Any:  # type: ignore[override]
        return self.inner.deserialize(topic, headers, data)


def test_a_serde_around_a_stock_one_passes_headers_on() -> None:
    text = Serdes.String()
    around = Serdes.serdeFrom(Marking(text.serializer()), Counting(text.deserializer()))
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    with TopologyTestDriver(
        builder.build(), {"default.key.serde": text, "default.value.serde": around}
    ) as driver:
        source = driver.createInputTopic("in", text.serializer(), text.serializer())
        sink = driver.createOutputTopic("out", text.deserializer(), text.deserializer())
        source.pipeInput(TestRecord("k", "v", 7))
        record = sink.readRecord()
    assert KeyValue(record.key(), record.value()) == KeyValue("k", "v")
    assert [each.key() for each in record.headers()] == ["marked"]
