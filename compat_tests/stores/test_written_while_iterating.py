"""Iterators over windows and sessions that stay open while the store is written to.

What is expected is what Kafka Streams 4.3.1 answered.
"""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    Processor,
    Record,
    Serdes,
    SessionStore,
    SessionWindow,
    Stores,
    StringDeserializer,
    StringSerializer,
    Topology,
    Windowed,
    WindowStore,
)
from millstream.testing import TopologyTestDriver

RETENTION = 60_000


def _run(builder: Any, *work: Any) -> list[Any]:
    """Return what each ``work`` returns: one is called with the store for each of the records."""
    found: list[Any] = []
    works = iter(work)

    class Works(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            self.store = context.getStateStore("store")

        def process(self, record: Record[str, str]) -> None:
            found.extend(next(works)(self.store))

    topology = Topology()
    topology.addSource("source", StringDeserializer(), StringDeserializer(), "in")
    topology.addProcessor("works", Works, "source")
    topology.addStateStore(builder, "works")
    with TopologyTestDriver(topology, {"application.id": "app"}) as driver:
        source = driver.createInputTopic("in", StringSerializer(), StringSerializer())
        for _ in work:
            source.pipeInput("key", "value", 1)
    return found


def _window_store(kind: str, cached: bool) -> Any:
    make = Stores.inMemoryWindowStore if kind == "memory" else Stores.persistentWindowStore
    builder = Stores.windowStoreBuilder(
        make("store", RETENTION, 10, False), Serdes.String(), Serdes.String()
    )
    return builder.withCachingEnabled() if cached else builder.withCachingDisabled()


def _session_store() -> Any:
    supplier = Stores.inMemorySessionStore("store", RETENTION)
    return Stores.sessionStoreBuilder(supplier, Serdes.String(), Serdes.String())


def _shown(iterator: Any) -> list[str]:
    return [f"{each.key.key()}@{each.key.window().start()}={each.value}" for each in iterator]


@pytest.mark.parametrize("backward", [False, True])
def test_a_window_on_disk_shows_if_its_segment_has_not_been_reached(backward: bool) -> None:
    def work(store: WindowStore[str, str]) -> list[str]:
        store.put("a", "x", 100)
        store.put("b", "x", 200)
        rows = store.backwardFetchAll(0, 500) if backward else store.all()
        store.put("ab", "new", 400)
        store.put("b", "changed", 200)
        return _shown(rows)

    expected = ["a@100=x", "ab@400=new", "b@200=changed"]
    assert _run(_window_store("disk", False), work) == sorted(expected, reverse=backward)


@pytest.mark.parametrize("value", ["new", None])
def test_a_window_that_is_cached_after_the_iterator_was_asked_for_does_not_show(
    value: str | None,
) -> None:
    def work(store: WindowStore[str, str]) -> list[str]:
        store.put("a", "x", 100)
        store.put("b", "x", 200)
        rows = store.backwardFetchAll(0, 500)
        store.put("ab", value, 400)
        store.put("b", "changed", 200)
        return _shown(rows)

    assert _run(_window_store("disk", True), work) == ["b@200=changed", "a@100=x"]


def test_a_backward_iterator_in_memory_loses_no_window_that_expires_meanwhile() -> None:
    def work(store: WindowStore[str, str]) -> list[str]:
        for key, start in [("c", 61_000), ("a", 62_000), ("z", 119_000)]:
            store.put(key, "x", start)
        rows = store.backwardAll()
        first = next(rows)
        store.put("n", "x", 185_000)
        return _shown([first, *rows])

    expected = ["z@119000=x", "a@62000=x", "c@61000=x"]
    assert _run(_window_store("memory", False), work) == expected


def test_a_backward_iterator_in_memory_loses_no_session_that_expires_meanwhile() -> None:
    def work(store: SessionStore[str, str]) -> list[str]:
        for key, end in [("c", 61_000), ("a", 62_000), ("a", 119_000)]:
            store.put(Windowed(key, SessionWindow(end, end)), "x")
        rows = store.backwardFetch("a", "c")
        first = next(rows)
        store.put(Windowed("n", SessionWindow(185_000, 185_000)), "x")
        return _shown([first, *rows])

    assert _run(_session_store(), work) == ["a@119000=x", "a@62000=x", "c@61000=x"]


def test_an_iterator_of_a_cached_store_keeps_what_expires_at_the_next_commit() -> None:
    rows: list[Any] = []

    def ask(store: WindowStore[str, str]) -> list[str]:
        for key, start in [("a", 0), ("b", 61_000), ("c", 119_000)]:
            store.put(key, "x", start)
        rows.append(store.backwardFetchAll(0, 119_999))
        return _shown([next(rows[0])])

    def expire(store: WindowStore[str, str]) -> list[str]:
        store.put("n", "x", 400_000)
        return []

    def go_on(_: WindowStore[str, str]) -> list[str]:
        return _shown(rows[0])

    found = _run(_window_store("disk", True), ask, expire, go_on)
    assert found == ["c@119000=x", "b@61000=x", "a@0=x"]
