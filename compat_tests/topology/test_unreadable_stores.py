"""A store whose bytes cannot be read is named, and nobody is told to skip the record at hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from millstream import (
    BufferConfig,
    Consumed,
    Grouped,
    JoinWindows,
    KeyValue,
    Materialized,
    Processor,
    Serdes,
    Stores,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
    TopologyTestDriver,
)
from millstream.core.errors import SerializationException, StreamsException
from millstream.core.serdes import Deserializer, Serde, Serializer

TEXT = Serdes.String()
KEPT = "-changelog"


class Writes(Serializer[Any]):
    def serialize(self, topic: str, data: Any) -> bytes | None:
        return None if data is None else str(data).encode()


class FailsOnStores(Deserializer[Any]):
    """Reads topics, and nothing that a store has kept."""

    def deserialize(self, topic: str, data: bytes | None) -> Any:
        if data is not None and topic.endswith(KEPT):
            raise SerializationException("these are not my bytes")
        return None if data is None else data.decode()


OWN: Serde[Any] = Serdes.serdeFrom(Writes(), FailsOnStores())
CONFIG = {
    "default.key.serde": TEXT,
    "default.value.serde": OWN,
    "statestore.cache.max.bytes": 0,
    "processing.exception.handler": (
        "org.apache.kafka.streams.errors.LogAndFailProcessingExceptionHandler"
    ),
}


def reduced() -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(TEXT, OWN))
    stream.groupByKey().reduce(lambda one, other: other, Materialized.as_("kept"))
    return builder.build()


def windowed() -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in").groupByKey(Grouped.with_(TEXT, OWN))
    windows = TimeWindows.ofSizeWithNoGrace(timedelta(seconds=10))
    grouped.windowedBy(windows).reduce(lambda one, other: other, Materialized.as_("kept"))
    return builder.build()


def joined() -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(TEXT, OWN))
    windows = JoinWindows.ofTimeDifferenceWithNoGrace(timedelta(seconds=10))
    options = StreamJoined.with_(TEXT, OWN, OWN).withStoreName("kept")
    stream.join(stream, lambda one, other: one, windows, options)
    return builder.build()


def held() -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed.with_(TEXT, OWN))
    limit = Suppressed.untilTimeLimit(timedelta(), BufferConfig.unbounded())
    table.toStream().toTable().suppress(limit.withName("kept")).toStream().to("out")
    return builder.build()


class Looks(Processor[Any, Any, Any, Any]):
    def init(self, context: Any) -> None:
        self._store = context.getStateStore("kept")

    def process(self, record: Any) -> None:
        self._store.put(record.key(), record.value())
        with self._store.all() as entries:
            list(entries)


def looked_at() -> Topology:
    store = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("kept"), TEXT, OWN)
    topology = Topology().addSource("source", "in")
    return topology.addProcessor("p", Looks, "source").addStateStore(store, "p")


def failure(topology: Topology, config: dict[str, Any]) -> StreamsException:
    with TopologyTestDriver(topology, config) as driver:
        words = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        with pytest.raises(StreamsException) as failed:
            words.pipeKeyValueList([KeyValue("k", "v"), KeyValue("k", "w")])
    return failed.value


@pytest.mark.parametrize("make", [reduced, windowed, joined, held, looked_at])
def test_the_store_is_named_and_what_to_do(make: Callable[[], Topology]) -> None:
    found = failure(make(), CONFIG)
    assert 'cannot read store "kept' in str(found)
    assert "Task 0_0" in str(found)
    assert "use that one" in str(found)
    assert "processing.exception.handler" not in str(found)


class Fails(Processor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        raise SerializationException("not the store's")


def test_what_fails_elsewhere_keeps_its_own_hint() -> None:
    topology = Topology().addSource("source", "in").addProcessor("p", Fails, "source")
    found = failure(topology, CONFIG)
    assert "cannot process a record" in str(found)
    assert "processing.exception.handler" in found.hint
