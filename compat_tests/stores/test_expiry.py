"""What is too late for a store is dropped and counted, on disk and in memory at their own edges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compat_tests.stores.context import StoreTestContext
from millstream import Processor, Topology
from millstream.core.serdes import Serdes
from millstream.core.windows import SessionWindow, Windowed
from millstream.stores import Stores
from millstream.testing import TopologyTestDriver

RETENTION_MS = 100_000
NOW = 200_000
OLDEST = NOW - RETENTION_MS
SEGMENT = 60_000

Put = Callable[[Any, int], Any]


def put_window(store: Any, start: int) -> None:
    store.put("a", "x", start)


def put_session(store: Any, end: int) -> None:
    store.put(Windowed("a", SessionWindow(0, end)), "x")


def windows(memory: bool, retention: int) -> Any:
    make = Stores.inMemoryWindowStore if memory else Stores.persistentWindowStore
    supplier = make("st", retention, min(10, retention), False)
    return Stores.windowStoreBuilder(supplier, Serdes.String(), Serdes.String())


def sessions(memory: bool, retention: int) -> Any:
    make = Stores.inMemorySessionStore if memory else Stores.persistentSessionStore
    return Stores.sessionStoreBuilder(make("st", retention), Serdes.String(), Serdes.String())


def versions(memory: bool, retention: int) -> Any:
    make = (
        Stores.inMemoryVersionedKeyValueStore if memory else Stores.persistentVersionedKeyValueStore
    )
    supplier = make("st", retention, SEGMENT)
    return Stores.versionedKeyValueStoreBuilder(supplier, Serdes.String(), Serdes.String())


@pytest.mark.parametrize(
    ("make", "put", "memory", "first_taken"),
    [
        (windows, put_window, False, OLDEST // SEGMENT * SEGMENT),
        (windows, put_window, True, OLDEST + 1),
        (sessions, put_session, False, OLDEST // SEGMENT * SEGMENT),
        (sessions, put_session, True, OLDEST + 1),
        (versions, put_window, False, OLDEST),
        (versions, put_window, True, OLDEST),
    ],
)
def test_the_first_time_that_is_taken(
    tmp_path: Path, make: Any, put: Put, memory: bool, first_taken: int
) -> None:
    context = StoreTestContext(tmp_path)
    store = make(memory, RETENTION_MS).build()
    store.init(context, store)
    put(store, NOW)
    put(store, first_taken)
    assert context.dropped == 0
    put(store, first_taken - 1)
    put(store, 0)
    assert context.dropped == 2


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize(("make", "put"), [(windows, put_window), (sessions, put_session)])
def test_a_time_is_read_from_just_after_now_minus_retention(
    tmp_path: Path, make: Any, put: Put, memory: bool
) -> None:
    store = make(memory, RETENTION_MS).build()
    store.init(StoreTestContext(tmp_path), store)
    for time in (OLDEST, OLDEST + 1, NOW):
        put(store, time)
    with store.fetch("a", 0, NOW) if make is windows else store.fetch("a") as found:
        times = [key if make is windows else key.window().end() for key, _ in found]
    assert times == [OLDEST + 1, NOW]


@pytest.mark.parametrize("make", [windows, sessions])
def test_without_retention_a_store_in_memory_shows_nothing_and_one_on_disk_neither(
    tmp_path: Path, make: Any
) -> None:
    for memory in (False, True):
        store = make(memory, 0).build()
        store.init(StoreTestContext(tmp_path), store)
        (put_window if make is windows else put_session)(store, 5)
        with store.fetch("a", 0, NOW) if make is windows else store.fetch("a") as found:
            assert not found.hasNext()


@pytest.mark.parametrize("make", [windows, sessions, versions])
@pytest.mark.parametrize("memory", [False, True])
def test_expiry_drops_ranges_and_writes_nothing_for_a_key(
    tmp_path: Path, make: Any, memory: bool
) -> None:
    context = StoreTestContext(tmp_path)
    store = make(memory, RETENTION_MS).build()
    store.init(context, store)
    for number in range(50):
        if make is sessions:
            store.put(Windowed(str(number), SessionWindow(0, 5)), "x")
        else:
            store.put(str(number), "x", 5)
            store.put(str(number), "y", 6)
    context.copies["st"].apply(b"1")
    (put_session if make is sessions else put_window)(store, 10 * RETENTION_MS)
    changes = context.copies["st"].changes()
    assert len(changes.dropped) == 1
    assert len([key for key in changes.entries if not key.endswith(b"meta")]) == 1


class PutsWindow(Processor[str, str, str, str]):
    """Puts each record into the window that starts at its time."""

    def init(self, context: Any) -> None:
        self._store = context.getStateStore("st")

    def process(self, record: Any) -> None:
        self._store.put(record.key(), record.value(), record.timestamp())


def test_a_metric_of_the_task_counts_them() -> None:
    topology = Topology()
    strings = Serdes.String().deserializer()
    topology.addSource("source", strings, strings, "in")
    topology.addProcessor("puts", PutsWindow, "source")
    topology.addStateStore(windows(True, RETENTION_MS), "puts")
    with TopologyTestDriver(topology) as driver:
        write = Serdes.String().serializer()
        topic = driver.createInputTopic("in", write, write)
        for time in (NOW, 1, 2, NOW):
            topic.pipeInput("a", "x", time)
        metrics = {name.name(): each.metricValue() for name, each in driver.metrics().items()}
        assert metrics["dropped-records-total"] == 2
