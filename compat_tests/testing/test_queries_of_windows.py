"""What queries see of windows and sessions; expectations were read off Kafka Streams 4.3.1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from millstream import (
    Consumed,
    IllegalArgumentException,
    Materialized,
    MultiVersionedKeyQuery,
    PositionBound,
    QueryConfig,
    Serdes,
    SessionWindows,
    Stores,
    StreamsBuilder,
    StringSerializer,
    TimeWindows,
    ValueAndTimestamp,
    WindowKeyQuery,
    WindowRangeQuery,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
BY_KEY: Any = WindowKeyQuery.withKeyAndWindowStartRange("a", 0, 50)
BY_START: Any = WindowRangeQuery.withWindowStartRange(0, 50)
OF_KEY: Any = WindowRangeQuery.withKey("a")


def newest(_: str, new: str) -> str:
    return new


def plain(name: str) -> Materialized[Any, Any, Any]:
    return Materialized.as_(Stores.persistentWindowStore(name, 100, 10, False))


@pytest.fixture
def driver() -> Iterator[TopologyTestDriver]:
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey()
    windowed = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(10))
    windowed.count(Materialized.as_("counts"))
    windowed.reduce(newest, plain("plain").withCachingDisabled())
    windowed.reduce(newest, plain("cached plain").withCachingEnabled())
    grouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(10)).count(
        Materialized.as_("sessions")
    )
    builder.table(
        "in 2",
        Consumed.with_(TEXT, TEXT),
        Materialized.as_(Stores.persistentVersionedKeyValueStore("versions", 1000)),
    )
    settings = {"default.key.serde": Serdes.StringSerde, "default.value.serde": Serdes.StringSerde}
    with TopologyTestDriver(builder.build(), settings) as driver:
        records = driver.createInputTopic("in", StringSerializer(), StringSerializer())
        for key, value, time in (("a", "1", 1), ("a", "2", 5), ("b", "x", 7), ("c", "y", 22)):
            records.pipeInput(key, value, time)
        yield driver


def ask(driver: TopologyTestDriver, name: str, query: Any) -> Any:
    store: Any = driver.getAllStateStores()[name]
    return store.query(query, PositionBound.unbounded(), QueryConfig(False)).getResult()


def asked(driver: TopologyTestDriver, name: str, query: Any) -> list[tuple[str, Any]]:
    with ask(driver, name, query) as entries:
        return [(str(entry.key), entry.value) for entry in entries]


def test_queries_do_not_see_expired_windows_that_the_cache_still_has(
    driver: TopologyTestDriver,
) -> None:
    store: Any = driver.getWindowStore("counts")
    with store.fetch("a", 0, 50) as entries:
        assert [(entry.key, entry.value) for entry in entries] == [(0, 2)]
    assert asked(driver, "counts", BY_KEY) == []
    assert asked(driver, "counts", BY_START) == [("[c@20/30]", ValueAndTimestamp(1, 22))]


def test_queries_do_not_see_expired_sessions_that_the_cache_still_has(
    driver: TopologyTestDriver,
) -> None:
    store: Any = driver.getSessionStore("sessions")
    with store.fetch("a") as entries:
        assert [str(entry.key) for entry in entries] == ["[a@1/5]"]
    assert asked(driver, "sessions", OF_KEY) == []


@pytest.mark.parametrize("name", ["plain", "cached plain"])
def test_a_store_that_keeps_no_times_gives_plain_values(
    driver: TopologyTestDriver, name: str
) -> None:
    assert asked(driver, name, BY_KEY) == [("0", "2")]
    shown = [("[a@0/10]", "2"), ("[b@0/10]", "x"), ("[c@20/30]", "y")]
    assert asked(driver, name, BY_START) == shown


def test_versions_between_times_in_the_wrong_order_are_refused(
    driver: TopologyTestDriver,
) -> None:
    query: Any = MultiVersionedKeyQuery.withKey("a").fromTime(20).toTime(2)
    with pytest.raises(IllegalArgumentException, match="must be smaller than the `toTime`"):
        ask(driver, "versions", query)
    same: Any = MultiVersionedKeyQuery.withKey("a").fromTime(2).toTime(2)
    assert list(ask(driver, "versions", same)) == []
