from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from millstream import (
    CommitCallback,
    IllegalArgumentException,
    IllegalStateException,
    KeyValue,
    Processor,
    Record,
    Serdes,
    StateStore,
    StoreBuilder,
    Stores,
    Topology,
)
from millstream.testing import TestRecord, TopologyTestDriver

TEXT = Serdes.String()
CONFIG: dict[str, Any] = {"default.key.serde": TEXT, "default.value.serde": TEXT}


class Idle(Processor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> None:
        pass


def with_stores() -> Topology:
    topology = Topology().addSource("source", "in").addProcessor("p", Idle, "source")
    kv = Stores.inMemoryKeyValueStore("kv")
    ts = Stores.persistentTimestampedKeyValueStore("ts")
    window = Stores.inMemoryWindowStore("w", 60_000, 10, False)
    topology.addStateStore(Stores.keyValueStoreBuilder(kv, TEXT, TEXT), "p")
    topology.addStateStore(Stores.timestampedKeyValueStoreBuilder(ts, TEXT, TEXT), "p")
    return topology.addStateStore(Stores.windowStoreBuilder(window, TEXT, TEXT), "p")


def test_each_getter_returns_the_stores_of_its_kind_and_none_for_others() -> None:
    with TopologyTestDriver(with_stores(), CONFIG) as driver:
        assert set(driver.getAllStateStores()) == {"kv", "ts", "w"}
        assert driver.getKeyValueStore("kv").name() == "kv"
        assert driver.getKeyValueStore("ts").name() == "ts"
        assert driver.getTimestampedKeyValueStore("ts").name() == "ts"
        assert driver.getWindowStore("w").name() == "w"
        assert driver.getTimestampedKeyValueStore("kv") is None
        assert driver.getWindowStore("kv") is None
        assert driver.getKeyValueStore("w") is None
        assert driver.getTimestampedWindowStore("w") is None
        assert driver.getSessionStore("kv") is None
        assert driver.getVersionedKeyValueStore("kv") is None
        assert driver.getStateStore("none") is None


@pytest.mark.parametrize(
    ("name", "getter"),
    [("kv", "getKeyValueStore"), ("ts", "getTimestampedKeyValueStore"), ("w", "getWindowStore")],
)
def test_the_general_getter_refuses_stores_that_have_one_of_their_own(
    name: str, getter: str
) -> None:
    with (
        TopologyTestDriver(with_stores(), CONFIG) as driver,
        pytest.raises(IllegalArgumentException, match=getter),
    ):
        driver.getStateStore(name)


class OwnStore(StateStore):
    """A store of a user's own; it keeps nothing and notes what happens to it."""

    def __init__(self, told: list[str]) -> None:
        self.told = told

    def name(self) -> str:
        return "own"

    def init(self, stateStoreContext: Any, root: StateStore) -> None:
        callback: CommitCallback = Told(self.told)
        stateStoreContext.register(self, lambda key, value: None, callback)

    def commit(self, changelogOffsets: Any) -> None:
        self.told.append(f"store {dict(changelogOffsets)}")

    def close(self) -> None:
        self.told.append("close")

    def persistent(self) -> bool:
        return False

    def isOpen(self) -> bool:
        return True


class Told:
    def __init__(self, told: list[str]) -> None:
        self.told = told

    def onCommit(self) -> None:
        self.told.append("callback")


class OwnBuilder(StoreBuilder[OwnStore]):
    def __init__(self, told: list[str]) -> None:
        self.told = told

    def name(self) -> str:
        return "own"

    def build(self) -> OwnStore:
        return OwnStore(self.told)

    def logConfig(self) -> dict[str, str]:
        return {}

    def loggingEnabled(self) -> bool:
        return False

    def withCachingEnabled(self) -> Any:
        return self

    withCachingDisabled = withLoggingDisabled = withCachingEnabled

    def withLoggingEnabled(self, config: Any) -> Any:
        return self


def test_a_store_of_ones_own_takes_part_in_every_commit() -> None:
    told: list[str] = []
    topology = Topology().addSource("source", "in").addProcessor("p", Idle, "source")
    topology.addStateStore(OwnBuilder(told), "p")
    with TopologyTestDriver(topology, CONFIG) as driver:
        assert isinstance(driver.getStateStore("own"), OwnStore)
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        topic.pipeInput("k", "v")
        assert told == ["store {}", "callback"]
    assert told == ["store {}", "callback", "close"]


def copying() -> Topology:
    return Topology().addSource("source", "in").addSink("sink", "out", "source")


def test_a_closed_driver_takes_nothing_and_closes_once() -> None:
    told: list[str] = []
    topology = copying().addProcessor("p", Idle, "source")
    topology.addStateStore(OwnBuilder(told), "p")
    driver = TopologyTestDriver(topology, CONFIG)
    topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
    topic.pipeInput("k", "v")
    driver.close()
    driver.close()
    assert told.count("close") == 1
    with pytest.raises(IllegalStateException, match='cannot pipe into topic "in"'):
        topic.pipeInput("k", "v")
    with pytest.raises(IllegalStateException, match="cannot advance the clock"):
        driver.advanceWallClockTime(1)
    output = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
    assert output.readKeyValuesToMap() == {"k": "v"}


def test_the_wall_clock_begins_at_the_machines_time_unless_it_is_given() -> None:
    before = time.time_ns() // 1_000_000
    with TopologyTestDriver(copying(), CONFIG) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        topic.pipeInput("k", "v")
        output = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        stamp = output.readRecord().timestamp()
    assert stamp is not None
    assert before <= stamp <= time.time_ns() // 1_000_000


@pytest.mark.parametrize("as_first_option", [True, False])
def test_times_may_be_datetimes(as_first_option: bool) -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    noon_ms = 1_767_268_800_000
    topology = with_defaults() if as_first_option else copying()
    driver = (
        TopologyTestDriver(topology, noon)
        if as_first_option
        else TopologyTestDriver(topology, CONFIG, noon)
    )
    with driver:
        clocked = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        later = driver.createInputTopic(
            "in", TEXT.serializer(), TEXT.serializer(), noon, timedelta(seconds=1)
        )
        clocked.pipeInput("a", "1")
        later.pipeValueList(["2", "3"])
        later.pipeInput("k", "4", noon)
        later.pipeInput(TestRecord("k", "5", recordTime=noon))
        later.pipeKeyValueList([KeyValue("k", "6"), KeyValue("k", "7")], noon, 5)
        output = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        records = output.readRecordsToList()
    assert [(record.timestamp() or 0) - noon_ms for record in records] == [0, 0, 1000, 0, 0, 0, 5]
    assert records[0].getRecordTime() == noon


def with_defaults() -> Topology:
    read, write = TEXT.deserializer(), TEXT.serializer()
    source = Topology().addSource("source", read, read, "in")
    return source.addSink("sink", "out", write, write, "source")
