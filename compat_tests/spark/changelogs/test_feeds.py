"""Which topic has the contents of which store, told before anything is read."""

from __future__ import annotations

from typing import Any

from millstream import (
    Consumed,
    Grouped,
    Materialized,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    Topology,
)
from millstream.topology.spark.changelogs.feeds import Feeds, feeds_of
from millstream.topology.spark.compile import compile_plan

TEXT = Consumed.with_(Serdes.String(), Serdes.String())


def topology(**config: Any) -> Topology:
    builder = StreamsBuilder()
    builder.table("prices", TEXT, Materialized.as_("prices"))
    builder.globalTable("names", TEXT, Materialized.as_("names"))
    grouped = builder.stream("orders", TEXT).groupByKey(
        Grouped.with_(Serdes.String(), Serdes.String())
    )
    grouped.count(Materialized.as_("counts"))
    grouped.count(Materialized.as_("scratch").withLoggingDisabled())
    return builder.build({"application.id": "shop", **config})


def feeds(sizes: dict[str, int], **config: Any) -> Feeds:
    plan = topology(**config).plan()
    layout = compile_plan(plan, "shop", {"prices": 2, "orders": 2, "names": 1})
    return feeds_of(plan, layout, "shop", sizes)


def test_a_store_is_fed_by_its_changelog() -> None:
    found = feeds({"shop-prices-changelog": 2, "shop-counts-changelog": 2, "orders": 2})

    assert found.fits
    assert {(each.store, each.topic) for each in found.feeds} == {
        ("prices", "shop-prices-changelog"),
        ("counts", "shop-counts-changelog"),
    }
    assert found.unlogged == ("scratch",)
    assert found.from_topics == ("names",)


def test_an_optimized_table_is_fed_by_its_source_topic() -> None:
    optimized = {StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG: StreamsConfig.OPTIMIZE}
    found = feeds({"prices": 2, "shop-counts-changelog": 2}, **optimized)

    assert found.fits
    assert [each.topic for each in found.feeds if each.of_source] == ["prices"]


def test_what_does_not_belong_together_is_told() -> None:
    found = feeds({"shop-prices-changelog": 3, "shop-totals-changelog": 2, "shopping-changelog": 1})

    assert not found.fits
    assert [each.store for each in found.missing] == ["counts"]
    assert found.sizes == {"shop-prices-changelog": 3}
    assert found.unused == ("shop-totals-changelog",)
