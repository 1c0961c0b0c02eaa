"""Names are found again by stored state, so every number must be Kafka Streams' own."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from millstream import (
    Branched,
    BufferConfig,
    ContextualProcessor,
    Grouped,
    Materialized,
    Named,
    Record,
    Repartitioned,
    StreamsBuilder,
    StreamsConfig,
    Suppressed,
    Topology,
    TopologyConfig,
    TopologyException,
)


class Drop(ContextualProcessor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> None:
        pass


def names(builder: StreamsBuilder) -> list[str]:
    """Every node of the topology, in order of creation."""
    return [node.name for part in builder.build().plan().subtopologies for node in part.nodes]


def test_a_name_takes_the_number_it_replaces() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in").filter(lambda k, v: True, Named.as_("mine"))
    stream.mapValues(str).to("out")
    assert names(builder) == [
        "KSTREAM-SOURCE-0000000000",
        "mine",
        "KSTREAM-MAPVALUES-0000000002",
        "KSTREAM-SINK-0000000003",
    ]


def test_a_named_processor_takes_no_number() -> None:
    builder = StreamsBuilder()
    builder.stream("in").process(Drop, Named.as_("mine")).to("out")
    assert names(builder) == ["KSTREAM-SOURCE-0000000000", "mine", "KSTREAM-SINK-0000000001"]


def test_a_changed_key_is_repartitioned_where_it_is_grouped() -> None:
    builder = StreamsBuilder()
    builder.stream("in").selectKey(lambda k, v: v).filter(lambda k, v: True).groupByKey().count()
    store = "KSTREAM-AGGREGATE-STATE-STORE-0000000003"
    expected = """\
        Topologies:
           Sub-topology: 0
            Source: KSTREAM-SOURCE-0000000000 (topics: [in])
              --> KSTREAM-KEY-SELECT-0000000001
            Processor: KSTREAM-KEY-SELECT-0000000001 (stores: [])
              --> KSTREAM-FILTER-0000000002
              <-- KSTREAM-SOURCE-0000000000
            Processor: KSTREAM-FILTER-0000000002 (stores: [])
              --> KSTREAM-FILTER-0000000006
              <-- KSTREAM-KEY-SELECT-0000000001
            Processor: KSTREAM-FILTER-0000000006 (stores: [])
              --> KSTREAM-SINK-0000000005
              <-- KSTREAM-FILTER-0000000002
            Sink: KSTREAM-SINK-0000000005 (topic: STORE-repartition)
              <-- KSTREAM-FILTER-0000000006

          Sub-topology: 1
            Source: KSTREAM-SOURCE-0000000007 (topics: [STORE-repartition])
              --> KSTREAM-AGGREGATE-0000000004
            Processor: KSTREAM-AGGREGATE-0000000004 (stores: [STORE])
              --> none
              <-- KSTREAM-SOURCE-0000000007

        """
    found = str(builder.build().describe())
    assert found == textwrap.dedent(expected).replace("STORE", store)


def test_a_named_grouping_shares_its_topic_and_an_unnamed_one_does_not() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    for grouped in (Grouped.as_("shared"), Grouped.with_(None, None)):
        groups = stream.groupBy(lambda k, v: v, grouped)
        groups.count(Materialized.as_(f"{grouped.name}-a"))
        groups.count(Materialized.as_(f"{grouped.name}-b"))
    assert set(builder.build().plan().repartition_topics) == {
        "shared-repartition",
        "None-a-repartition",
        "None-b-repartition",
    }


def test_an_unnamed_materialized_count_wastes_a_number() -> None:
    builder = StreamsBuilder()
    builder.stream("in").groupByKey().count(Materialized.with_(None, None))
    assert names(builder)[-1] == "KSTREAM-AGGREGATE-0000000003"


def test_branches_are_called_after_their_split() -> None:
    builder = StreamsBuilder()
    split = builder.stream("in").split(Named.as_("by-size-"))
    branches = (
        split.branch(lambda k, v: len(v) > 9, Branched.as_("large"))
        .branch(lambda k, v: len(v) > 5)
        .defaultBranch()
    )
    assert list(branches) == ["by-size-large", "by-size-2", "by-size-0"]


def test_repartition_keeps_its_number_of_partitions() -> None:
    builder = StreamsBuilder()
    how = Repartitioned.as_("spread").withNumberOfPartitions(7)
    builder.stream("in").repartition(how).to("out")
    assert builder.build().plan().repartition_topics == {"spread-repartition": 7}


def _forbidding() -> StreamsBuilder:
    config = StreamsConfig(
        {
            "application.id": "app",
            "bootstrap.servers": "nowhere:0",
            "ensure.explicit.internal.resource.naming": True,
        }
    )
    return StreamsBuilder(TopologyConfig(config))


def test_generated_names_can_be_forbidden() -> None:
    builder = _forbidding()
    builder.stream("in").groupByKey().count()
    with pytest.raises(TopologyException, match="KSTREAM-AGGREGATE-STATE-STORE-0000000001"):
        builder.build()


def test_a_buffer_without_a_name_is_told_by_its_changelog() -> None:
    builder = _forbidding()
    counts = builder.table("in", Materialized.as_("counts"))
    counts.suppress(Suppressed.untilTimeLimit(1, BufferConfig.unbounded()))
    with pytest.raises(TopologyException) as caught:
        builder.build()
    assert caught.value.getMessage() == (
        "Invalid topology: Following changelog topic(s) has not been named: "
        "KTABLE-SUPPRESS-STATE-STORE-0000000003-changelog"
    )


def test_a_description_has_the_name_of_its_topology() -> None:
    # What Kafka Streams 4.3.1 printed; the name does not matter to equals().
    config = StreamsConfig({"application.id": "x", "bootstrap.servers": "b:1"})
    named = Topology(TopologyConfig("orders", config, {})).addSource("s", "in").describe()
    plain = Topology(TopologyConfig(config)).addSource("s", "in").describe()
    assert str(named).startswith("Topology: orders:\n   Sub-topology: 0\n    Source: s ")
    assert str(plain).startswith("Topologies:\n   Sub-topology: 0\n    Source: s ")
    assert named == plain
    assert hash(named) == hash(plain)
