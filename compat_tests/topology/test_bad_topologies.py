"""What cannot run is refused while it is being built, with the culprit's name and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    ConfigException,
    Consumed,
    ContextualProcessor,
    IllegalArgumentException,
    KeyValue,
    Materialized,
    NullPointerException,
    Serdes,
    Stores,
    StreamsBuilder,
    StreamsException,
    Topology,
    TopologyException,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()


class Pass(ContextualProcessor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        self.context().forward(record)


def source() -> Topology:
    return Topology().addSource("in", "words")


def counts() -> Any:
    return Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("counts"), TEXT, Serdes.Long())


def with_global_store() -> Topology:
    read = TEXT.deserializer()
    return source().addGlobalStore(counts(), "all", read, read, "totals", "fill", Pass)


def with_two_topics(builder: Any) -> Topology:
    read = TEXT.deserializer()
    return (
        Topology()
        .addReadOnlyStateStore(builder, "one", read, read, "first", "fill-one", Pass)
        .addReadOnlyStateStore(builder, "two", read, read, "second", "fill-two", Pass)
    )


REFUSED: list[tuple[str, Callable[[], Any], str]] = [
    (
        "no parent",
        lambda: source().addProcessor("p", Pass),
        (
            "predecessorNames cannot be empty\n"
            '  detail: The processor "p" has no parent.\n'
            "  hint: Name at least one source or processor above it."
        ),
    ),
    (
        "a parent that comes later",
        lambda: source().addProcessor("p", Pass, "q"),
        (
            "Parent node q is unknown.\n"
            '  detail: It is to be above the processor "p". Nodes so far: in.\n'
            "  hint: Add parents before their children; a topology has no cycles."
        ),
    ),
    (
        "a cycle",
        lambda: source().addProcessor("p", Pass, "in", "p"),
        "Parent node p is unknown (self-reference).\n  detail: A topology has no cycles.",
    ),
    (
        "a sink as parent",
        lambda: source().addSink("out", "copies", "in").addProcessor("p", Pass, "out"),
        (
            "Sink out cannot be used a parent.\n"
            '  detail: The processor "p" names it.\n'
            "  hint: Read the sink's topic with a source instead."
        ),
    ),
    (
        "a name twice",
        lambda: source().addSink("in", "copies", "in"),
        (
            "Processor in is already added.\n"
            "  hint: Give each source, processor and sink its own name."
        ),
    ),
    (
        "a topic twice",
        lambda: source().addSource("again", re.compile("wor.*")),
        (
            "Pattern wor.* will match a topic that has already been registered by another source.\n"
            '  detail: The source "in" reads it; "again" cannot.\n'
            "  hint: Read a topic once and give its source several children."
        ),
    ),
    (
        "a topic that a pattern reads",
        lambda: (
            Topology().addSource("in", re.compile("wor.*")).addSource("again", "lines", "words")
        ),
        (
            "Topic words matches a Pattern already registered by another source.\n"
            '  detail: The source "in" reads it; "again" cannot.\n'
            "  hint: Read a topic once and give its source several children."
        ),
    ),
    (
        "a topic twice at one source",
        lambda: Topology().addSource("in", "words", "lines", "words"),
        (
            "Topic words has already been registered by another source.\n"
            '  detail: The source "in" names it twice.\n'
            "  hint: Read a topic once and give its source several children."
        ),
    ),
    (
        "an unknown store",
        lambda: (
            source().addProcessor("p", Pass, "in").connectProcessorAndStateStores("p", "counts")
        ),
        (
            "StateStore counts is not added yet.\n"
            '  detail: The processor "p" wants it. Stores: none.\n'
            "  hint: Add the store first."
        ),
    ),
    (
        "a store of a source",
        lambda: source().addStateStore(counts(), "in"),
        (
            "cannot connect a state store counts to a source node or a sink node.\n"
            '  detail: The store is "counts".\n'
            "  hint: Add the processor first; sources and sinks have no stores."
        ),
    ),
    (
        "a processor below a global store's source",
        lambda: with_global_store().addProcessor("p", Pass, "in", "all"),
        (
            "Parent node all fills the global store counts, and has no other child.\n"
            '  detail: The processor "p" would get nothing.\n'
            "  hint: Read the store from the processor instead; for each record of a topic, read a "
            "topic that is not a global store's."
        ),
    ),
    (
        "a sink below a global store's processor",
        lambda: with_global_store().addSink("copies", "copies", "fill"),
        (
            "Parent node fill fills the global store counts, and has no other child.\n"
            '  detail: The sink "copies" would get nothing.\n'
            "  hint: Read the store from the processor instead; for each record of a topic, read a "
            "topic that is not a global store's."
        ),
    ),
    (
        "a read-only store of two topics",
        lambda: with_two_topics(counts()),
        (
            "Source store counts is already added.\n"
            "  detail: It is filled from first, and would be from second as well.\n"
            "  hint: Give each store its own name."
        ),
    ),
    (
        "a store twice",
        lambda: source().addStateStore(counts()).addStateStore(counts()),
        (
            "A different StateStore has already been added with the name counts\n"
            "  hint: Give each store its own name."
        ),
    ),
]


@pytest.mark.parametrize(
    ("build", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_a_topology_that_cannot_run_is_refused(build: Callable[[], Any], message: str) -> None:
    with pytest.raises(TopologyException) as refused:
        build()
    assert str(refused.value).removeprefix(TopologyException.prefix) == message


def test_a_supplier_must_not_return_one_processor_twice() -> None:
    only = Pass()
    with pytest.raises(
        IllegalArgumentException, match='supplier of processor "p", and returns the same'
    ):
        source().addProcessor("p", lambda: only, "in")


def test_none_is_refused_by_the_name_of_the_parameter() -> None:
    with pytest.raises(NullPointerException, match="processorSupplier cannot be null"):
        source().addProcessor("p", None, "in")
    with pytest.raises(NullPointerException, match="topics"):
        StreamsBuilder().stream(None)  # type: ignore[call-overload]


class Asks(ContextualProcessor[Any, Any, Any, Any]):
    def init(self, context: Any) -> None:
        context.getStateStore("counts")

    def process(self, record: Any) -> None:
        pass


def test_a_store_that_is_not_connected_is_named_when_the_processor_starts() -> None:
    topology = source().addProcessor("p", Asks, "in").addStateStore(counts())
    with pytest.raises(StreamsException, match='cannot initialise processor "p"') as refused:
        TopologyTestDriver(topology, {"default.key.serde": TEXT, "default.value.serde": TEXT})
    assert "has no access to StateStore counts" in str(refused.value)


def test_a_node_without_serdes_is_named() -> None:
    problem = "Failed to initialize key serdes for source node in"
    with pytest.raises(StreamsException, match=problem) as refused:
        TopologyTestDriver(source())
    assert "default.key.serde" in str(refused.value)
    assert isinstance(refused.value.__cause__, ConfigException)
    config = {"default.key.serde": TEXT}
    with pytest.raises(StreamsException, match="value serdes for source node in"):
        TopologyTestDriver(source(), config)
    copy = Topology().addSource("in", TEXT.deserializer(), TEXT.deserializer(), "words")
    with pytest.raises(StreamsException, match="value serdes for sink node out"):
        TopologyTestDriver(copy.addSink("out", "copies", "in"), config)


def mapped(builder: StreamsBuilder) -> Any:
    """A table whose values have no serde any more."""
    return builder.table("in", Consumed.with_(TEXT, TEXT)).mapValues(len)


def joined_with_mapped(builder: StreamsBuilder) -> None:
    rows = builder.table("rows", Consumed.with_(TEXT, TEXT))
    kept: Materialized[Any, Any, Any] = Materialized.as_("joined")
    kept = kept.withKeySerde(TEXT).withValueSerde(TEXT)
    rows.join(mapped(builder), lambda row: row[0], lambda row, other: f"{row}{other}", kept)


@pytest.mark.parametrize(
    "build", [joined_with_mapped, lambda b: mapped(b).groupBy(KeyValue).count()]
)
def test_a_serde_inside_of_an_internal_topics_is_missed_at_the_start(build: Any) -> None:
    builder = StreamsBuilder()
    build(builder)
    with pytest.raises(StreamsException, match=r"value serdes for (sink|source) node K") as refused:
        TopologyTestDriver(builder.build(), {"default.key.serde": TEXT})
    assert "default.value.serde" in str(refused.value)
    assert isinstance(refused.value.__cause__, ConfigException)


def test_a_store_without_serdes_is_named() -> None:
    store = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("kv"), TEXT, None)
    words = Topology().addSource("in", TEXT.deserializer(), TEXT.deserializer(), "words")
    topology = words.addProcessor("p", Fails, "in").addStateStore(store, "p")
    with pytest.raises(StreamsException, match="value serdes for store kv") as refused:
        TopologyTestDriver(topology, {"default.key.serde": TEXT})
    assert isinstance(refused.value.__cause__, ConfigException)


class Fails(ContextualProcessor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        raise KeyError(record.value())


def test_a_failing_processor_is_named_with_the_place_of_its_record() -> None:
    topology = source().addProcessor("p", Fails, "in")
    config = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    driver = TopologyTestDriver(topology, config)
    words = driver.createInputTopic("words", TEXT.serializer(), TEXT.serializer())
    with pytest.raises(StreamsException) as failed:
        words.pipeInput("k", "v", 7)
    assert str(failed.value) == (
        'cannot process a record in operator "p"\n'
        "  detail: Task 0_0, words-0 at offset 0, event time 7 ms; KeyError: 'v'\n"
        f"  code: Fails at {__file__}:{Fails.process.__code__.co_firstlineno}\n"
        "  hint: Set processing.exception.handler to skip such records."
    )
    assert isinstance(failed.value.__cause__, KeyError)
