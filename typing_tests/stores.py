"""What a type checker infers of reads from stores; checked, never run."""

from __future__ import annotations

from typing import Any

from typing_extensions import assert_type

from millstream import (
    Consumed,
    Instant,
    KeyQuery,
    KeyValueIterator,
    KeyValueStore,
    Materialized,
    Record,
    Serdes,
    StateQueryRequest,
    StoreBuilder,
    Stores,
    Windowed,
    WindowStore,
    WindowStoreIterator,
)


def by_window(store: WindowStore[str, int]) -> None:
    assert_type(store.fetch("k", 5), int | None)
    assert_type(store.fetch("k", 0, Instant.ofEpochMilli(5)), WindowStoreIterator[int])
    assert_type(store.fetch("a", "b", 0, 5), KeyValueIterator[Windowed[str], int])
    assert_type(store.backwardFetch("k", 0, 5), WindowStoreIterator[int])
    with store.fetch("k", 0, 5) as windows:
        for entry in windows:
            assert_type(entry.key, int)
            assert_type(entry.value, int)


def by_key(store: KeyValueStore[str, int]) -> None:
    assert_type(store.get("k"), int | None)
    with store.all() as entries:
        while entries.hasNext():
            assert_type(entries.next().value, int)


assert_type(
    Stores.keyValueStoreBuilder(
        Stores.persistentKeyValueStore("s"), Serdes.String(), Serdes.Long()
    ),
    StoreBuilder[KeyValueStore[str, int]],
)
assert_type(
    Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("s"), None, Serdes.Long()),
    StoreBuilder[KeyValueStore[Any, int]],
)

# What the arguments do not tell is Any, without an annotation.
by_value = Materialized.with_(None, Serdes.Long())
assert_type(by_value, Materialized[Any, int, Any])
assert_type(Consumed.with_(Serdes.String(), None), Consumed[str, Any])
print(KeyQuery.withKey("k").getKey())
asked: KeyQuery[str, int] = KeyQuery.withKey("k")
assert_type(StateQueryRequest.inStore("s").withQuery(asked), StateQueryRequest[int])

sizes: Record[str, int] = Record("k", 1, 0)
# Java's forward() takes a Record<? extends K, ? extends V>.
anything: Record[str, object] = sizes
print(anything, sizes.headers().lastHeader("name").value())
