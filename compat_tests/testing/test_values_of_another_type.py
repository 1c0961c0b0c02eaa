"""A value or key that a store's serde cannot write goes to the processing handler, as in Kafka."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from compat_tests.topology.running import Event, run
from millstream import (
    ClassCastException,
    LogAndContinueProcessingExceptionHandler,
    LogAndFailProcessingExceptionHandler,
    Materialized,
    ProcessingExceptionHandler,
    Processor,
    Record,
    Serdes,
    SessionWindow,
    StateSerdes,
    Stores,
    StreamsBuilder,
    StreamsException,
    ValueAndTimestamp,
    Windowed,
)
from millstream.testing import TopologyTestDriver

TEXT, LONG = Serdes.String(), Serdes.Long()
CONFIG: dict[str, Any] = {"default.key.serde": TEXT, "default.value.serde": TEXT}
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
Use = Callable[[Any, Any], Any]
STORES: dict[str, tuple[Any, Use]] = {
    "value": (
        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("s"), TEXT, LONG),
        lambda store, value: store.put("k", value),
    ),
    "key": (
        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("s"), LONG, TEXT),
        lambda store, key: store.get(key),
    ),
    "timestamped": (
        Stores.timestampedKeyValueStoreBuilder(Stores.inMemoryKeyValueStore("s"), TEXT, LONG),
        lambda store, value: store.put("k", ValueAndTimestamp.make(value, 5)),
    ),
    "versioned": (
        Stores.versionedKeyValueStoreBuilder(
            Stores.persistentVersionedKeyValueStore("s", MINUTE), TEXT, LONG
        ),
        lambda store, value: store.put("k", value, 5),
    ),
    "window": (
        Stores.windowStoreBuilder(
            Stores.inMemoryWindowStore("s", MINUTE, SECOND, False), TEXT, LONG
        ),
        lambda store, value: store.put("k", value, 5),
    ),
    "session": (
        Stores.sessionStoreBuilder(Stores.inMemorySessionStore("s", MINUTE), TEXT, LONG),
        lambda store, value: store.put(Windowed("k", SessionWindow(0, 5)), value),
    ),
}


class Told(ProcessingExceptionHandler):
    """Notes what it is told, and goes on."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, str]] = []

    def handleError(self, context: Any, record: Any, exception: Exception) -> Any:
        assert isinstance(exception, StreamsException)
        cause = type(exception.__cause__).__name__
        self.told.append((context.processorNodeId(), exception.getMessage(), cause))
        return self.Response.resume()


def out_of(builder: StreamsBuilder, handler: Any) -> list[Any]:
    config = CONFIG | {"processing.exception.handler": handler}
    with TopologyTestDriver(builder.build(), config, 0) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for value in ("1", "bad", "3"):
            topic.pipeInput("k", value)
        found = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        return found.readValuesToList()


def in_a_processor(kind: str) -> StreamsBuilder:
    builder, use = STORES[kind]

    class Uses(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            self.context = context

        def process(self, record: Record[str, str]) -> None:
            given = record.value()
            use(self.context.getStateStore("s"), given if given == "bad" else int(given))
            self.context.forward(record)

    streams = StreamsBuilder().addStateStore(builder)
    streams.stream("in").process(Uses, "s").to("out")
    return streams


def in_an_aggregate(*, cached: bool) -> StreamsBuilder:
    def latest(key: str, value: str, aggregate: Any) -> Any:
        return value if value == "bad" else int(value)

    kept: Any = Materialized.as_("s").withKeySerde(TEXT).withValueSerde(LONG)
    kept = kept.withCachingEnabled() if cached else kept.withCachingDisabled()
    builder = StreamsBuilder()
    counts = builder.stream("in").mapValues(lambda value: value).groupByKey()
    counts.aggregate(lambda: 0, latest, kept).toStream().mapValues(str).to("out")
    return builder


@pytest.mark.parametrize("kind", STORES)
def test_a_handler_may_drop_what_a_store_cannot_write(kind: str) -> None:
    handler = Told()
    assert out_of(in_a_processor(kind), handler) == ["1", "3"]
    ((node, message, cause),) = handler.told
    assert node == "KSTREAM-PROCESSOR-0000000001"
    role = "key" if kind == "key" else "value"
    assert message.startswith(
        f"A serializer (LongSerializer) is not compatible to the actual {role} type "
        f"({role} type: str). Change the default Serdes"
    )
    assert cause == "ClassCastException"


@pytest.mark.parametrize("cached", [False, True])
def test_the_operator_of_the_store_is_told(cached: bool) -> None:
    handler = Told()
    assert out_of(in_an_aggregate(cached=cached), handler) == ["1", "3"]
    assert [node for node, _, _ in handler.told] == ["KSTREAM-AGGREGATE-0000000002"]
    going_on = LogAndContinueProcessingExceptionHandler
    assert out_of(in_an_aggregate(cached=cached), going_on) == ["1", "3"]


@pytest.mark.parametrize("cached", [False, True])
def test_a_batch_of_records_loses_only_the_one(cached: bool) -> None:
    plan = in_an_aggregate(cached=cached).build().plan()
    config = CONFIG | {"processing.exception.handler": LogAndContinueProcessingExceptionHandler}
    events = [Event(key, value, 5) for key, value in (("a", "1"), ("b", "bad"), ("a", "3"))]
    by_record, by_chunk = (run(plan, config, events, by_chunks=chunks) for chunks in (False, True))
    assert by_record == by_chunk
    assert any(sent.value == b"3" for sent in by_chunk if sent.topic == "out")


def test_without_a_handler_it_ends_the_application() -> None:
    with pytest.raises(StreamsException, match=r"LongSerializer cannot serialize a str"):
        out_of(in_a_processor("value"), LogAndFailProcessingExceptionHandler)


def test_the_serdes_of_a_store_say_the_same_of_a_key() -> None:
    serdes: Any = StateSerdes("t", LONG, TEXT)
    with pytest.raises(StreamsException, match="actual key type") as caught:
        serdes.rawKey("text")
    assert isinstance(caught.value.__cause__, ClassCastException)
