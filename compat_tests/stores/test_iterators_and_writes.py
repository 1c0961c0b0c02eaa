"""What an open iterator of a key-value store shows of writes that come after it."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import Consumed, Processor, Serdes, Stores, StreamsBuilder
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
SUPPLIERS = {"disk": Stores.persistentKeyValueStore, "memory": Stores.inMemoryKeyValueStore}


class Reads(Processor[str, str, Any, Any]):
    """Writes rows, asks for an iterator, changes rows, and reads the iterator."""

    def __init__(self, seen: list[list[tuple[str, str]]]) -> None:
        self._seen = seen

    def init(self, context: Any) -> None:
        self._store = context.getStateStore("rows")

    def process(self, record: Any) -> None:
        store = self._store
        for key in record.value():
            store.put(key, "old")
        if record.key() == "fill":
            return
        store.delete("d")
        with store.all() as entries:
            store.put("d", "new")
            store.delete("b")
            store.put("c", "new")
            self._seen.append([(entry.key, entry.value) for entry in entries])


def read(where: str, rewritten: str, *, cached: bool, real_stores: bool) -> list[tuple[str, str]]:
    """Return what an iterator shows that is asked for before rows change, and read after that."""
    builder, seen = StreamsBuilder(), list[list[tuple[str, str]]]()
    rows = Stores.keyValueStoreBuilder(SUPPLIERS[where]("rows"), TEXT, TEXT)
    builder.addStateStore(rows.withCachingEnabled() if cached else rows)
    builder.stream("in", Consumed.with_(TEXT, TEXT)).process(lambda: Reads(seen), "rows")
    with TopologyTestDriver(builder.build(), real_stores=real_stores) as driver:
        lines = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        lines.pipeInput("fill", "abc")
        lines.pipeInput("read", rewritten)
    (shown,) = seen
    return shown


@pytest.mark.parametrize("real_stores", [False, True])
@pytest.mark.parametrize("where", SUPPLIERS)
@pytest.mark.parametrize("rewritten", ["", "c", "abc"])
def test_without_a_cache_no_later_write_shows(
    where: str, rewritten: str, real_stores: bool
) -> None:
    # Rows that the batch had written before showed as they became: a result of where it was cut.
    shown = read(where, rewritten, cached=False, real_stores=real_stores)
    assert shown == [("a", "old"), ("b", "old"), ("c", "old")]


@pytest.mark.parametrize("where", SUPPLIERS)
def test_with_a_cache_a_key_that_it_gets_later_does_not_show(where: str) -> None:
    builder, seen = StreamsBuilder(), list[list[str]]()

    class Adds(Processor[str, str, Any, Any]):
        def init(self, context: Any) -> None:
            self._store = context.getStateStore("rows")

        def process(self, record: Any) -> None:
            with self._store.all() as entries:
                self._store.put(record.key(), record.value())
                seen.append([f"{entry.key}={entry.value}" for entry in entries])

    rows = Stores.keyValueStoreBuilder(SUPPLIERS[where]("rows"), TEXT, TEXT).withCachingEnabled()
    builder.addStateStore(rows)
    builder.stream("in", Consumed.with_(TEXT, TEXT)).process(Adds, "rows")
    with TopologyTestDriver(builder.build()) as driver:
        lines = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        lines.pipeInput("a", "1")
        lines.pipeInput("b", "2")
        lines.pipeInput("a", "3")
    # As Kafka Streams: the keys are those of the call, a value is the one that it has when read.
    assert seen == [[], ["a=1"], ["a=3", "b=2"]]


@pytest.mark.parametrize("where", SUPPLIERS)
def test_with_a_cache_rows_show_as_they_are_when_they_are_read(where: str) -> None:
    # Kafka Streams 4.3.1 answers the same; "d" has been in the cache when it was asked.
    shown = read(where, "", cached=True, real_stores=False)
    assert shown == [("a", "old"), ("c", "new"), ("d", "new")]
