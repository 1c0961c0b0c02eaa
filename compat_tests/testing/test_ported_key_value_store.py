"""A key-value store of bytes as a Java program has it: ranges with bounds, Java's iterators."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    KeyValue,
    KeyValueBytesStoreSupplier,
    KeyValueIterator,
    KeyValueStore,
    Materialized,
    Serdes,
    StateStore,
    StreamsBuilder,
    UnsupportedOperationException,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()


class Rows(KeyValueIterator[bytes, bytes]):
    """It relies on hasNext() being asked first, as Java's loops do."""

    def __init__(self, rows: list[tuple[bytes, bytes]]) -> None:
        self._rows, self._at = rows, 0

    def hasNext(self) -> bool:
        return self._at < len(self._rows)

    def next(self) -> KeyValue[bytes, bytes]:
        self._at += 1
        return KeyValue(*self._rows[self._at - 1])

    def peekNextKey(self) -> bytes:
        return self._rows[self._at][0]

    def close(self) -> None: ...


class Plain(KeyValueStore[bytes, bytes]):
    """What Java's interface asks for: nothing reversed, and no bound of a range is null."""

    def __init__(self) -> None:
        self._rows: dict[bytes, bytes] = {}

    def name(self) -> str:
        return "plain"

    def init(self, stateStoreContext: Any, root: StateStore) -> None:
        stateStoreContext.register(root, lambda key, value: self.put(key, value))

    def persistent(self) -> bool:
        return False

    def isOpen(self) -> bool:
        return True

    def close(self) -> None: ...

    def get(self, key: bytes) -> bytes | None:
        return self._rows.get(key)

    def put(self, key: bytes, value: bytes | None) -> None:
        self._rows.pop(key, None) if value is None else self._rows.update({key: value})

    def putIfAbsent(self, key: bytes, value: bytes | None) -> bytes | None:
        raise NotImplementedError

    def putAll(self, entries: Any) -> None:
        raise NotImplementedError

    def delete(self, key: bytes) -> bytes | None:
        raise NotImplementedError

    def range(self, from_: bytes | None, to: bytes | None) -> Rows:
        assert from_ is not None
        assert to is not None
        return Rows([row for row in sorted(self._rows.items()) if from_ <= row[0] <= to])

    def all(self) -> Rows:
        return Rows(sorted(self._rows.items()))

    def approximateNumEntries(self) -> int:
        return len(self._rows)


class Supplier(KeyValueBytesStoreSupplier):
    def name(self) -> str:
        return "plain"

    def get(self) -> KeyValueStore[bytes, bytes]:
        return Plain()

    def metricsScope(self) -> str:
        return "plain"


@pytest.mark.parametrize("cached", [False, True])
def test_all_of_a_store_asks_for_all_and_not_for_a_range_without_bounds(cached: bool) -> None:
    builder = StreamsBuilder()
    stored: Any = Materialized.as_(Supplier())
    stored = stored.withCachingEnabled() if cached else stored.withCachingDisabled()
    builder.stream("words").groupByKey().count(stored)
    config = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    with TopologyTestDriver(builder.build(), config) as driver:
        words = driver.createInputTopic("words", TEXT.serializer(), TEXT.serializer())
        for key in ("b", "a", "b"):
            words.pipeInput(key, "x")
        store: KeyValueStore[str, int] = driver.getKeyValueStore("plain")
        with store.all() as entries:
            assert list(entries) == [KeyValue("a", 1), KeyValue("b", 2)]
        with store.range("a", "a") as entries:
            assert list(entries) == [KeyValue("a", 1)]
        with pytest.raises(UnsupportedOperationException, match="Plain has no method reverseAll"):
            list(store.reverseAll())


def test_a_loop_asks_an_iterator_of_a_program_whether_it_has_more() -> None:
    seen: list[KeyValue[bytes, bytes]] = []
    Rows([(b"a", b"1")]).forEachRemaining(seen.append)
    assert seen == list(Rows([(b"a", b"1")])) == [KeyValue(b"a", b"1")]


def test_a_store_need_not_read_backward() -> None:
    for read in (Plain().reverseAll, lambda: Plain().reverseRange(b"a", b"b")):
        with pytest.raises(UnsupportedOperationException, match="Plain has no method reverse"):
            read()
    with pytest.raises(UnsupportedOperationException, match="no method prefixScan"):
        Plain().prefixScan("a", TEXT.serializer())
