"""``Headers.setReadOnly``, as that of Kafka's ``RecordHeaders``."""

from __future__ import annotations

import pickle

import pytest

from millstream import (
    ContextualProcessor,
    Headers,
    IllegalStateException,
    Record,
    Serdes,
    StreamsBuilder,
    StringDeserializer,
    StringSerializer,
    TopologyTestDriver,
)


def test_read_only_headers_refuse_changes_and_copies_take_them() -> None:
    headers = Headers().add("a", b"\x01")
    assert not headers.isReadOnly()
    headers.setReadOnly()
    headers.setReadOnly()
    assert headers.isReadOnly()
    assert str(headers).endswith("isReadOnly = true)")
    with pytest.raises(IllegalStateException, match=r"RecordHeaders has been closed\.") as caught:
        headers.add("b", None)
    assert "headers.copy()" in caught.value.hint
    with pytest.raises(IllegalStateException, match=r"RecordHeaders has been closed\."):
        headers.remove("another")
    assert headers.lastHeader("a").value() == b"\x01"
    for copied in (headers.copy(), Headers(headers), pickle.loads(pickle.dumps(headers))):
        assert copied == headers
        assert copied.add("b", None).remove("a").toArray()[0].key() == "b"


def test_records_with_read_only_headers_go_on_as_in_kafka() -> None:
    class Closing(ContextualProcessor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            made = Record("k", "v", 5, Headers().add("a", b"\x01"))
            made.headers().setReadOnly()
            self.context().forward(made)
            self.context().forward(made.withValue("w"))

    builder = StreamsBuilder()
    builder.stream("in").process(Closing).to("out")
    text = Serdes.String()
    config = {"default.key.serde": text, "default.value.serde": text}
    with TopologyTestDriver(builder.build(), config) as driver:
        driver.createInputTopic("in", StringSerializer(), StringSerializer()).pipeInput("x", "y")
        output = driver.createOutputTopic("out", StringDeserializer(), StringDeserializer())
        for record in output.readRecordsToList():
            assert record.headers().add("z", None).toArray()[0].value() == b"\x01"
