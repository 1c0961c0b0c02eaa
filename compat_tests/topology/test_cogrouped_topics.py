"""Repartition topics of streams that are aggregated together, as Kafka Streams 4.3.1 has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    Grouped,
    KGroupedStream,
    Materialized,
    StreamsBuilder,
    TimeWindows,
    TopologyException,
)

Grouping = Callable[[StreamsBuilder], KGroupedStream[Any, Any]]


def joined(key: str, value: str, aggregate: str) -> str:
    return f"{aggregate}{value}"


def rekeyed(builder: StreamsBuilder, topic: str, name: str | None = None) -> Any:
    stream = builder.stream(topic).selectKey(lambda _, value: value)
    return stream.groupByKey() if name is None else stream.groupByKey(Grouped.as_(name))


def topics(builder: StreamsBuilder) -> list[str]:
    """Return the repartition topics of a topology, sorted."""
    return sorted(set(re.findall(r"topic: (\S+-repartition)\)", str(builder.build().describe()))))


def test_all_aggregates_of_a_cogrouped_stream_share_the_topic_named_after_the_first() -> None:
    builder = StreamsBuilder()
    cogrouped = rekeyed(builder, "a").cogroup(joined)
    cogrouped.cogroup(builder.stream("b").groupByKey(), joined)
    cogrouped.aggregate(str, Materialized.as_("first"))
    cogrouped.windowedBy(TimeWindows.ofSizeWithNoGrace(5)).aggregate(str, Materialized.as_("next"))
    assert topics(builder) == ["first-repartition"]
    assert "COGROUPKSTREAM-MERGE-0000000014" in str(builder.build().describe())


def test_a_stream_that_is_added_later_has_a_topic_of_its_own() -> None:
    builder = StreamsBuilder()
    cogrouped = rekeyed(builder, "a").cogroup(joined)
    cogrouped.aggregate(str, Materialized.as_("first"))
    cogrouped.cogroup(rekeyed(builder, "b"), joined).aggregate(str, Materialized.as_("next"))
    assert topics(builder) == ["first-repartition", "next-repartition"]


@pytest.mark.parametrize("count_first", [True, False])
def test_a_named_grouping_that_is_cogrouped_and_counted_needs_its_topic_twice(
    count_first: bool,
) -> None:
    builder = StreamsBuilder()
    grouped = rekeyed(builder, "a", "named")
    if count_first:
        grouped.count()
    grouped.cogroup(joined).aggregate(str)
    if not count_first:
        grouped.count()
    with pytest.raises(TopologyException, match="named-repartition"):
        builder.build()
    # One of the passes makes one topic of the two.
    assert builder.build({"topology.optimization": "all"}).describe() is not None
