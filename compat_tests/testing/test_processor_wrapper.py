"""Which processors a wrapper is shown, and how, was read off the real Kafka Streams 4.3.1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from millstream import (
    ClassCastException,
    ConfigException,
    ContextualProcessor,
    FixedKeyProcessor,
    FixedKeyRecord,
    IllegalArgumentException,
    KeyValue,
    Materialized,
    Processor,
    ProcessorSupplier,
    ProcessorWrapper,
    Record,
    Serdes,
    Stores,
    StreamsBuilder,
    StreamsConfig,
    Topology,
    TopologyConfig,
    WrappedFixedKeyProcessorSupplier,
    WrappedProcessorSupplier,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
CONFIG: dict[str, Any] = {
    "application.id": "app",
    "bootstrap.servers": "h:1",
    "default.key.serde": TEXT,
    "default.value.serde": TEXT,
}
shown: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_shown() -> None:
    shown.clear()


class Showing(ProcessorWrapper[Any, Any, Any, Any]):
    def configure(self, configs: Mapping[str, Any]) -> None:
        shown.append(f"configure {configs['my.key']}")

    def wrapProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
        shown.append(processorName)
        return ProcessorWrapper.asWrapped(processorSupplier)

    def wrapFixedKeyProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
        shown.append(f"{processorName} (fixed key)")
        return ProcessorWrapper.asWrappedFixedKey(processorSupplier)


def topology_config(wrapper: type) -> TopologyConfig:
    given = {**CONFIG, "processor.wrapper.class": wrapper, "my.key": 7}
    return TopologyConfig(StreamsConfig(given))


class Pass(ContextualProcessor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> None:
        self.context().forward(record)


class PassValues(FixedKeyProcessor[Any, Any, Any]):
    def init(self, context: Any) -> None:
        self.forward = context.forward

    def process(self, record: FixedKeyRecord[Any, Any]) -> None:
        self.forward(record)


def build(builder: StreamsBuilder) -> Topology:
    stream = builder.stream("in")
    stream.filter(lambda k, v: True).mapValues(str.upper).peek(lambda k, v: None).to("out")
    stream.flatMapValues(str.split).filterNot(lambda k, v: False)
    grouped = stream.selectKey(lambda k, v: v).groupByKey()
    grouped.count(Materialized.as_("counts")).toStream().foreach(lambda k, v: None)
    stream.map(KeyValue.pair).process(Pass)
    stream.merge(stream).processValues(PassValues).to("same")
    stream.toTable().filter(lambda k, v: True)
    return builder.build()


def test_a_wrapper_is_shown_every_processor_of_the_dsl_in_kafkas_order() -> None:
    build(StreamsBuilder(topology_config(Showing)))
    assert shown == [
        "configure 7",
        "KSTREAM-FILTER-0000000001 (fixed key)",
        "KSTREAM-MAPVALUES-0000000002 (fixed key)",
        "KSTREAM-PEEK-0000000003 (fixed key)",
        "KSTREAM-FLATMAPVALUES-0000000005 (fixed key)",
        "KSTREAM-FILTER-0000000006 (fixed key)",
        "KSTREAM-KEY-SELECT-0000000007",
        "counts-repartition-filter (fixed key)",
        "KSTREAM-AGGREGATE-0000000008",
        "KTABLE-TOSTREAM-0000000012 (fixed key)",
        "KSTREAM-FOREACH-0000000013",
        "KSTREAM-MAP-0000000014",
        "KSTREAM-PROCESSOR-0000000015",
        "KSTREAM-MERGE-0000000016",
        "KSTREAM-PROCESSVALUES-0000000017 (fixed key)",
        "KSTREAM-TOTABLE-0000000019",
        "KTABLE-FILTER-0000000021",
    ]


def results(topology: Topology) -> list[Any]:
    with TopologyTestDriver(topology, CONFIG) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for value in ("a b", "c", "a b"):
            topic.pipeInput("k", value, 5)
        outputs = (
            driver.createOutputTopic(name, TEXT.deserializer(), TEXT.deserializer())
            for name in ("out", "same")
        )
        counts = driver.getTimestampedKeyValueStore("counts")
        with counts.all() as rows:
            return [*(output.readRecordsToList() for output in outputs), list(rows)]


def test_a_wrapper_that_changes_nothing_leaves_results_and_description_as_they_are() -> None:
    wrapped = build(StreamsBuilder(topology_config(Showing)))
    plain = build(StreamsBuilder())
    assert str(wrapped.describe()) == str(plain.describe())
    assert results(wrapped) == results(plain)


class Counted(WrappedProcessorSupplier[Any, Any, Any, Any]):
    def __init__(self, name: str, inner: Any) -> None:
        self.name, self.inner = name, inner

    def get(self) -> Processor[Any, Any, Any, Any]:
        return Counter(self.name, self.inner.get())

    def stores(self) -> Any:
        return self.inner.stores()


class Counter(Processor[Any, Any, Any, Any]):
    def __init__(self, name: str, inner: Any) -> None:
        self.name, self.inner = name, inner

    def init(self, context: Any) -> None:
        self.inner.init(context)

    def process(self, record: Record[Any, Any]) -> None:
        shown.append(f"{self.name}: {record.value()}")
        self.inner.process(record)

    def close(self) -> None:
        shown.append(f"close {self.name}")
        self.inner.close()


class CountedValues(WrappedFixedKeyProcessorSupplier[Any, Any, Any]):
    def __init__(self, name: str, inner: Any) -> None:
        self.name, self.inner = name, inner

    def get(self) -> FixedKeyProcessor[Any, Any, Any]:
        return ValueCounter(self.name, self.inner.get())

    def stores(self) -> Any:
        return self.inner.stores()


class ValueCounter(FixedKeyProcessor[Any, Any, Any]):
    def __init__(self, name: str, inner: Any) -> None:
        self.name, self.inner = name, inner

    def init(self, context: Any) -> None:
        self.inner.init(context)

    def process(self, record: FixedKeyRecord[Any, Any]) -> None:
        assert isinstance(record, FixedKeyRecord)
        shown.append(f"{self.name}: {record.value()}")
        self.inner.process(record)


class Counting(ProcessorWrapper[Any, Any, Any, Any]):
    def wrapProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
        return Counted(processorName, processorSupplier)

    def wrapFixedKeyProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
        return CountedValues(processorName, processorSupplier)


def test_what_a_wrapper_returns_runs_in_place_of_the_processor() -> None:
    topology = Topology(topology_config(Counting)).addSource("source", "in")
    topology.addProcessor("p", Pass, "source").addSink("sink", "out", "p")
    with TopologyTestDriver(topology, CONFIG) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        topic.pipeInput("k", "v")
        output = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        assert output.readKeyValue() == KeyValue("k", "v")
    assert shown == ["p: v", "close p"]


def test_an_operator_that_keeps_keys_is_wrapped_as_a_fixed_key_processor() -> None:
    builder = StreamsBuilder(topology_config(Counting))
    builder.stream("in").mapValues(str.upper).filter(lambda k, v: v != "B").to("out")
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        topic.pipeValueList(["a", "b"])
        output = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        assert output.readValuesToList() == ["A"]
    assert shown == [
        "KSTREAM-MAPVALUES-0000000001: a",
        "KSTREAM-FILTER-0000000002: A",
        "KSTREAM-MAPVALUES-0000000001: b",
        "KSTREAM-FILTER-0000000002: B",
    ]


def test_processors_that_fill_stores_from_topics_are_not_shown() -> None:
    topology = Topology(topology_config(Showing)).addSource("source", "in")
    topology.addProcessor("p", Pass, "source")
    builders = [
        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(name), TEXT, TEXT)
        for name in ("global", "read-only")
    ]
    read = TEXT.deserializer()
    topology.addGlobalStore(
        builders[0].withLoggingDisabled(), "g-source", read, read, "g", "g-fill", Pass
    )
    topology.addReadOnlyStateStore(builders[1], "r-source", read, read, "r", "r-fill", Pass)
    assert shown == ["configure 7", "p"]


def test_the_key_has_no_effect_in_the_drivers_configuration() -> None:
    topology = Topology().addSource("source", "in").addProcessor("p", Pass, "source")
    with TopologyTestDriver(topology, {**CONFIG, "processor.wrapper.class": Showing}):
        assert shown == []


class Fills(ProcessorSupplier[Any, Any, Any, Any]):
    def get(self) -> Processor[Any, Any, Any, Any]:
        return Pass()


def test_a_users_own_supplier_is_shown_as_it_is() -> None:
    class Keeping(Showing):
        def wrapProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
            seen.append(processorSupplier)
            return ProcessorWrapper.asWrapped(processorSupplier)

    seen: list[Any] = []
    supplier = Fills()
    topology = Topology(topology_config(Keeping)).addSource("source", "in")
    topology.addProcessor("p", supplier, "source")
    assert seen == [supplier]


class InMemory(Showing):
    """Puts stores in memory in place of an operator's."""

    def wrapProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
        return WithOtherStores(processorSupplier)


class WithOtherStores(WrappedProcessorSupplier[Any, Any, Any, Any]):
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def get(self) -> Processor[Any, Any, Any, Any]:
        inner: Processor[Any, Any, Any, Any] = self._inner.get()
        return inner

    def stores(self) -> Any:
        made = (builder.name() for builder in self._inner.stores() or ())
        memory = (Stores.inMemoryKeyValueStore(name) for name in made)
        return {Stores.timestampedKeyValueStoreBuilder(s, TEXT, Serdes.Long()) for s in memory}


def test_a_wrapper_may_exchange_the_stores_of_operators() -> None:
    builder = StreamsBuilder(topology_config(InMemory))
    builder.stream("in").groupByKey().count(Materialized.as_("counts"))
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        topic.pipeInput("k", "v")
        store = driver.getTimestampedKeyValueStore("counts")
        assert store.get("k").value() == 1
        assert not store.persistent()


class Failing(Showing):
    def configure(self, configs: Mapping[str, Any]) -> None:
        raise ValueError("no such key")


@pytest.mark.parametrize("wrapper", [Failing, int])
@pytest.mark.parametrize("kind", [Topology, StreamsBuilder])
def test_a_wrapper_that_cannot_be_made_is_refused_by_the_constructor(
    wrapper: Any, kind: Any
) -> None:
    config = topology_config(wrapper)
    with pytest.raises(ConfigException, match="Unable to instantiate ProcessorWrapper"):
        kind(config)


def test_a_wrappers_supplier_must_make_new_processors() -> None:
    class Same(Showing):
        def wrapProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
            processor = processorSupplier.get()
            return type("One", (WrappedProcessorSupplier,), {"get": lambda self: processor})()

    topology = Topology(topology_config(Same)).addSource("source", "in")
    with pytest.raises(IllegalArgumentException, match="must return a new object each time"):
        topology.addProcessor("p", Pass, "source")


class Wrong(Showing):
    def wrapProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
        return None


def test_a_wrapper_that_returns_no_supplier_is_told_so() -> None:
    topology = Topology(topology_config(Wrong)).addSource("source", "in")
    with pytest.raises(IllegalArgumentException, match='NoneType for processor "p"'):
        topology.addProcessor("p", Pass, "source")


class Halved:
    """Inherits nothing and has half of the interface."""

    def wrapProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
        return ProcessorWrapper.asWrapped(processorSupplier)


def test_a_wrapper_has_both_methods() -> None:
    with pytest.raises(ConfigException, match="Unable to instantiate") as caught:
        StreamsBuilder(topology_config(Halved))
    assert "Halved has no method wrapFixedKeyProcessorSupplier()" in caught.value.detail


def test_a_plain_callable_can_be_wrapped_as_any_supplier() -> None:
    wrapper: Any = ProcessorWrapper
    made = wrapper.asWrapped(Pass)
    assert isinstance(made.get(), Pass)
    assert made.stores() is None
    assert wrapper.asWrappedFixedKey(lambda: 5).get() == 5
    for given in (5, "text"):
        with pytest.raises(ClassCastException, match="processorSupplier cannot be"):
            wrapper.asWrapped(given)
