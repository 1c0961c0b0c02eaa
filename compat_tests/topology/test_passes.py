"""What the passes over the logical graph make of it."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    AutoOffsetReset,
    Consumed,
    KeyValue,
    Materialized,
    StreamsBuilder,
    Topology,
    TopologyException,
)
from millstream.topology.graph.tables import table_settings

OPTIMIZED = {"topology.optimization": "all"}


def topics(topology: Topology) -> set[str]:
    return set(topology.plan().repartition_topics)


def test_streams_of_the_same_topics_share_a_source() -> None:
    builder = StreamsBuilder()
    builder.stream(["a", "b"]).to("x")
    builder.stream(["b", "a"]).to("y")
    (part,) = builder.build().plan().subtopologies
    assert [source.name for source in part.sources] == ["KSTREAM-SOURCE-0000000000"]


def test_overlapping_topics_are_refused() -> None:
    builder = StreamsBuilder()
    builder.stream(["a", "b"]).to("x")
    builder.stream("b").to("y")
    with pytest.raises(TopologyException, match="overlapping"):
        builder.build()


def test_the_same_topic_cannot_start_at_two_places() -> None:
    builder = StreamsBuilder()
    builder.stream("a", Consumed.with_(AutoOffsetReset.earliest())).to("x")
    builder.stream("a", Consumed.with_(AutoOffsetReset.latest())).to("y")
    with pytest.raises(TopologyException, match="offset reset"):
        builder.build()


def test_a_filter_of_a_kept_table_gets_old_values_and_of_a_passing_one_not() -> None:
    builder = StreamsBuilder()
    builder.table("kept", Materialized.as_("store")).filter(lambda k, v: True)
    builder.table("passing").filter(lambda k, v: True)
    settings = table_settings(builder._graph.freeze())
    sends_old = {
        node.name: settings[number].sends_old
        for number, node in builder._graph.freeze().nodes.items()
    }
    assert sends_old == {
        "KTABLE-SOURCE-0000000001": True,
        "KTABLE-FILTER-0000000002": True,
        "KTABLE-SOURCE-0000000005": False,
        "KTABLE-FILTER-0000000006": False,
    }


def test_a_table_is_kept_only_where_it_is_named() -> None:
    builder = StreamsBuilder()
    builder.table("named", Materialized.as_("store")).toStream().to("x")
    builder.table("unnamed").toStream().to("y")
    parts = builder.build().plan().subtopologies
    assert [[store.name for store in part.stores] for part in parts] == [["store"], []]


def test_the_optimiser_merges_the_topics_of_one_changed_key() -> None:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").selectKey(lambda k, v: v)
    rekeyed.groupByKey().count(Materialized.as_("all"))
    rekeyed.filter(lambda k, v: True).groupByKey().count(Materialized.as_("some"))
    assert topics(builder.build()) == {"all-repartition", "some-repartition"}
    assert topics(builder.build(OPTIMIZED)) == {"all-repartition"}


def test_the_optimiser_leaves_a_topic_below_changed_values_alone() -> None:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").selectKey(lambda k, v: v)
    rekeyed.groupByKey().count(Materialized.as_("all"))
    rekeyed.mapValues(len).groupByKey().count(Materialized.as_("lengths"))
    assert topics(builder.build(OPTIMIZED)) == {"all-repartition", "lengths-repartition"}


def test_the_optimiser_spares_a_table_its_changelog() -> None:
    builder = StreamsBuilder()
    builder.table("in", Materialized.as_("store"))
    (store,) = builder.build(OPTIMIZED).plan().subtopologies[0].stores
    assert (store.source_topic, store.builder.loggingEnabled()) == ("in", False)


def test_a_chain_may_be_longer_than_python_has_room_for_calls() -> None:
    builder, count = StreamsBuilder(), 1500
    stream: Any = builder.stream("in")
    table: Any = builder.table("table")
    for _ in range(count):
        stream = stream.mapValues(lambda value: value)
        table = table.mapValues(lambda value: value)
    stream.to("out")
    table.groupBy(lambda k, v: KeyValue(v, k)).count().toStream().to("counts")

    topology = builder.build()

    lines = str(topology.describe()).splitlines()
    assert sum(line.startswith("    Processor: ") for line in lines) > 2 * count
    assert max(len(part.nodes) for part in topology.plan().subtopologies) > count
