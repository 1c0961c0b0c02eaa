"""Each functional interface: an object, a class and a plain callable do the same in a topology."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    Aggregator,
    Consumed,
    FixedKeyProcessor,
    ForeachAction,
    Grouped,
    Initializer,
    Joined,
    KeyValue,
    KeyValueMapper,
    Materialized,
    Merger,
    Predicate,
    Processor,
    Produced,
    PunctuationType,
    Punctuator,
    Reducer,
    Serdes,
    SessionWindows,
    StreamsBuilder,
    TimestampExtractor,
    TopicNameExtractor,
    ValueJoiner,
    ValueJoinerWithKey,
    ValueMapper,
    ValueMapperWithKey,
    ValueTransformerWithKey,
    ValueTransformerWithKeySupplier,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
READ = Consumed.with_(TEXT, TEXT)
WRITE = Produced.with_(TEXT, TEXT)
KEPT = Materialized.with_(TEXT, TEXT)


def run(build: Callable[[Any, StreamsBuilder], Any], *records: tuple[str, str]) -> list[str]:
    """Return ``key=value@time`` of what comes to ``out`` for records 10 ms apart."""
    builder = StreamsBuilder()
    stream = builder.stream("in", READ)
    built = build(stream, builder)
    if built is not None:
        built.to("out", WRITE)
    with TopologyTestDriver(builder.build(), {}) as driver:
        source = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer(), 100, 10)
        target = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        for record in records or [("a", "x"), ("b", "y"), ("a", "z")]:
            source.pipeInput(*record)
        return [
            f"{each.key()}={each.value()}@{each.timestamp()}" for each in target.readRecordsToList()
        ]


class Marks(ValueMapper[str, str]):
    def apply(self, value: str, /) -> str:
        return value + "!"


class MarksWithKey(ValueMapperWithKey[str, str, str]):
    def apply(self, readOnlyKey: str, value: str, /) -> str:
        return readOnlyKey + value


class Swaps(KeyValueMapper[str, str, KeyValue[str, str]]):
    def apply(self, key: str, value: str, /) -> KeyValue[str, str]:
        return KeyValue(value, key)


class IsA(Predicate[str, str]):
    def test(self, key: str, value: str, /) -> bool:
        return key == "a"


class Joins(ValueJoiner[str, str, str]):
    def apply(self, value1: str, value2: str, /) -> str:
        return f"{value1}+{value2}"


class JoinsWithKey(ValueJoinerWithKey[str, str, str, str]):
    def apply(self, readOnlyKey: str, value1: str, value2: str, /) -> str:
        return f"{readOnlyKey}:{value1}+{value2}"


class Adds(Reducer[str]):
    def apply(self, value1: str, value2: str, /) -> str:
        return value1 + value2


class Empty(Initializer[str]):
    def apply(self) -> str:
        return "<"


class Appends(Aggregator[str, str, str]):
    def apply(self, key: str, value: str, aggregate: str, /) -> str:
        return aggregate + value


class Merges(Merger[str, str]):
    def apply(self, aggKey: str, aggOne: str, aggTwo: str, /) -> str:
        return f"{aggOne}|{aggTwo}"


class ToOut(TopicNameExtractor[str, str]):
    def extract(self, key: str, value: str, recordContext: Any) -> str:
        return "out" if recordContext.topic() == "in" else "elsewhere"


class Later(TimestampExtractor):
    def extract(self, record: Any, partitionTime: int) -> int:
        return int(record.timestamp()) + 1000


def table(builder: StreamsBuilder) -> Any:
    """A table of what is in ``in`` too: each record meets itself."""
    return builder.stream("in2", READ).toTable(KEPT)


def sessions(stream: Any, initializer: Any, aggregator: Any, merger: Any) -> Any:
    windows = SessionWindows.ofInactivityGapWithNoGrace(15)
    grouped = stream.groupByKey(Grouped.with_(TEXT, TEXT)).windowedBy(windows)
    table = grouped.aggregate(initializer, aggregator, merger, KEPT)
    return table.toStream(lambda key, value: key.key())


def with_itself(stream: Any, joiner: Any) -> Any:
    return stream.join(stream.toTable(KEPT), joiner, Joined.with_(TEXT, TEXT, TEXT))


CASES: list[tuple[Any, Callable[..., Any], Callable[[Any, Any], Any]]] = [
    (Marks, lambda value: value + "!", lambda s, f: s.mapValues(f)),
    (MarksWithKey, lambda key, value: key + value, lambda s, f: s.mapValues(f)),
    (Swaps, lambda key, value: KeyValue(value, key), lambda s, f: s.map(f)),
    (IsA, lambda key, value: key == "a", lambda s, f: s.filter(f)),
    (IsA, lambda key, value: key == "a", lambda s, f: s.filterNot(f)),
    (Joins, lambda one, two: f"{one}+{two}", with_itself),
    (JoinsWithKey, lambda key, one, two: f"{key}:{one}+{two}", with_itself),
    (
        Adds,
        lambda one, two: one + two,
        lambda s, f: s.groupByKey(Grouped.with_(TEXT, TEXT)).reduce(f, KEPT).toStream(),
    ),
    (Empty, lambda: "<", lambda s, f: sessions(s, f, Appends(), Merges())),
    (Appends, lambda key, value, all: all + value, lambda s, f: sessions(s, Empty(), f, Merges())),
    (Merges, lambda key, one, two: f"{one}|{two}", lambda s, f: sessions(s, Empty(), Appends(), f)),
    (ToOut, lambda key, value, context: "out", lambda s, f: s.to(f, WRITE)),
]
RECORDS = [("a", "x"), ("b", "y"), ("a", "z"), ("a", "w")]


@pytest.mark.parametrize(
    ("kind", "function", "use"),
    CASES,
    ids=[f"{kind.__name__}-{index}" for index, (kind, _, _) in enumerate(CASES)],
)
def test_an_object_a_class_and_a_callable_do_the_same(
    kind: Any, function: Callable[..., Any], use: Callable[[Any, Any], Any]
) -> None:
    expected = run(lambda stream, _: use(stream, function), *RECORDS)
    assert expected
    assert run(lambda stream, _: use(stream, kind()), *RECORDS) == expected
    assert run(lambda stream, _: use(stream, kind), *RECORDS) == expected


def test_an_action_sees_each_record() -> None:
    seen: list[str] = []

    class Sees(ForeachAction[str, str]):
        def apply(self, key: str, value: str, /) -> None:
            seen.append(key + value)

    assert run(lambda stream, _: stream.peek(Sees())) == ["a=x@100", "b=y@110", "a=z@120"]
    assert run(lambda stream, _: stream.foreach(Sees)) == []
    assert seen == ["ax", "by", "az"] * 2


@pytest.mark.parametrize(
    "extractor", [Later(), Later, lambda record, time: record.timestamp() + 1000]
)
def test_a_timestamp_extractor_gives_event_times(extractor: Any) -> None:
    builder = StreamsBuilder()
    builder.stream("in", READ.withTimestampExtractor(extractor)).to("out", WRITE)
    with TopologyTestDriver(builder.build(), {}) as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("a", "b", 5)
        found = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        assert found.readRecord().timestamp() == 1005


def test_a_value_transformer_sees_its_context_and_is_closed() -> None:
    calls: list[str] = []

    class Transforms(ValueTransformerWithKey[str, str, str]):
        def init(self, context: Any) -> None:
            self.context = context
            calls.append("init")

        def transform(self, readOnlyKey: str, value: str | None) -> str:
            context = self.context
            place = f"{context.topic()}-{context.partition()}@{context.offset()}"
            return f"{readOnlyKey}{value} {place} {context.timestamp()} {len(context.headers())}"

        def close(self) -> None:
            calls.append("close")

    class Supplies(ValueTransformerWithKeySupplier[str, str, str]):
        def get(self) -> ValueTransformerWithKey[str, str, str]:
            return Transforms()

    found = run(lambda stream, _: stream.toTable(KEPT).transformValues(Supplies()).toStream())
    assert found == [
        "a=ax in-0@0 100 0@100",
        "b=by in-0@1 110 0@110",
        "a=az in-0@2 120 0@120",
    ]
    assert calls == ["init", "close"]


def test_a_punctuator_may_be_an_object() -> None:
    class Ticks(Punctuator):
        def __init__(self, context: Any) -> None:
            self.context = context
            self.times: list[int] = []

        def punctuate(self, timestamp: int) -> None:
            self.times.append(timestamp)

    made: list[Ticks] = []

    class Schedules(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            made.append(Ticks(context))
            context.schedule(10, PunctuationType.STREAM_TIME, made[0])

        def process(self, record: Any) -> None:
            pass

    run(lambda stream, _: stream.process(Schedules).filter(lambda key, value: False))
    assert made[0].times == [100, 110, 120]


def test_a_fixed_key_processor_forwards_to_one_child() -> None:
    class Chooses(FixedKeyProcessor[str, str, str]):
        def init(self, context: Any) -> None:
            self.context = context

        def process(self, record: Any) -> None:
            self.context.forward(record.withValue("one"), "first")
            self.context.forward(record.withValue("all"))

    def build(stream: Any, _: StreamsBuilder) -> Any:
        from millstream import Named

        chosen = stream.processValues(Chooses)
        chosen.mapValues(lambda value: value + "1", Named.as_("first")).to("out", WRITE)
        chosen.mapValues(lambda value: value + "2", Named.as_("second")).to("out", WRITE)

    assert run(build, ("a", "x")) == ["a=one1@100", "a=all1@100", "a=all2@100"]
