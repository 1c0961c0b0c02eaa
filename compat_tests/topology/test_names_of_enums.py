"""Names of topics, nodes and stores: a str enum gives its value, what is no text is refused."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, cast

import pytest

from millstream import (
    ClassCastException,
    Consumed,
    Grouped,
    Materialized,
    Named,
    Processor,
    Produced,
    Record,
    Serdes,
    Stores,
    StreamsBuilder,
    StreamsException,
    Topology,
)
from millstream.testing import TopologyTestDriver

TEXT, NUMBER = Serdes.String(), Serdes.Long()
READ = Consumed.with_(TEXT, TEXT)


class Name(str, Enum):
    """As programs keep the names of their topics; ``str()`` of a member is "Name.IN"."""

    IN = "in"
    OUT = "out"
    STORE = "kept"
    STEP = "step"


class Copies(Processor[str, str, str, str]):
    def init(self, context: Any) -> None:
        self.context = context
        self.store = context.getStateStore(Name.STORE)

    def process(self, record: Record[str, str]) -> None:
        self.store.put(record.key(), record.value())
        self.context.forward(record)


def kept() -> Any:
    return Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(Name.STORE), TEXT, TEXT)


def counting() -> Topology:
    builder = StreamsBuilder()
    builder.stream(Name.IN, READ).groupByKey(Grouped.with_(Name.STEP, TEXT, TEXT)).count(
        Materialized.as_(Name.STORE)
    ).toStream(Named.as_(Name.STEP)).mapValues(str).to(Name.OUT, Produced.with_(TEXT, TEXT))
    return builder.build()


def chosen() -> Topology:
    builder = StreamsBuilder()
    builder.stream([Name.IN], READ).to(lambda *_: Name.OUT, Produced.with_(TEXT, TEXT))
    return builder.build()


def table() -> Topology:
    builder = StreamsBuilder()
    builder.table(Name.IN, READ).toStream().to(Name.OUT, Produced.with_(TEXT, TEXT))
    return builder.build()


def brought() -> Topology:
    builder = StreamsBuilder()
    builder.addStateStore(kept())
    builder.stream(Name.IN, READ).process(Copies, Name.STORE).to(
        Name.OUT, Produced.with_(TEXT, TEXT)
    )
    return builder.build()


def by_hand() -> Topology:
    topology = Topology().addSource(Name.IN, TEXT.deserializer(), TEXT.deserializer(), Name.IN)
    topology.addProcessor(Name.STEP, Copies, Name.IN)
    topology.addStateStore(kept(), Name.STEP)
    return topology.addSink(Name.OUT, Name.OUT, TEXT.serializer(), TEXT.serializer(), Name.STEP)


@pytest.mark.parametrize("make", [counting, chosen, table, brought, by_hand])
def test_an_enum_stands_for_its_value(make: Callable[[], Topology]) -> None:
    assert "Name." not in str(make().describe())
    with TopologyTestDriver(make()) as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("a", "x")
        read = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        assert list(read.readKeyValuesToMap()) == ["a"]
        names = driver.producedTopicNames() | set(driver.getAllStateStores())
        assert not [name for name in names if type(name) is not str or "Name." in name]


BUILDER, STORES = cast(Any, StreamsBuilder), cast(Any, Stores)
"""Types of wrong calls."""


def source() -> Any:
    return Topology().addSource("source", "in")


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: BUILDER().stream(3), "topics cannot be an int"),
        (lambda: BUILDER().stream(b"in"), "topics cannot be a bytes"),
        (lambda: BUILDER().stream(["in", 3]), "topic cannot be an int"),
        (lambda: BUILDER().table(["in"]), "topic cannot be a list"),
        (lambda: BUILDER().globalTable(b"in"), "topic cannot be a bytes"),
        (lambda: source().addProcessor(3, Copies, "source"), "name cannot be an int"),
        (lambda: source().addProcessor("p", Copies, ["source"]), "parent name cannot be a list"),
        (lambda: source().addSink("sink", 3, "source"), "topic cannot be an int"),
        (lambda: source().addSink("sink", "out", ["source"]), "parent name cannot be a list"),
        (lambda: STORES.persistentKeyValueStore(3), "name cannot be an int"),
    ],
)
def test_what_is_no_text_is_refused_by_the_call(call: Callable[[], Any], problem: str) -> None:
    with pytest.raises(ClassCastException, match=problem) as caught:
        call()
    assert caught.value.hint


def test_a_topic_extractor_returns_a_text() -> None:
    builder = BUILDER()
    builder.stream("in", READ).to(lambda *_: b"out", Produced.with_(TEXT, TEXT))
    with TopologyTestDriver(builder.build()) as driver:
        words = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        with pytest.raises(StreamsException, match="returned a bytes"):
            words.pipeInput("a", "x")
