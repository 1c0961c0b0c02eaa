"""``StreamsBuilder.build`` called again: one topology, which grows; as Kafka Streams 4.3.1 does."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.topology.driving import Piping
from millstream import (
    KStream,
    Processor,
    ProcessorWrapper,
    StreamsBuilder,
    StreamsConfig,
    Topology,
    TopologyConfig,
    TopologyException,
)

OPTIMIZED = {"topology.optimization": "all"}


class Silent(Processor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        pass


def names(topology: Topology) -> list[list[str]]:
    return [[node.name for node in each.nodes] for each in topology.plan().subtopologies]


def counted_by_value(stream: KStream[Any, Any], target: str) -> None:
    stream.groupByKey().count().toStream().mapValues(str).to(target)


def test_a_second_build_returns_the_same_topology() -> None:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    first = builder.build()
    text = str(first.describe())
    assert builder.build() is first
    assert builder.build(OPTIMIZED) is first
    assert str(first.describe()) == text


def test_what_is_added_later_is_in_the_same_topology_after_the_next_build() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.to("old")
    topology = builder.build()
    stream.mapValues(str.upper).to("out")
    builder.stream("in").to("more")
    builder.stream("other").to("else")
    assert names(topology) == [["KSTREAM-SOURCE-0000000000", "KSTREAM-SINK-0000000001"]]
    builder.build()
    assert names(topology) == [
        [
            "KSTREAM-SOURCE-0000000000",
            "KSTREAM-SINK-0000000001",
            "KSTREAM-MAPVALUES-0000000002",
            "KSTREAM-SINK-0000000003",
            "KSTREAM-SINK-0000000005",
        ],
        ["KSTREAM-SOURCE-0000000006", "KSTREAM-SINK-0000000007"],
    ]
    with Piping(topology) as driver:
        assert driver.pipe("in", "k", "v", 1) == [("k", "V", 1)]


def test_what_the_user_added_to_the_topology_stays() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.to("old")
    topology = builder.build().addSink("mine", "out", "KSTREAM-SOURCE-0000000000")
    stream.to("other")
    builder.build()
    assert names(topology)[0][2:] == ["mine", "KSTREAM-SINK-0000000002"]


def test_a_table_that_needs_a_store_later_gets_it() -> None:
    # Kafka Streams builds a topology here that no driver can start.
    builder = StreamsBuilder()
    table = builder.table("in")
    table.toStream().to("old")
    topology = builder.build()
    counts = table.groupBy(lambda key, value: (value, value)).count()
    counts.toStream().mapValues(str).to("out")
    assert builder.build() is topology
    with Piping(topology) as driver:
        assert driver.pipe("in", "k", "v", 1) == [("v", "1", 1)]
        assert driver.pipe("in", "k", "w", 2) == [("v", "0", 2), ("w", "1", 2)]


def test_such_a_table_below_nodes_of_the_users_own_is_refused() -> None:
    builder = StreamsBuilder()
    table = builder.table("in")
    builder.build().addSource("mine", "elsewhere")
    table.groupBy(lambda key, value: (value, value)).count()
    with pytest.raises(TopologyException, match="Call build\\(\\) once"):
        builder.build()


def test_a_failed_build_leaves_the_topology_as_it_was() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.to("out")
    topology = builder.build()
    stream.process(Silent, "missing")
    for _ in range(2):
        with pytest.raises(TopologyException, match="missing"):
            builder.build()
    assert len(names(topology)[0]) == 2


def test_an_optimised_graph_can_be_built_again_and_grow() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in").selectKey(lambda key, value: value)
    counted_by_value(stream, "o1")
    counted_by_value(stream, "o2")
    topology = builder.build(OPTIMIZED)
    text = str(topology.describe())
    assert str(builder.build(OPTIMIZED).describe()) == text
    counted_by_value(stream, "out")
    builder.build(OPTIMIZED)
    (topic,) = topology.plan().repartition_topics
    assert topic == "KSTREAM-AGGREGATE-STATE-STORE-0000000002-repartition"
    with Piping(topology) as driver:
        assert driver.pipe("in", "k", "v", 1) == [("v", "1", 1)]


class Counting(ProcessorWrapper[Any, Any, Any, Any]):
    seen: list[str]

    def configure(self, configs: Any) -> None:
        self.seen = configs["seen"]

    def wrapProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
        self.seen.append(processorName)
        return self.asWrapped(processorSupplier)

    def wrapFixedKeyProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
        self.seen.append(processorName)
        return self.asWrappedFixedKey(processorSupplier)


def test_a_processor_is_wrapped_once() -> None:
    seen: list[str] = []
    config = {"application.id": "app", "bootstrap.servers": "nowhere:0"}
    given = config | {"processor.wrapper.class": Counting, "seen": seen}
    builder = StreamsBuilder(TopologyConfig(StreamsConfig(given)))
    stream = builder.stream("in").map(lambda key, value: (key, value))
    builder.build()
    stream.filter(lambda key, value: True)
    builder.build()
    assert seen == ["KSTREAM-MAP-0000000001", "KSTREAM-FILTER-0000000002"]
