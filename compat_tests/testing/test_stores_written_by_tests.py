"""Records of changelogs for what a test writes; times were read off Kafka Streams 4.3.1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    ContextualProcessor,
    PunctuationType,
    Record,
    Serdes,
    SessionWindow,
    Stores,
    StringDeserializer,
    StringSerializer,
    Topology,
    Windowed,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
CHANGELOG = "topology-test-driver-store-changelog"


class Ticking(ContextualProcessor[str, str, Any, Any]):
    """Has a punctuation, so that the wall clock leaves no record behind."""

    def init(self, context: Any) -> None:
        super().init(context)
        context.schedule(5, PunctuationType.WALL_CLOCK_TIME, lambda time: None)

    def process(self, record: Record[str, str]) -> None:
        pass


def driver_with(builder: Any) -> TopologyTestDriver:
    topology = Topology().addSource("in", TEXT.deserializer(), TEXT.deserializer(), "words")
    topology.addProcessor("ticking", Ticking, "in").addStateStore(builder, "ticking")
    return TopologyTestDriver(topology, initialWallClockTime=500)


def key_value_store() -> Any:
    return Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), TEXT, TEXT)


def times(driver: TopologyTestDriver) -> list[int]:
    reader = StringDeserializer()
    changes = driver.createOutputTopic(CHANGELOG, lambda topic, data: data, reader)
    return [record.timestamp() for record in changes.readRecordsToList()]


def pipe(driver: TopologyTestDriver, time: int) -> None:
    writer = StringSerializer()
    driver.createInputTopic("words", writer, writer).pipeInput("k", "v", time)


@pytest.mark.parametrize("cached", [False, True])
def test_what_a_test_puts_before_and_after_records_has_time_zero(*, cached: bool) -> None:
    builder = key_value_store().withCachingEnabled() if cached else key_value_store()
    with driver_with(builder) as driver:
        driver.getKeyValueStore("store").put("before", "1")
        pipe(driver, 15)
        driver.getKeyValueStore("store").put("after", "2")
        driver.advanceWallClockTime(7)
        driver.getAllStateStores()["store"].put("ticked", "3")
        pipe(driver, 20)
        assert times(driver) == [0, 0, 0]


def test_a_store_got_earlier_has_the_time_of_the_last_record() -> None:
    with driver_with(key_value_store()) as driver:
        store = driver.getKeyValueStore("store")
        pipe(driver, 15)
        store.put("a", "1")
        pipe(driver, 50)
        assert times(driver) == [15]


def test_a_store_got_before_a_punctuation_logs_a_time_that_a_topic_can_have() -> None:
    with driver_with(key_value_store()) as driver:
        store = driver.getKeyValueStore("store")
        driver.advanceWallClockTime(7)
        store.put("a", "1")
        driver.advanceWallClockTime(1)
        assert times(driver) == [0]


@pytest.mark.parametrize(
    ("builder", "put"),
    [
        (
            Stores.windowStoreBuilder(
                Stores.inMemoryWindowStore("store", 100, 10, False), TEXT, TEXT
            ),
            lambda driver: driver.getWindowStore("store").put("a", "1", 7),
        ),
        (
            Stores.sessionStoreBuilder(Stores.inMemorySessionStore("store", 100), TEXT, TEXT),
            lambda driver: driver.getSessionStore("store").put(
                Windowed("a", SessionWindow(1, 2)), "1"
            ),
        ),
    ],
)
def test_windows_and_sessions_that_a_test_puts_have_time_zero_too(
    builder: Any, put: Callable[[TopologyTestDriver], None]
) -> None:
    with driver_with(builder) as driver:
        pipe(driver, 15)
        put(driver)
        pipe(driver, 50)
        assert times(driver) == [0]
