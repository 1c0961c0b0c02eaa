"""A small application with a store of each kind, and its savepoint."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

from millstream import (
    Consumed,
    JsonSerde,
    Materialized,
    Serdes,
    SessionWindows,
    Stores,
    StreamsBuilder,
    TimeWindows,
    Topology,
    TopologyTestDriver,
)

START = datetime(2024, 1, 1, tzinfo=timezone.utc)
TEXT = Consumed.with_(Serdes.String(), Serdes.String())


def shop_topology() -> Topology:
    """Return a topology with stores of every kind."""
    builder = StreamsBuilder()
    grouped = builder.stream("clicks", TEXT).groupByKey()
    grouped.count(Materialized.as_("counts"))
    minute = TimeWindows.ofSizeWithNoGrace(timedelta(minutes=1))
    grouped.windowedBy(minute).count(Materialized.as_("per-minute"))
    gap = SessionWindows.ofInactivityGapWithNoGrace(timedelta(seconds=30))
    grouped.windowedBy(gap).count(Materialized.as_("visits"))
    prices = Stores.persistentVersionedKeyValueStore("prices", timedelta(hours=1))
    builder.table("prices", TEXT, Materialized.as_(prices))
    spent = Consumed.with_(Serdes.String(), JsonSerde())
    builder.table("spent", spent, Materialized.as_("spent"))
    builder.table("unused", TEXT, Materialized.as_("unused"))
    return builder.build()


def shop_savepoint(directory: Path) -> Path:
    """Write a savepoint of the application after a few records."""
    config = {"application.id": "shop", "bootstrap.servers": "nowhere:0"}
    text = Serdes.String().serializer()
    with TopologyTestDriver(shop_topology(), config) as driver:
        clicks = driver.createInputTopic("clicks", text, text)
        for key, second in (("ann", 0), ("bob", 10), ("ann", 70)):
            clicks.pipeInput(key, "x", START + timedelta(seconds=second))
        prices = driver.createInputTopic("prices", text, text)
        for price, second in (("1.00", 0), (None, 100), ("1.20", 200)):
            prices.pipeInput("pen", price, START + timedelta(seconds=second))
        spent = driver.createInputTopic("spent", text, JsonSerde().serializer())
        spent.pipeInput("ann", {"cents": 5}, START)
        spent.pipeInput("bob", {"cents": 7, "note": "tip"}, START)
        driver.savepoint(directory)
    return directory
