"""Serdes and user classes that have Kafka's methods and inherit nothing of ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import pytest

from millstream import (
    Consumed,
    Grouped,
    JoinWindows,
    Materialized,
    Produced,
    Serde,
    Serdes,
    SlidingWindows,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TableJoined,
    TimeWindows,
    Topology,
    WindowedSerdes,
)
from millstream.testing import TopologyTestDriver


class Writer:
    def serialize(self, topic: str, data: Any) -> bytes:
        return json.dumps(data).encode()


class Reader:
    def deserialize(self, topic: str, data: bytes) -> Any:
        return json.loads(data)


class HeadersReader:
    def deserialize(self, topic: str, headers: Any, data: bytes) -> Any:
        assert headers is not None
        return json.loads(data)


class Plain:
    def serializer(self) -> Any:
        return Writer()

    def deserializer(self) -> Any:
        return Reader()


class PlainWithHeaders(Plain):
    def deserializer(self) -> Any:
        return HeadersReader()


class OnlyTheHalves(Serde[Any]):
    def serializer(self) -> Any:
        return Writer()

    def deserializer(self) -> Any:
        return Reader()


class ByParity:
    def extract(self, key: Any, value: Any, context: Any) -> str:
        return "even" if value % 4 == 0 else "odd"


WRITER: Any = Writer()
READER: Any = Reader()
ROUTER: Any = ByParity()
SERDES: list[Any] = [
    Plain(),
    PlainWithHeaders(),
    OnlyTheHalves(),
    Serdes.serdeFrom(WRITER, READER),
]
Build = Callable[[StreamsBuilder, Any], Any]


def mapped(builder: StreamsBuilder, serde: Any) -> Any:
    return builder.stream("in", Consumed.with_(serde, serde)).mapValues(lambda value: [value])


def counted_by_value(builder: StreamsBuilder, serde: Any) -> Any:
    stream = builder.stream("in", Consumed.with_(serde, serde))
    grouped = stream.groupBy(lambda key, value: value, Grouped.with_(serde, serde))
    return grouped.count(Materialized.with_(serde, serde)).toStream()


def windowed(builder: StreamsBuilder, serde: Any) -> Any:
    stream = builder.stream("in", Consumed.with_(serde, serde))
    windows = TimeWindows.ofSizeWithNoGrace(10)
    table = stream.groupByKey().windowedBy(windows).count(Materialized.with_(serde, serde))
    final = table.suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()))
    return final.toStream(lambda key, count: key.key())


def sliding(builder: StreamsBuilder, serde: Any) -> Any:
    stream = builder.stream("in", Consumed.with_(serde, serde))
    windows = SlidingWindows.ofTimeDifferenceWithNoGrace(10)
    table = stream.groupByKey().windowedBy(windows).count(Materialized.with_(serde, serde))
    return table.toStream(lambda key, count: key.key())


def joined_with_itself_later(builder: StreamsBuilder, serde: Any) -> Any:
    left = builder.stream("in", Consumed.with_(serde, serde))
    return left.outerJoin(
        left.mapValues(lambda value: -value),
        lambda one, two: [one, two],
        JoinWindows.ofTimeDifferenceWithNoGrace(1),
        StreamJoined.with_(serde, serde, serde),
    )


def joined_by_foreign_key(builder: StreamsBuilder, serde: Any) -> Any:
    table = builder.table("in", Consumed.with_(serde, serde), Materialized.with_(serde, serde))
    both = table.join(
        table,
        lambda value: value % 2,
        lambda one, two: [one, two],
        TableJoined.as_("by-parity"),
        Materialized.with_(serde, serde),
    )
    return both.toStream()


def without_repeats(builder: StreamsBuilder, serde: Any) -> Any:
    return builder.stream("in", Consumed.with_(serde, serde)).deduplicateByKey(10)


@pytest.mark.parametrize("serde", SERDES, ids=["plain", "headers", "subclass", "serde-from"])
@pytest.mark.parametrize("cache", [0, 10_000_000])
@pytest.mark.parametrize(
    "build",
    [
        mapped,
        counted_by_value,
        windowed,
        sliding,
        joined_with_itself_later,
        joined_by_foreign_key,
        without_repeats,
    ],
)
def test_it_works_as_the_json_serde_does(build: Build, cache: int, serde: Any) -> None:
    assert run(build, serde, cache) == run(build, Serdes.JsonSerde(), cache)


def run(build: Build, serde: Any, cache: int) -> list[Any]:
    builder, config = StreamsBuilder(), {"statestore.cache.max.bytes": cache}
    build(builder, serde).to("out", Produced.with_(serde, serde))
    write, read = serde.serializer(), serde.deserializer()
    with TopologyTestDriver(builder.build(), config) as driver:
        source = driver.createInputTopic("in", write, write)
        target = driver.createOutputTopic("out", read, read)
        for time, number in enumerate([1, 2, 1, 3, 2, 5]):
            source.pipeInput(number % 3, number, time * 7)
        found = target.readRecordsToList()
    assert found
    return [(each.key(), each.value(), each.timestamp()) for each in found]


def test_it_can_be_the_default_and_the_inner_half_of_others() -> None:
    words: Any = Serdes.ListSerde(list, Plain())  # type: ignore[arg-type]
    key: Any = WindowedSerdes.TimeWindowedSerde(Plain(), 10)  # type: ignore[arg-type]
    config = {"default.key.serde": Plain, "default.value.serde": Plain()}
    builder = StreamsBuilder()
    counts = builder.stream("in").groupByKey().windowedBy(TimeWindows.ofSizeWithNoGrace(10))
    counts.count().mapValues(lambda n: [n]).toStream().to("out", Produced.with_(key, words))

    with TopologyTestDriver(builder.build(), config) as driver:
        driver.createInputTopic("in", WRITER, WRITER).pipeInput("k", "v", 12)
        target = driver.createOutputTopic("out", key.deserializer(), words.deserializer())
        found: Any = target.readKeyValue()

    assert (found.key.key(), found.key.window().start(), found.value) == ("k", 10, [1])


class Stamp:
    def extract(self, record: Any, partitionTime: int) -> datetime:
        return datetime.fromtimestamp(record.value(), timezone.utc)


class Doubler:
    def init(self, context: Any) -> None:
        self.context = context

    def process(self, record: Any) -> None:
        self.context.forward(record.withValue(record.value() * 2))


class Doublers:
    def get(self) -> Doubler:
        return Doubler()


class First:
    def partitions(self, topic: str, key: Any, value: Any, numPartitions: int) -> set[int]:
        return {0}


def test_so_can_extractors_processors_and_partitioners() -> None:
    serde: Any = Plain()
    how: Any = Consumed.with_(serde, serde).withTimestampExtractor(Stamp())
    builder = StreamsBuilder()
    builder.stream("in", how).process(Doublers()).to(  # type: ignore[arg-type]
        ROUTER, Produced.with_(serde, serde, First())
    )
    topology: Topology = builder.build()

    with TopologyTestDriver(topology) as driver:
        source = driver.createInputTopic("in", serde.serializer(), serde.serializer())
        source.pipeInput("k", 2)
        source.pipeInput("k", 3)
        read = serde.deserializer()
        records = [driver.createOutputTopic(n, read, read).readRecord() for n in ("even", "odd")]

    assert [(each.value(), each.timestamp()) for each in records] == [(4, 2000), (6, 3000)]
