"""The test driver goes on after an event that failed, as Kafka Streams' own driver does."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    ClassCastException,
    Consumed,
    Materialized,
    Processor,
    ProcessorStateException,
    Produced,
    Serdes,
    Stores,
    StreamsBuilder,
    StreamsException,
    Topology,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
CONFIG: dict[str, Any] = {"default.key.serde": TEXT, "default.value.serde": TEXT}


def refusing(value: str) -> str:
    if value == "bad":
        raise ValueError("a bad value")
    return value


def not_fitting(value: str) -> str:
    raise ClassCastException(f"{value} is no number")


def test_a_driver_goes_on_after_a_record_that_failed() -> None:
    builder = StreamsBuilder()
    split = builder.stream("in").flatMapValues(lambda value: value.split())
    split.mapValues(refusing).to("out")
    split.mapValues(refusing).groupByKey().count(Materialized.as_("counts"))
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        out = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        for value in ("a", "b bad c", "d", "bad", "e"):
            if "bad" in value:
                with pytest.raises(StreamsException, match="a bad value"):
                    topic.pipeInput("k", value)
            else:
                topic.pipeInput("k", value)
        # As Kafka Streams' own driver, asked in 4.3.1: what a failing record had sent stays sent.
        assert out.readValuesToList() == ["a", "b", "d", "e"]
        assert driver.getKeyValueStore("counts").get("k") == 4


def test_a_driver_goes_on_after_bytes_that_cannot_be_read() -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(TEXT, Serdes.Long())).to(
        "out", Produced.with_(TEXT, Serdes.Long())
    )
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        texts = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        longs = driver.createInputTopic("in", TEXT.serializer(), Serdes.Long().serializer())
        out = driver.createOutputTopic("out", TEXT.deserializer(), Serdes.Long().deserializer())
        with pytest.raises(StreamsException):
            texts.pipeInput("k", "no long")
        longs.pipeInput("k", 7)
        assert out.readValuesToList() == [7]


def test_a_driver_goes_on_after_a_record_that_a_global_store_failed_on() -> None:
    class Update(Processor[str, str, None, None]):
        def init(self, context: Any) -> None:
            self.store = context.getStateStore("everywhere")

        def process(self, record: Any) -> None:
            self.store.put(record.key(), refusing(record.value()))

    builder = StreamsBuilder()
    store = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("everywhere"), TEXT, TEXT)
    consumed = Consumed.with_(TEXT, TEXT)
    builder.addGlobalStore(store.withLoggingDisabled(), "in", consumed, Update)
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        with pytest.raises(ValueError, match="a bad value"):
            topic.pipeInput("k", "bad")
        topic.pipeInput("k", "good")
        assert driver.getKeyValueStore("everywhere").get("k") == "good"


def test_all_stores_are_flushed_although_what_is_below_the_first_one_fails() -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in").groupByKey()
    last = grouped.reduce(lambda _, new: new, Materialized.as_("last"))
    last.mapValues(refusing).toStream().to("out")
    grouped.count(Materialized.as_("counts")).toStream().mapValues(str).to("counts")
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        out = driver.createOutputTopic("counts", TEXT.deserializer(), TEXT.deserializer())
        topic.pipeInput("k", "good")
        with pytest.raises(ProcessorStateException, match="a bad value") as caught:
            topic.pipeInput("k", "bad")
        assert isinstance(caught.value.__cause__, ValueError)
        topic.pipeInput("k", "good")
        assert out.readValuesToList() == ["1", "2", "3"]


def test_an_error_that_a_flush_met_and_that_is_kafkas_own_is_raised_as_it_is() -> None:
    builder = StreamsBuilder()
    table = builder.stream("in").groupByKey().reduce(lambda _, new: new, Materialized.as_("last"))
    table.mapValues(not_fitting).toStream().to("out")
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        with pytest.raises(StreamsException) as caught:
            topic.pipeInput("k", "text")
        assert type(caught.value) is StreamsException
        assert isinstance(caught.value.__cause__, ClassCastException)


def test_of_several_failures_to_close_the_last_one_is_raised() -> None:
    closed: list[str] = []

    def failing(name: str) -> type[Processor[str, str, str, str]]:
        class Failing(Processor[str, str, str, str]):
            def process(self, record: Any) -> None: ...

            def close(self) -> None:
                closed.append(name)
                raise ValueError(f"of {name}")

        return Failing

    topology = Topology().addSource("source", "in")
    for name in ("one", "two"):
        topology.addProcessor(name, failing(name), "source")
    driver = TopologyTestDriver(topology, CONFIG)
    with pytest.raises(StreamsException) as caught:
        driver.close()
    assert closed == ["one", "two"]
    # As Kafka Streams: StreamTask tries all, and keeps the last error.
    assert caught.value.getMessage() == 'cannot close processor "two"'
    assert str(caught.value.getCause()) == "of two"


class Unclosable(Processor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        raise ValueError("a bad value")

    def close(self) -> None:
        raise OSError("nothing to close")


def unclosable() -> TopologyTestDriver:
    topology = Topology().addSource("source", "in").addProcessor("p", Unclosable, "source")
    return TopologyTestDriver(topology, CONFIG)


def test_the_error_of_a_block_is_raised_and_that_of_its_close_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(StreamsException, match="a bad value"), unclosable() as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("k", "v")
    assert "nothing to close" in caplog.text
    with pytest.raises(AssertionError), unclosable():
        raise AssertionError


def test_an_error_of_close_is_raised_where_the_block_has_none() -> None:
    with pytest.raises(StreamsException, match="nothing to close"), unclosable():
        pass
