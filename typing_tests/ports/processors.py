"""Ports as a type checker sees them: the Processor API and its test. Checked, never run."""

# pyright: strict
from __future__ import annotations

from datetime import timedelta
from typing import Any

from typing_extensions import assert_type

from millstream import (
    Consumed,
    ContextualProcessor,
    FixedKeyProcessor,
    FixedKeyProcessorContext,
    FixedKeyRecord,
    KeyValue,
    KeyValueStore,
    KStream,
    Processor,
    ProcessorContext,
    ProcessorSupplier,
    Produced,
    PunctuationType,
    Record,
    Serde,
    Serdes,
    StoreBuilder,
    Stores,
    StreamsBuilder,
    Topology,
)
from millstream.testing import TestInputTopic, TestOutputTopic, TestRecord, TopologyTestDriver

TEXT, NUMBER = Serdes.String(), Serdes.Long()


def counting_store() -> StoreBuilder[KeyValueStore[str, int]]:
    return Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("counts"), TEXT, NUMBER)


class Counts(Processor[str, str, str, int]):
    """Counts words and tells the counts each second."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        self.context = context
        self.store: KeyValueStore[str, int] = context.getStateStore("counts")
        context.schedule(timedelta(seconds=1), PunctuationType.STREAM_TIME, self.punctuate)

    def punctuate(self, timestamp: int) -> None:
        with self.store.all() as entries:
            for entry in entries:
                self.context.forward(Record(entry.key, entry.value, timestamp))

    def process(self, record: Record[str, str]) -> None:
        for word in record.value().split():
            self.store.put(word, (self.store.get(word) or 0) + 1)


class Doubles(ContextualProcessor[str, int, str, int]):
    """Doubles numbers."""

    def process(self, record: Record[str, int]) -> None:
        self.context().forward(record.withValue(record.value() * 2))


class Lengths(FixedKeyProcessor[str, str, int]):
    """Tells how long values are."""

    def init(self, context: FixedKeyProcessorContext[str, int]) -> None:
        self.context = context

    def process(self, record: FixedKeyRecord[str, str]) -> None:
        self.context.forward(record.withValue(len(record.value())))


class CountsSupplier(ProcessorSupplier[str, str, str, int]):
    """Brings its store."""

    def get(self) -> Processor[str, str, str, int]:
        return Counts()

    def stores(self) -> set[StoreBuilder[KeyValueStore[str, int]]]:
        return {counting_store()}


def with_the_dsl() -> Topology:
    builder = StreamsBuilder()
    lines = builder.stream("lines", Consumed.with_(TEXT, TEXT))
    counts = lines.process(CountsSupplier())
    assert_type(counts, KStream[str, int])
    doubled = counts.process(Doubles)
    assert_type(doubled, KStream[str, int])
    lengths = lines.processValues(Lengths)
    assert_type(lengths, KStream[str, int])
    again = lines.process(lambda: Counts(), "counts")
    assert_type(again, KStream[str, int])
    doubled.to("out", Produced.with_(TEXT, NUMBER))
    return builder.build()


def by_hand() -> Topology:
    return (
        Topology()
        .addSource("source", TEXT.deserializer(), TEXT.deserializer(), "lines")
        .addProcessor("counts", Counts, "source")
        .addStateStore(counting_store(), "counts")
        .addSink("sink", "out", TEXT.serializer(), NUMBER.serializer(), "counts")
    )


def tested() -> None:
    with TopologyTestDriver(with_the_dsl(), {"state.dir": "x"}) as driver:
        lines = driver.createInputTopic("lines", TEXT.serializer(), TEXT.serializer())
        assert_type(lines, TestInputTopic[str, str])
        out = driver.createOutputTopic("out", TEXT.deserializer(), NUMBER.deserializer())
        assert_type(out, TestOutputTopic[str, int])
        lines.pipeInput("k", "a b")
        lines.pipeInput(TestRecord("k", "a b"))
        assert_type(out.readRecord(), TestRecord[str, int])
        assert_type(out.readKeyValue(), KeyValue[str | Any, int | Any])
        for record in out:
            assert_type(record, TestRecord[str, int])
        assert_type(out.readRecordsToList(), list[TestRecord[str, int]])
        assert out.readKeyValue() == KeyValue("a", 2)
        store: KeyValueStore[str, int] = driver.getKeyValueStore("counts")
        assert_type(store.get("a"), int | None)


def halves(serde: Serde[int]) -> None:
    assert_type(serde.serializer().serialize("t", 5), bytes | None)
    assert_type(serde.deserializer().deserialize("t", b""), int | None)
