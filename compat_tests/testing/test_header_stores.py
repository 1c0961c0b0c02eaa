"""Stores with headers as the test driver and interactive queries show them."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    AggregationWithHeaders,
    Header,
    Headers,
    IllegalArgumentException,
    KeyQuery,
    PositionBound,
    QueryableStoreTypes,
    QueryConfig,
    RangeQuery,
    Serdes,
    SessionWindows,
    StreamsBuilder,
    TestRecord,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
    TimeWindows,
    TopologyTestDriver,
    ValueAndTimestamp,
    ValueTimestampHeaders,
    WindowKeyQuery,
    WindowRangeQuery,
)
from millstream import Materialized as M

CONFIG = {
    "application.id": "app",
    "bootstrap.servers": "none:1",
    "dsl.store.format": "HEADERS",
    "statestore.cache.max.bytes": 0,
    "default.key.serde": Serdes.StringSerde,
    "default.value.serde": Serdes.StringSerde,
}


@pytest.fixture
def driver() -> Any:
    builder = StreamsBuilder()
    stream: Any = builder.stream("in")
    grouped = stream.groupByKey()
    grouped.count(M.as_("by-key"))
    grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(10)).count(M.as_("by-window"))
    grouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(5)).count(M.as_("by-session"))
    with TopologyTestDriver(builder.build(), CONFIG) as opened:
        text = Serdes.String().serializer()
        pipe = opened.createInputTopic("in", text, text)
        pipe.pipeInput(TestRecord("a", "x", Headers([Header("h", b"1")]), 3))
        pipe.pipeInput(TestRecord("a", "y", Headers(), 4))
        yield opened


def entries(iterator: Any) -> list[Any]:
    with iterator as found:
        return [(entry.key, entry.value) for entry in found]


def test_a_driver_shows_as_much_as_it_is_asked_for(driver: Any) -> None:
    headed = ValueTimestampHeaders(2, 4, Headers())
    assert driver.getKeyValueStore("by-key").get("a") == 2
    assert driver.getTimestampedKeyValueStore("by-key").get("a") == ValueAndTimestamp(2, 4)
    assert driver.getTimestampedKeyValueStoreWithHeaders("by-key").get("a") == headed
    assert driver.getWindowStore("by-window").fetch("a", 0) == 2
    assert driver.getTimestampedWindowStore("by-window").fetch("a", 0) == ValueAndTimestamp(2, 4)
    assert driver.getTimestampedWindowStoreWithHeaders("by-window").fetch("a", 0) == headed
    assert driver.getSessionStore("by-session").fetchSession("a", 3, 4) == 2
    session = driver.getSessionStoreWithHeaders("by-session").fetchSession("a", 3, 4)
    assert session == AggregationWithHeaders(2, Headers())
    assert driver.getSessionStoreWithHeaders("by-key") is None
    assert driver.getTimestampedKeyValueStoreWithHeaders("by-window") is None


def test_a_processors_headers_are_seen_in_a_table(driver: Any) -> None:
    store = driver.getTimestampedKeyValueStoreWithHeaders("by-key")
    mine = ValueTimestampHeaders(7, 9, Headers([Header("mine", None)]))
    store.put("b", mine)
    assert store.get("b") == mine
    assert driver.getKeyValueStore("by-key").get("b") == 7
    plain = driver.getTimestampedKeyValueStore("by-key")
    plain.put("c", ValueAndTimestamp.make(1, 2))
    assert store.get("c") == ValueTimestampHeaders(1, 2, Headers())
    plain.put("b", None)
    assert [key for key, _ in entries(store.all())] == ["a", "c"]


@pytest.mark.parametrize(
    ("getter", "store", "where"),
    [("getKeyValueStore", "by-key", ()), ("getWindowStore", "by-window", (10,))],
)
def test_a_value_without_time_cannot_be_logged(
    driver: Any, getter: str, store: str, where: tuple[int, ...]
) -> None:
    with pytest.raises(IllegalArgumentException, match="Invalid timestamp: -1"):
        getattr(driver, getter)(store).put("b", 7, *where)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (KeyQuery.withKey("a"), 2),
        (TimestampedKeyQuery.withKey("a"), ValueAndTimestamp(2, 4)),
        (RangeQuery.withNoBounds(), [("a", 2)]),
        (TimestampedRangeQuery.withNoBounds(), [("a", ValueAndTimestamp(2, 4))]),
    ],
)
def test_queries_answer_without_headers(driver: Any, query: Any, answer: Any) -> None:
    store = driver.getAllStateStores()["by-key"]
    result = store.query(query, PositionBound.unbounded(), QueryConfig(False)).getResult()
    assert (entries(result) if isinstance(answer, list) else result) == answer


def test_window_queries_answer_without_headers(driver: Any) -> None:
    stores = driver.getAllStateStores()
    bound, config = PositionBound.unbounded(), QueryConfig(False)
    window: Any = WindowKeyQuery.withKeyAndWindowStartRange("a", 0, 10)
    found = stores["by-window"].query(window, bound, config).getResult()
    assert entries(found) == [(0, ValueAndTimestamp(2, 4))]
    every: Any = WindowRangeQuery.withWindowStartRange(0, 10)
    found = stores["by-window"].query(every, bound, config).getResult()
    assert [value for _, value in entries(found)] == [ValueAndTimestamp(2, 4)]
    session: Any = WindowRangeQuery.withKey("a")
    found = stores["by-session"].query(session, bound, config).getResult()
    assert [value for _, value in entries(found)] == [2]


class Provider:
    """What a queryable type asks for stores."""

    def __init__(self, *stores: Any) -> None:
        self._stores = stores

    def stores(self, storeName: str, queryableStoreType: Any) -> list[Any]:
        return [store for store in self._stores if queryableStoreType.accepts(store)]


@pytest.mark.parametrize(
    ("kind", "store", "key", "shown"),
    [
        ("keyValueStore", "by-key", ("a",), 2),
        ("timestampedKeyValueStore", "by-key", ("a",), ValueAndTimestamp(2, 4)),
        (
            "timestampedKeyValueStoreWithHeaders",
            "by-key",
            ("a",),
            ValueTimestampHeaders(2, 4, Headers()),
        ),
        ("windowStore", "by-window", ("a", 0), 2),
        ("timestampedWindowStore", "by-window", ("a", 0), ValueAndTimestamp(2, 4)),
        (
            "timestampedWindowStoreWithHeaders",
            "by-window",
            ("a", 0),
            ValueTimestampHeaders(2, 4, Headers()),
        ),
        ("sessionStore", "by-session", ("a", 3, 4), 2),
        ("sessionStoreWithHeaders", "by-session", ("a", 3, 4), AggregationWithHeaders(2)),
    ],
)
def test_a_type_shows_as_much_as_it_says(
    driver: Any, kind: str, store: str, key: tuple[Any, ...], shown: Any
) -> None:
    wanted = getattr(QueryableStoreTypes, kind)()
    view = wanted.create(Provider(*driver.getAllStateStores().values()), store)
    read = {1: "get", 2: "fetch", 3: "fetchSession"}[len(key)]
    assert getattr(view, read)(*key) == shown


def test_the_default_format_has_no_headers() -> None:
    builder = StreamsBuilder()
    stream: Any = builder.stream("in")
    stream.groupByKey().count(M.as_("counts"))
    config = CONFIG | {"dsl.store.format": "DEFAULT"}
    with TopologyTestDriver(builder.build(), config) as driver:
        store = driver.getAllStateStores()["counts"]
        assert not QueryableStoreTypes.timestampedKeyValueStoreWithHeaders().accepts(store)
        assert driver.getTimestampedKeyValueStoreWithHeaders("counts") is None
        assert driver.getTimestampedKeyValueStore("counts") is store
