"""A processor uses a store; its task alone opens, commits and closes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    ClassCastException,
    KeyQuery,
    PositionBound,
    Processor,
    QueryConfig,
    Serdes,
    SessionStore,
    Stores,
    StreamsException,
    Topology,
    UnsupportedOperationException,
    WindowStore,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}
BUILDERS: dict[str, Callable[[], Any]] = {
    "plain": lambda: Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("s"), TEXT, TEXT),
    "cached": lambda: Stores.keyValueStoreBuilder(
        Stores.inMemoryKeyValueStore("s"), TEXT, TEXT
    ).withCachingEnabled(),
    "timestamped": lambda: Stores.timestampedKeyValueStoreBuilder(
        Stores.inMemoryKeyValueStore("s"), TEXT, TEXT
    ),
    "versioned": lambda: Stores.versionedKeyValueStoreBuilder(
        Stores.persistentVersionedKeyValueStore("s", 1000), TEXT, TEXT
    ),
    "window": lambda: Stores.windowStoreBuilder(
        Stores.inMemoryWindowStore("s", 1000, 10, False), TEXT, TEXT
    ),
    "session": lambda: Stores.sessionStoreBuilder(
        Stores.inMemorySessionStore("s", 1000), TEXT, TEXT
    ),
}


def given(builder: Any, use: Callable[[Any], Any]) -> tuple[Any, bool]:
    """Return what ``use`` makes of a processor's store, and whether the driver closed the store."""
    found: list[Any] = []

    class Uses(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            self.store = context.getStateStore("s")

        def process(self, record: Any) -> None:
            found.append((use(self.store), self.store))

    topology = Topology().addSource("in", "in").addProcessor("p", Uses, "in")
    with TopologyTestDriver(topology.addStateStore(builder, "p"), CONFIG) as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("a", "1")
        assert found[0][1].isOpen()
    return found[0][0], not found[0][1].isOpen()


def refused(call: Callable[[Any], Any]) -> Callable[[Any], str]:
    def use(store: Any) -> str:
        with pytest.raises(UnsupportedOperationException) as caught:
            call(store)
        return str(caught.value)

    return use


@pytest.mark.parametrize("kind", BUILDERS)
@pytest.mark.parametrize(
    ("method", "call"),
    [
        ("close", lambda store: store.close()),
        ("commit", lambda store: store.commit({})),
        ("init", lambda store: store.init(None, store)),
    ],
)
def test_a_processor_cannot_open_commit_or_close_a_store(kind: str, method: str, call: Any) -> None:
    problem, closed = given(BUILDERS[kind](), refused(call))
    assert "This method may only be called by Kafka Streams" in problem
    assert f'{method}() was called on store "s"' in problem
    assert closed


def test_a_processor_flushes_a_store_as_in_kafka() -> None:
    assert given(BUILDERS["cached"](), lambda store: store.flush())[0] is None


def test_a_cached_store_that_is_lent_is_still_flushed_by_a_commit() -> None:
    builder = BUILDERS["cached"]().withLoggingEnabled({})
    topics: list[Any] = []

    class Writes(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            self.store = context.getStateStore("s")

        def process(self, record: Any) -> None:
            self.store.put(record.key(), record.value())

    topology = Topology().addSource("in", "in").addProcessor("p", Writes, "in")
    with TopologyTestDriver(topology.addStateStore(builder, "p"), CONFIG) as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("a", "1")
        topics.extend(driver.producedTopicNames())
        assert driver.getKeyValueStore("s").get("a") == "1"
    assert [topic.endswith("-s-changelog") for topic in topics] == [True]


def test_a_lent_store_is_the_store_itself() -> None:
    assert given(BUILDERS["window"](), lambda store: isinstance(store, WindowStore))[0]
    assert given(BUILDERS["session"](), lambda store: isinstance(store, SessionStore))[0]
    # A bound method in the place of the class's would cost time in every call.
    methods = {"put", "get", "delete"}
    assert given(BUILDERS["plain"](), lambda store: methods & set(vars(store)))[0] == set()


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (lambda store: store.query(KeyQuery.withKey("a"), 5, QueryConfig(False)), "positionBound"),
        (
            lambda store: store.query(KeyQuery.withKey("a"), PositionBound.unbounded(), {}),
            "config cannot be a dict",
        ),
    ],
)
def test_a_query_of_a_store_takes_a_bound_and_options(ask: Any, problem: str) -> None:
    def use(store: Any) -> str:
        with pytest.raises(ClassCastException) as caught:
            ask(store)
        return str(caught.value)

    assert problem in given(BUILDERS["plain"](), use)[0]


def test_a_store_is_asked_for_by_a_text() -> None:
    class Asks(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            context.getStateStore([])

        def process(self, record: Any) -> None: ...

    topology = Topology().addSource("in", "in").addProcessor("p", Asks, "in")
    with pytest.raises(StreamsException, match="name cannot be a list"):
        TopologyTestDriver(topology, CONFIG)
