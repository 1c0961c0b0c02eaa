"""Key-value stores: what users read and write, and what the changelog gets."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from compat_tests.stores.context import StoreTestContext
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    InvalidStateStoreException,
    NoSuchElementException,
    NullPointerException,
)
from millstream.core.keyvalue import KeyValue
from millstream.core.serdes import Serdes
from millstream.core.state import KeyValueStore, TimestampedKeyValueStore, ValueAndTimestamp
from millstream.stores import Stores

CACHE_BYTES = 10_000_000


def opened(builder: Any, context: StoreTestContext) -> Any:
    store = builder.build()
    store.init(context, store)
    return store


def plain(context: StoreTestContext, *, caching: bool = False) -> KeyValueStore[str, str]:
    supplier = Stores.persistentKeyValueStore("s")
    builder = Stores.keyValueStoreBuilder(supplier, Serdes.String(), Serdes.String())
    store: KeyValueStore[str, str] = opened(
        builder.withCachingEnabled() if caching else builder, context
    )
    return store


def timestamped(context: StoreTestContext, supplier: Any) -> TimestampedKeyValueStore[str, str]:
    builder = Stores.timestampedKeyValueStoreBuilder(supplier, Serdes.String(), Serdes.String())
    store: TimestampedKeyValueStore[str, str] = opened(builder, context)
    return store


def listed(entries: Any) -> list[tuple[Any, Any]]:
    with entries as iterator:
        return [(entry.key, entry.value) for entry in iterator]


@pytest.fixture(params=[0, CACHE_BYTES], ids=["direct", "cached"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> KeyValueStore[str, str]:
    return plain(StoreTestContext(tmp_path, cache_bytes=request.param), caching=True)


def test_reads_see_writes_at_once(store: KeyValueStore[str, str]) -> None:
    store.putAll([KeyValue("b", "1"), KeyValue("a", "2"), KeyValue("ab", "3")])
    assert store.get("a") == "2"
    assert store.putIfAbsent("a", "9") == "2"
    assert store.putIfAbsent("c", "4") is None
    assert store.delete("c") == "4"
    assert store.delete("zz") is None
    assert listed(store.all()) == [("a", "2"), ("ab", "3"), ("b", "1")]
    assert listed(store.reverseAll()) == [("b", "1"), ("ab", "3"), ("a", "2")]


def test_ranges_include_both_ends(store: KeyValueStore[str, str]) -> None:
    store.putAll([KeyValue(key, key.upper()) for key in ("a", "ab", "b", "d")])
    assert listed(store.range("a", "b")) == [("a", "A"), ("ab", "AB"), ("b", "B")]
    assert listed(store.range(None, "ab")) == [("a", "A"), ("ab", "AB")]
    assert listed(store.range("b", None)) == [("b", "B"), ("d", "D")]
    assert listed(store.reverseRange("a", "b")) == [("b", "B"), ("ab", "AB"), ("a", "A")]


def test_a_prefix_is_one_of_bytes(store: KeyValueStore[str, str]) -> None:
    store.putAll([KeyValue(key, "") for key in ("a", "ab", "b")])
    serializer = Serdes.String().serializer()
    assert [key for key, _ in listed(store.prefixScan("a", serializer))] == ["a", "ab"]
    assert listed(store.prefixScan("x", serializer)) == []


def test_a_range_that_ends_before_it_begins_is_empty_and_logged(
    store: KeyValueStore[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    store.put("a", "1")
    with caplog.at_level(logging.INFO, "millstream.stores"):
        assert listed(store.range("b", "a")) == []
    assert "Returning empty iterator for fetch with invalid key range" in caplog.text
    assert 'The empty range was asked of store "s".' in caplog.text


def test_an_iterator_can_be_looked_ahead_of(store: KeyValueStore[str, str]) -> None:
    store.put("a", "1")
    entries = store.all()
    assert entries.peekNextKey() == "a"
    assert entries.next() == KeyValue("a", "1")
    assert not entries.hasNext()
    with pytest.raises(NoSuchElementException):
        entries.next()
    entries.close()
    with pytest.raises(InvalidStateStoreException, match="has closed"):
        entries.hasNext()


@pytest.mark.parametrize("call", ["get", "delete"])
def test_a_key_of_none_is_refused(store: KeyValueStore[str, str], call: str) -> None:
    with pytest.raises(NullPointerException, match="key cannot be null"):
        getattr(store, call)(None)
    with pytest.raises(NullPointerException, match="key cannot be null"):
        store.put(None, "1")  # type: ignore[arg-type]


def test_a_closed_store_is_refused(store: KeyValueStore[str, str]) -> None:
    store.close()
    store.close()
    assert not store.isOpen()
    with pytest.raises(InvalidStateStoreException, match="Store s is currently closed"):
        store.get("a")


def test_a_timestamped_store_takes_only_values_with_time(tmp_path: Path) -> None:
    context = StoreTestContext(tmp_path)
    store = timestamped(context, Stores.persistentTimestampedKeyValueStore("s"))
    with pytest.raises(ClassCastException, match="ValueAndTimestamp, not str"):
        store.put("a", "1")  # type: ignore[arg-type]


def test_the_changelog_holds_plain_values_at_their_own_time(tmp_path: Path) -> None:
    context = StoreTestContext(tmp_path)
    store = timestamped(context, Stores.persistentTimestampedKeyValueStore("s"))
    context.at(50)
    store.put("a", ValueAndTimestamp.make("x", 5))
    store.delete("a")
    assert context.logged() == [("a", "x", 5), ("a", None, 50)]


def test_times_are_lost_over_a_plain_persistent_store(tmp_path: Path) -> None:
    context = StoreTestContext(tmp_path)
    store = timestamped(context, Stores.persistentKeyValueStore("s"))
    store.put("a", ValueAndTimestamp.make("x", 5))
    assert store.get("a") == ValueAndTimestamp("x", -1)
    assert listed(store.all()) == [("a", ValueAndTimestamp("x", -1))]
    assert context.copies["s"].get(b"a") == b"x"
    assert context.logged() == [("a", "x", 5)]


def test_times_are_kept_over_a_store_in_memory(tmp_path: Path) -> None:
    store = timestamped(StoreTestContext(tmp_path), Stores.inMemoryKeyValueStore("s"))
    store.put("a", ValueAndTimestamp.make("x", 5))
    assert store.get("a") == ValueAndTimestamp("x", 5)


def test_an_lru_map_drops_what_was_used_least_recently(tmp_path: Path) -> None:
    context = StoreTestContext(tmp_path)
    builder = Stores.keyValueStoreBuilder(Stores.lruMap("s", 2), Serdes.String(), Serdes.String())
    store = opened(builder, context)
    store.put("a", "1")
    store.put("b", "2")
    assert store.get("a") == "1"
    store.put("c", "3")
    assert listed(store.all()) == [("a", "1"), ("c", "3")]
    assert context.logged() == [("a", "1", 0), ("b", "2", 0), ("b", None, 0), ("c", "3", 0)]


def test_a_supplier_of_another_makers_store_is_wrapped(tmp_path: Path) -> None:
    context = StoreTestContext(tmp_path, cache_bytes=CACHE_BYTES)
    inner = Stores.inMemoryKeyValueStore("s")

    class Foreign:
        def name(self) -> str:
            return "s"

        def get(self) -> Any:
            return inner.get()

    builder = Stores.keyValueStoreBuilder(Foreign(), None, None)  # type: ignore[arg-type]
    store = opened(builder.withCachingEnabled(), context)
    store.put("b", "1")
    store.flush()
    store.put("a", "2")
    assert listed(store.all()) == [("a", "2"), ("b", "1")]
    assert listed(store.range("a", "a")) == [("a", "2")]
    assert context.logged() == [("b", "1", 0)]


def test_a_builder_knows_its_changelog() -> None:
    builder = Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore("s"), None, None)
    assert builder.loggingEnabled()
    assert builder.withLoggingEnabled({"retention.ms": "1"}).logConfig() == {"retention.ms": "1"}
    more = builder.withLoggingEnabled({"cleanup.policy": "delete"}).logConfig()
    assert more == {"retention.ms": "1", "cleanup.policy": "delete"}
    assert not builder.withLoggingDisabled().loggingEnabled()
    assert builder.logConfig() == {}


def test_a_store_needs_a_name_and_an_lru_map_a_size() -> None:
    with pytest.raises(NullPointerException, match="name cannot be null"):
        Stores.persistentKeyValueStore(None)  # type: ignore[arg-type]
    with pytest.raises(IllegalArgumentException, match="maxCacheSize cannot be negative"):
        Stores.lruMap("s", -1)
