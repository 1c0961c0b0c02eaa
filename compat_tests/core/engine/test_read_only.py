"""A global store is read by all processors, and changed by its own alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    Consumed,
    KeyValueStore,
    Materialized,
    Processor,
    Serdes,
    Stores,
    StreamsBuilder,
    StreamsException,
    TimestampedKeyValueStore,
    UnsupportedOperationException,
    ValueAndTimestamp,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}


def used(use: Callable[[Any], Any]) -> Any:
    """Return what a processor gets from a global table's store, which holds one row."""
    found = []

    class Uses(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            self.store = context.getStateStore("rates")

        def process(self, record: Any) -> None:
            found.append(use(self.store))

    builder = StreamsBuilder()
    builder.globalTable("rates", Consumed.with_(TEXT, TEXT), Materialized.as_("rates"))
    builder.stream("in").process(Uses)
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        for topic in ("rates", "in"):
            driver.createInputTopic(topic, TEXT.serializer(), TEXT.serializer()).pipeInput("a", "1")
    return found[0]


@pytest.mark.parametrize(
    "use",
    [
        lambda store: store.put("a", ValueAndTimestamp.make("2", 0)),
        lambda store: store.putIfAbsent("b", ValueAndTimestamp.make("2", 0)),
        lambda store: store.putAll([]),
        lambda store: store.delete("a"),
        lambda store: store.flush(),
        lambda store: store.close(),
    ],
)
def test_a_processor_cannot_change_a_global_store(use: Callable[[Any], Any]) -> None:
    with pytest.raises(StreamsException) as raised:
        used(use)
    assert isinstance(raised.value.__cause__, UnsupportedOperationException)
    assert "Global store is read only" in str(raised.value)
    assert "the topic that the store is filled from" in str(raised.value)


def test_a_processor_reads_a_global_store_as_any_store() -> None:
    seen = used(lambda store: (store.get("a").value(), store.name(), store.isOpen()))
    assert seen == ("1", "rates", True)
    assert used(lambda store: [entry.key for entry in store.all()]) == ["a"]
    assert used(lambda store: isinstance(store, TimestampedKeyValueStore))


def test_the_processor_of_a_global_store_changes_it() -> None:
    class Fills(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            self.context = context

        def process(self, record: Any) -> None:
            store: KeyValueStore[str, str] = self.context.getStateStore("own")
            store.put(record.key(), record.value())

    builder = StreamsBuilder()
    own = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("own"), TEXT, TEXT)
    builder.addGlobalStore(own.withLoggingDisabled(), "own", Consumed.with_(TEXT, TEXT), Fills)
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        driver.createInputTopic("own", TEXT.serializer(), TEXT.serializer()).pipeInput("a", "1")
        assert driver.getKeyValueStore("own").get("a") == "1"
