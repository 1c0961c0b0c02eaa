"""A store of a user's own class over one of ours, as Java's wrappers of state stores."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.stores.own_builder import OwnBuilder
from compat_tests.topology.driving import TEXT, Piping
from millstream import (
    IllegalArgumentException,
    Processor,
    Stores,
    StreamsBuilder,
)
from millstream.core.state import KeyValueStore, StateStoreContext


class Over(KeyValueStore[Any, Any]):
    """Hands everything on, as a wrapper does that is written out."""

    def __init__(self, below: Any) -> None:
        self.below = below

    def name(self) -> str:
        return str(self.below.name())

    def init(self, stateStoreContext: StateStoreContext, root: Any) -> None:
        self.below.init(stateStoreContext, root)

    def put(self, key: Any, value: Any) -> None:
        self.below.put(key, value)

    def putIfAbsent(self, key: Any, value: Any) -> Any:
        return self.below.putIfAbsent(key, value)

    def putAll(self, entries: Any) -> None:
        self.below.putAll(entries)

    def delete(self, key: Any) -> Any:
        return self.below.delete(key)

    def get(self, key: Any) -> Any:
        return self.below.get(key)

    def range(self, keyFrom: Any, keyTo: Any) -> Any:
        return self.below.range(keyFrom, keyTo)

    def all(self) -> Any:
        return self.below.all()

    def approximateNumEntries(self) -> int:
        return int(self.below.approximateNumEntries())

    def flush(self) -> None:
        self.below.flush()

    def close(self) -> None:
        self.below.close()

    def persistent(self) -> bool:
        return bool(self.below.persistent())

    def isOpen(self) -> bool:
        return bool(self.below.isOpen())


class RegistersAfter(Over):
    """Registers what has been registered below."""

    def init(self, stateStoreContext: StateStoreContext, root: Any) -> None:
        super().init(stateStoreContext, root)
        stateStoreContext.register(root, lambda key, value: None)


class RegistersBefore(Over):
    """Registers what is registered below again."""

    def init(self, stateStoreContext: StateStoreContext, root: Any) -> None:
        stateStoreContext.register(root, lambda key, value: None)
        super().init(stateStoreContext, root)


class Adds(Processor[Any, Any, Any, Any]):
    """Keeps the values of a key one after another."""

    def init(self, context: Any) -> None:
        self.context, self.store = context, context.getStateStore("s")

    def process(self, record: Any) -> None:
        self.store.put(record.key(), (self.store.get(record.key()) or "") + record.value())
        self.context.forward(record.withValue(self.store.get(record.key())))


def below() -> Any:
    supplier = Stores.persistentKeyValueStore("s")
    return Stores.keyValueStoreBuilder(supplier, TEXT, TEXT).withCachingEnabled().build()


def program(kind: Any) -> Any:
    builder = StreamsBuilder()
    builder.addStateStore(OwnBuilder("s", lambda: kind(below())))
    builder.stream("in").process(Adds, "s").to("out")
    return builder.build()


def test_a_store_over_ours_is_registered_by_that() -> None:
    with Piping(program(Over), **{"statestore.cache.max.bytes": 1000}) as piping:
        out = [piping.pipe("in", "a", value, 5)[0][1] for value in "xyz"]
        assert [tuple(each) for each in piping.driver.getKeyValueStore("s").all()] == [("a", "xyz")]
        topics = piping.driver.producedTopicNames()
    assert out == ["x", "xy", "xyz"]
    assert any(topic.endswith("-s-changelog") for topic in topics)


@pytest.mark.parametrize("kind", [RegistersBefore, RegistersAfter])
def test_a_store_over_ours_does_not_register_as_well(kind: type[Over]) -> None:
    """On Spark what it put was kept in one place, and restored from another."""
    with pytest.raises(IllegalArgumentException, match="Store s has already been registered"):
        Piping(program(kind))
