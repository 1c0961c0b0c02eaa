"""What an open iterator still gives when rows expire, and when its store is closed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from millstream import (
    KeyValue,
    MockProcessorContext,
    Serdes,
    SessionWindow,
    Stores,
    VersionedRecord,
    VersionedRecordIterator,
    Windowed,
)
from millstream.core.errors import (
    IllegalStateException,
    InvalidStateStoreException,
    NoSuchElementException,
    NullPointerException,
    UnsupportedOperationException,
)

RETENTION = 60_000
MEMORY, DISK = "memory", "disk"
TEXT = Serdes.String()


def opened(builder: Any, folder: Path) -> Any:
    store = builder.withLoggingDisabled().withCachingDisabled().build()
    context: Any = MockProcessorContext({"application.id": "app"}, None, folder)
    store.init(context.getStateStoreContext(), store)
    return store


def window_store(where: str, folder: Path) -> Any:
    supplier = Stores.inMemoryWindowStore if where == MEMORY else Stores.persistentWindowStore
    return opened(
        Stores.windowStoreBuilder(supplier("w", RETENTION, 10, False), TEXT, TEXT), folder
    )


def session_store(where: str, folder: Path) -> Any:
    supplier = Stores.inMemorySessionStore if where == MEMORY else Stores.persistentSessionStore
    return opened(Stores.sessionStoreBuilder(supplier("s", RETENTION), TEXT, TEXT), folder)


def key_value_store(where: str, folder: Path) -> Any:
    supplier = Stores.inMemoryKeyValueStore if where == MEMORY else Stores.persistentKeyValueStore
    return opened(Stores.keyValueStoreBuilder(supplier("k"), TEXT, TEXT), folder)


STORES = {"window": window_store, "session": session_store, "key-value": key_value_store}


def fill(kind: str, store: Any) -> Any:
    """Put two rows in, and return an iterator over them."""
    if kind == "window":
        store.put("a", "one", 0)
        store.put("a", "two", 10)
        return store.fetch("a", 0, 50)
    if kind == "session":
        store.put(Windowed("a", SessionWindow(0, 0)), "one")
        store.put(Windowed("a", SessionWindow(10, 10)), "two")
        return store.fetch("a")
    store.put("a", "one")
    store.put("b", "two")
    return store.all()


def expire(kind: str, store: Any) -> None:
    if kind == "window":
        store.put("a", "late", 4 * RETENTION)
    else:
        store.put(Windowed("a", SessionWindow(4 * RETENTION, 4 * RETENTION)), "late")


@pytest.mark.parametrize("kind", ["window", "session"])
@pytest.mark.parametrize("read", [0, 1])
def test_rows_in_memory_stay_for_an_open_iterator(kind: str, read: int, tmp_path: Path) -> None:
    store = STORES[kind](MEMORY, tmp_path)
    found = fill(kind, store)
    values = [found.next().value for _ in range(read)]
    expire(kind, store)
    assert values + [entry.value for entry in found] == ["one", "two"]
    found.close()
    if kind == "window":
        assert not store.fetch("a", 0, 50).hasNext()
    else:
        assert [entry.value for entry in store.fetch("a")] == ["late"]


def test_rows_in_memory_stay_for_iterators_over_several_keys(tmp_path: Path) -> None:
    store = window_store(MEMORY, tmp_path)
    for key in "abc":
        store.put(key, key, 5)
    forward, backward = store.all(), store.backwardAll()
    assert forward.peekNextKey().key() == "a"
    expire("window", store)
    assert [entry.value for entry in forward] == ["a", "b", "c"]
    assert [entry.value for entry in backward] == ["c", "b", "a"]


def test_a_backward_iterator_in_memory_keeps_what_is_older_than_its_place(tmp_path: Path) -> None:
    store = window_store(MEMORY, tmp_path)
    found = fill("window", store)
    backward = store.backwardFetch("a", 0, 50)
    expire("window", store)
    assert [entry.value for entry in found] == ["one", "two"]
    assert [entry.value for entry in backward] == ["two", "one"]


def test_rows_on_disk_go_with_their_segment(tmp_path: Path) -> None:
    store = window_store(DISK, tmp_path)
    found = fill("window", store)
    expire("window", store)
    assert not found.hasNext()


def test_bounds_are_those_of_the_call(tmp_path: Path) -> None:
    store = window_store(MEMORY, tmp_path)
    found = fill("window", store)
    # Too young for these two, but not for the whole of a segment.
    store.put("a", "late", RETENTION + 5)
    assert [entry.value for entry in found] == ["one", "two"]


@pytest.mark.parametrize("kind", ["window", "session"])
@pytest.mark.parametrize("where", [MEMORY, DISK])
@pytest.mark.parametrize("closed", ["store", "iterator"])
def test_nothing_comes_after_closing(kind: str, where: str, closed: str, tmp_path: Path) -> None:
    store = STORES[kind](where, tmp_path)
    found = fill(kind, store)
    assert found.hasNext()
    (store if closed == "store" else found).close()
    assert not found.hasNext()
    with pytest.raises(NoSuchElementException):
        found.next()


@pytest.mark.parametrize("where", [MEMORY, DISK])
def test_iterators_of_key_value_stores_refuse_once_they_are_closed(
    where: str, tmp_path: Path
) -> None:
    error = IllegalStateException if where == MEMORY else InvalidStateStoreException
    found = fill("key-value", key_value_store(where, tmp_path))
    found.close()
    with pytest.raises(error, match="has closed"):
        found.hasNext()


def test_a_closed_key_value_store_has_no_more_entries_in_memory(tmp_path: Path) -> None:
    store = key_value_store(MEMORY, tmp_path)
    found = fill("key-value", store)
    store.close()
    assert not found.hasNext()


def test_a_closed_key_value_store_on_disk_closes_its_iterators(tmp_path: Path) -> None:
    store = key_value_store(DISK, tmp_path)
    found = fill("key-value", store)
    store.close()
    with pytest.raises(InvalidStateStoreException):
        found.hasNext()


@pytest.mark.parametrize("again", ["same", "new"])
def test_a_store_on_disk_can_be_made_again_under_a_mock(again: str, tmp_path: Path) -> None:
    store = key_value_store(DISK, tmp_path)
    store.put("a", "1")
    store.close()
    if again == "new":
        store = key_value_store(DISK, tmp_path)
    else:
        context: Any = MockProcessorContext({"application.id": "app"}, None, tmp_path)
        store.init(context.getStateStoreContext(), store)
    assert list(store.all()) == [KeyValue("a", "1")]
    store.close()


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("where", [MEMORY, DISK])
def test_nothing_is_removed_by_an_iterator(kind: str, where: str, tmp_path: Path) -> None:
    found = fill(kind, STORES[kind](where, tmp_path))
    found.next()
    with pytest.raises(UnsupportedOperationException, match=r"^remove\n") as refused:
        found.remove()
    assert "by a method of the store" in str(refused.value)
    assert [entry.value for entry in found] == ["two"]


def test_nothing_is_removed_by_an_iterator_over_versions() -> None:
    versions = VersionedRecordIterator([VersionedRecord("one", 5)])
    with pytest.raises(UnsupportedOperationException):
        versions.remove()


def test_what_prefix_scan_lacks_is_named(tmp_path: Path) -> None:
    store = key_value_store(MEMORY, tmp_path)
    with pytest.raises(NullPointerException, match="^prefix cannot be null"):
        store.prefixScan(None, TEXT.serializer())
    with pytest.raises(NullPointerException, match="^prefixKeySerializer cannot be null"):
        store.prefixScan("a", None)
