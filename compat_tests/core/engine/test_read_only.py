"""A global store is read by all processors, and changed by its own alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    Consumed,
    KeyValueStore,
    Materialized,
    Named,
    Processor,
    ProcessorSupplier,
    ProcessorWrapper,
    Serdes,
    Stores,
    StreamsBuilder,
    StreamsConfig,
    StreamsException,
    TimestampedKeyValueStore,
    TopologyConfig,
    UnsupportedOperationException,
    ValueAndTimestamp,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}


def used(use: Callable[[Any], Any]) -> Any:
    """Return what a processor gets from a global table's store, which holds one row."""
    found = []

    class Uses(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            self.store = context.getStateStore("rates")

        def process(self, record: Any) -> None:
            found.append(use(self.store))

    builder = StreamsBuilder()
    builder.globalTable("rates", Consumed.with_(TEXT, TEXT), Materialized.as_("rates"))
    builder.stream("in").process(Uses)
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        for topic in ("rates", "in"):
            driver.createInputTopic(topic, TEXT.serializer(), TEXT.serializer()).pipeInput("a", "1")
    return found[0]


@pytest.mark.parametrize(
    "use",
    [
        lambda store: store.put("a", ValueAndTimestamp.make("2", 0)),
        lambda store: store.putIfAbsent("b", ValueAndTimestamp.make("2", 0)),
        lambda store: store.putAll([]),
        lambda store: store.delete("a"),
        lambda store: store.flush(),
        lambda store: store.close(),
    ],
)
def test_a_processor_cannot_change_a_global_store(use: Callable[[Any], Any]) -> None:
    with pytest.raises(StreamsException) as raised:
        used(use)
    assert isinstance(raised.value.__cause__, UnsupportedOperationException)
    assert "Global store is read only" in str(raised.value)
    assert "the topic that the store is filled from" in str(raised.value)


def test_a_processor_reads_a_global_store_as_any_store() -> None:
    seen = used(lambda store: (store.get("a").value(), store.name(), store.isOpen()))
    assert seen == ("1", "rates", True)
    assert used(lambda store: [entry.key for entry in store.all()]) == ["a"]
    assert used(lambda store: isinstance(store, TimestampedKeyValueStore))


def test_the_processor_of_a_global_store_changes_it() -> None:
    class Fills(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            self.context = context

        def process(self, record: Any) -> None:
            store: KeyValueStore[str, str] = self.context.getStateStore("own")
            store.put(record.key(), record.value())

    builder = StreamsBuilder()
    own = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("own"), TEXT, TEXT)
    builder.addGlobalStore(own.withLoggingDisabled(), "own", Consumed.with_(TEXT, TEXT), Fills)
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        driver.createInputTopic("own", TEXT.serializer(), TEXT.serializer()).pipeInput("a", "1")
        assert driver.getKeyValueStore("own").get("a") == "1"


class Changes:
    """A transformer, or a processor, that writes to the global store."""

    def init(self, context: Any) -> None:
        self.context = context
        self.store = context.getStateStore("rates")

    def transform(self, key: Any, value: Any) -> Any:
        self.store.put("a", ValueAndTimestamp.make("2", 0))
        return value

    def process(self, record: Any) -> None:
        self.store.put("a", ValueAndTimestamp.make("2", 0))

    def close(self) -> None: ...


class Wraps:
    """Has the processor that writes around each of the topology's."""

    def configure(self, configs: Any) -> None: ...

    def wrapProcessorSupplier(self, name: str, supplier: Any) -> Any:
        return ProcessorWrapper.asWrapped(Around(supplier)) if name == "wrapped" else supplier

    def wrapFixedKeyProcessorSupplier(self, name: str, supplier: Any) -> Any:
        return ProcessorWrapper.asWrappedFixedKey(supplier)


class Around(ProcessorSupplier[Any, Any, Any, Any]):
    def __init__(self, supplier: Any) -> None:
        self.supplier = supplier

    def stores(self) -> Any:
        return self.supplier.stores()

    def get(self) -> Any:
        inner = self.supplier.get()

        class Outer(Changes):
            def init(self, context: Any) -> None:
                super().init(context)
                inner.init(context)

        return Outer()


def transformed(builder: StreamsBuilder) -> None:
    table: Any = builder.table("in", Consumed.with_(TEXT, TEXT))
    table.transformValues(Changes).toStream().to("out")


def joined(builder: StreamsBuilder) -> None:
    rates: Any = builder.globalTable("more", Consumed.with_(TEXT, TEXT))
    stream = builder.stream("in")
    stream.join(rates, lambda key, value: key, lambda one, two: two, Named.as_("wrapped")).to("out")


def wrapping(config: dict[str, Any]) -> StreamsBuilder:
    needed = {"application.id": "a", "bootstrap.servers": "none:9092"}
    return StreamsBuilder(TopologyConfig(StreamsConfig(config | needed)))


@pytest.mark.parametrize("define", [transformed, joined])
def test_a_transformer_and_a_wrapper_cannot_change_a_global_store(define: Any) -> None:
    config = CONFIG | ({"processor.wrapper.class": Wraps} if define is joined else {})
    builder = wrapping(config)
    builder.globalTable("rates", Consumed.with_(TEXT, TEXT), Materialized.as_("rates"))
    define(builder)
    with TopologyTestDriver(builder.build(), config) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        with pytest.raises(StreamsException, match="Global store is read only"):
            topic.pipeInput("a", "1")


def test_a_wrapped_operator_still_reads_global_tables_and_uses_its_stores() -> None:
    class Quiet(Wraps):
        def wrapProcessorSupplier(self, name: str, supplier: Any) -> Any:
            return ProcessorWrapper.asWrapped(supplier)

    config = CONFIG | {"processor.wrapper.class": Quiet}
    builder = wrapping(config)
    rates: Any = builder.globalTable("rates", Consumed.with_(TEXT, TEXT))
    stream = builder.stream("in").join(rates, lambda key, value: key, lambda one, two: one + two)
    stream.groupByKey().reduce(lambda one, two: one + two).toStream().to("out")
    with TopologyTestDriver(builder.build(), config) as driver:
        for topic in ("rates", "in", "in"):
            driver.createInputTopic(topic, TEXT.serializer(), TEXT.serializer()).pipeInput("a", "1")
        out = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        assert out.readValuesToList() == ["11", "1111"]
