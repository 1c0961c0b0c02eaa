"""Dead letters on the driver; the expected records were read off the real Kafka Streams 4.3.1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from millstream import (
    Headers,
    LogAndContinueExceptionHandler,
    LogAndContinueProcessingExceptionHandler,
    Processor,
    PunctuationType,
    Record,
    Serdes,
    SerializationException,
    Serializer,
    Stores,
    StreamsException,
    Topology,
)
from millstream.testing import TestRecord, TopologyTestDriver

TEXT = Serdes.String()
CONTINUE: dict[str, Any] = {
    "deserialization.exception.handler": LogAndContinueExceptionHandler,
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
}
CONFIG: dict[str, Any] = {
    "errors.dead.letter.queue.topic.name": "dlq",
    "default.key.serde": TEXT,
    "default.value.serde": TEXT,
}
ERRORS = "__streams.errors."


class Picky(Processor[str, Any, str, Any]):
    def __init__(self, fails_in: str) -> None:
        self.fails_in = fails_in

    def init(self, context: Any) -> None:
        self.context = context
        if self.fails_in == "punctuator":
            context.schedule(10, PunctuationType.WALL_CLOCK_TIME, self.punctuate)

    def process(self, record: Record[str, Any]) -> None:
        record.headers().add("later", b"x")
        if self.fails_in == "processor" and record.value() == "bad":
            raise ArithmeticError("boom")
        self.context.forward(record.withKey("new").withTimestamp(99))

    def punctuate(self, timestamp: int) -> None:
        raise ArithmeticError("tick")


class PickySerializer(Serializer[Any]):
    def serialize(self, topic: str, data: Any) -> bytes | None:
        if data == "bad":
            raise SerializationException("no")
        return None if data is None else str(data).encode()


def run(fails_in: str, handlers: Mapping[str, Any]) -> TopologyTestDriver:
    value = Serdes.Long() if fails_in == "deserializer" else TEXT
    serializer = PickySerializer() if fails_in == "serializer" else _Texts()
    topology = (
        Topology()
        .addSource("source", TEXT.deserializer(), value.deserializer(), "in")
        .addProcessor("p", lambda: Picky(fails_in), "source")
        .addSink("sink", "out", TEXT.serializer(), serializer, "p")
    )
    return TopologyTestDriver(topology, {**CONFIG, **handlers}, 0)


class _Texts(Serializer[Any]):
    def serialize(self, topic: str, data: Any) -> bytes | None:
        return None if data is None else str(data).encode()


def pipe(driver: TopologyTestDriver) -> None:
    topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
    for value, time in (("good1234", 5), ("bad", 7)):
        topic.pipeInput(TestRecord("k", value, Headers().add("h", b"1"), time))


def dead_letters(driver: TopologyTestDriver) -> list[tuple[Any, ...]]:
    topic = driver.createOutputTopic("dlq", TEXT.deserializer(), TEXT.deserializer())
    found = []
    for record in topic.readRecordsToList():
        headers = {header.key(): header.value() for header in record.headers()}
        assert headers.pop(ERRORS + "stacktrace", b"").startswith(b"Traceback")  # type: ignore[union-attr]
        shown = {name.replace(ERRORS, "!"): value for name, value in headers.items()}
        found.append((record.key(), record.value(), record.timestamp(), shown))
    return found


def keys_out(driver: TopologyTestDriver) -> list[Any]:
    topic = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
    return [entry.key for entry in topic.readKeyValuesToList()]


def counted(driver: TopologyTestDriver, name: str) -> dict[tuple[str, str], float]:
    """Return a metric by node and reason."""
    return {
        (found.tags()["processor-node-id"], found.tags()["reason"]): metric.metricValue()
        for found, metric in driver.metrics().items()
        if found.name() == name
    }


def produced(driver: TopologyTestDriver, what: str = "records") -> dict[tuple[str, str], float]:
    """Return what was produced, by node and topic."""
    return {
        (found.tags()["processor-node-id"], found.tags()["topic"]): metric.metricValue()
        for found, metric in driver.metrics().items()
        if found.name() == f"{what}-produced-total"
    }


PLACE = {"!topic": b"in", "!partition": b"0", "!offset": b"1"}


def test_a_record_that_cannot_be_deserialized_is_sent_as_it_was_read() -> None:
    with run("deserializer", CONTINUE) as driver:
        pipe(driver)
        ((key, value, time, headers),) = dead_letters(driver)
        assert (key, value, time) == ("k", "bad", 7)
        assert list(headers) == ["h", "!exception", "!message", "!topic", "!partition", "!offset"]
        assert headers["!exception"] == b"millstream.core.errors.SerializationException"
        assert headers["!message"] == b"Size of data received by LongDeserializer is not 8"
        assert headers.items() >= PLACE.items()
        for name in ("dead-letter-records-total", "dropped-records-by-reason-total"):
            assert counted(driver, name) == {("source", "its deserializer refused it"): 1.0}
        assert keys_out(driver) == ["new"]


def test_a_record_that_a_processor_fails_on_is_sent_with_its_headers_as_they_are_then() -> None:
    with run("processor", CONTINUE) as driver:
        pipe(driver)
        assert dead_letters(driver) == [
            (
                "k",
                "bad",
                7,
                {
                    "h": b"1",
                    "later": b"x",
                    "!exception": b"ArithmeticError",
                    "!message": b"boom",
                    **PLACE,
                },
            )
        ]
        assert keys_out(driver) == ["new"]


def test_a_failing_punctuator_sends_a_dead_letter_without_a_record() -> None:
    with run("punctuator", CONTINUE) as driver:
        driver.advanceWallClockTime(10)
        assert dead_letters(driver) == [
            (
                None,
                None,
                10,
                {
                    "!exception": b"ArithmeticError",
                    "!message": b"tick",
                    "!topic": None,
                    "!partition": b"-1",
                    "!offset": b"-1",
                },
            )
        ]


def test_a_serializer_that_fails_is_reported_by_the_sink_and_by_the_processor_above() -> None:
    with run("serializer", CONTINUE) as driver:
        pipe(driver)
        first, second = dead_letters(driver)
        # The sink's record is at the time of what it was to send, the processor's at its own.
        assert first[:3] == ("k", "bad", 99)
        assert first[3]["!exception"] == b"millstream.core.errors.SerializationException"
        assert second[:3] == ("k", "bad", 7)
        assert second[3]["!exception"] == b"millstream.core.errors.StreamsException"
        letters = counted(driver, "dead-letter-records-total")
        assert letters == {
            ("sink", "a serializer refused it"): 1.0,
            ("p", "its processing failed"): 1.0,
        }
        assert keys_out(driver) == ["new"]


@pytest.mark.parametrize("fails_in", ["deserializer", "processor", "serializer"])
def test_the_default_handlers_stop_and_nothing_of_that_record_is_readable(fails_in: str) -> None:
    driver = run(fails_in, {})
    with pytest.raises(StreamsException):
        pipe(driver)
    assert driver.producedTopicNames() == {"out"}
    assert keys_out(driver) == ["new"]
    driver.close()


def test_dead_letters_are_produced_by_the_first_node_that_failed() -> None:
    with run("serializer", CONTINUE) as driver:
        pipe(driver)
        assert produced(driver) == {("sink", "out"): 1.0, ("sink", "dlq"): 2.0}
    with run("processor", CONTINUE) as driver:
        pipe(driver)
        assert produced(driver) == {("sink", "out"): 1.0, ("p", "dlq"): 1.0}
        assert all(size > 0 for size in produced(driver, "bytes").values())


def test_dead_letters_count_for_a_sink_that_writes_the_same_topic() -> None:
    with run("processor", {**CONTINUE, "errors.dead.letter.queue.topic.name": "out"}) as driver:
        pipe(driver)
        assert produced(driver) == {("sink", "out"): 2.0}


class Fill(Processor[str, Any, None, None]):
    def init(self, context: Any) -> None:
        self.store = context.getStateStore("global")

    def process(self, record: Record[str, Any]) -> None:
        if record.value() == "bad":
            raise ArithmeticError("boom")
        self.store.put(record.key(), record.value())


def global_driver(enabled: bool) -> TopologyTestDriver:
    supplier = Stores.inMemoryKeyValueStore("global")
    store = Stores.keyValueStoreBuilder(supplier, TEXT, TEXT).withLoggingDisabled()
    topology = Topology().addSource("source", "in").addSink("sink", "out", "source")
    topology.addGlobalStore(
        store, "globals", TEXT.deserializer(), TEXT.deserializer(), "topic", "fill", Fill
    )
    flag = {"processing.exception.handler.global.enabled": enabled}
    return TopologyTestDriver(topology, {**CONFIG, **CONTINUE, **flag})


def test_the_processor_of_a_global_store_fails_past_the_handler_unless_that_is_enabled() -> None:
    with global_driver(enabled=False) as driver:
        topic = driver.createInputTopic("topic", TEXT.serializer(), TEXT.serializer())
        topic.pipeInput("a", "x")
        with pytest.raises(ArithmeticError, match="boom"):
            topic.pipeInput("b", "bad")
        assert driver.getKeyValueStore("global").approximateNumEntries() == 1


def test_a_global_store_sends_no_dead_letters() -> None:
    with global_driver(enabled=True) as driver:
        topic = driver.createInputTopic("topic", TEXT.serializer(), TEXT.serializer())
        for key, value in (("a", "x"), ("b", "bad"), ("c", "y")):
            topic.pipeInput(key, value)
        assert driver.getKeyValueStore("global").approximateNumEntries() == 2
        assert driver.producedTopicNames() == set()
