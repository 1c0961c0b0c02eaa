"""The record cache: what leaves it, when, and in which order; expected values are Kafka's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compat_tests.stores.context import StoreTestContext
from millstream.core.chunk import Chunk
from millstream.core.record_context import RecordContext
from millstream.core.serdes import JsonSerde, Serdes
from millstream.core.state import ValueAndTimestamp
from millstream.core.windows import SessionWindow, TimeWindow, Windowed
from millstream.stores import Stores

ROOMY = 10_000_000


class Listener:
    """Notes (key, new, old, time, offset of the last update's record)."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, Any, Any, int, int]] = []

    def __call__(
        self, key: Any, new: Any, old: Any, timestamp: int, record_context: RecordContext
    ) -> None:
        self.seen.append((key, new, old, timestamp, record_context.offset()))

    def taken(self) -> list[tuple[Any, Any, Any, int, int]]:
        seen, self.seen = self.seen, []
        return seen


class ChunkListener(Listener):
    def flush_chunk(self, chunk: Chunk) -> None:
        assert chunk.olds is not None
        columns = (chunk.keys, chunk.values, chunk.olds, chunk.timestamps, chunk.offsets)
        self.seen.extend(zip(*columns, strict=True))


def longs(context: StoreTestContext, listener: Any, *, send_old: bool = False) -> Any:
    supplier = Stores.persistentTimestampedKeyValueStore("s")
    builder = Stores.timestampedKeyValueStoreBuilder(supplier, Serdes.String(), Serdes.Long())
    store: Any = builder.withCachingEnabled().build()
    store.init(context, store)
    assert store.set_flush_listener(listener, send_old)
    return store


def put(store: Any, context: StoreTestContext, key: str, value: int | None, time: int) -> None:
    context.at(time, offset=time)
    store.put(key, ValueAndTimestamp.make(value, time))


@pytest.fixture(params=[Listener, ChunkListener])
def listener(request: pytest.FixtureRequest) -> Any:
    return request.param()


@pytest.fixture
def context(tmp_path: Path, request: pytest.FixtureRequest) -> StoreTestContext:
    return StoreTestContext(tmp_path, cache_bytes=ROOMY, logs=False)


def test_entries_leave_in_the_order_of_their_last_update(
    context: StoreTestContext, listener: Any
) -> None:
    store = longs(context, listener)
    for time, key in enumerate(["c", "a", "b", "a", "c"]):
        put(store, context, key, time, time)
    assert listener.taken() == []
    store.flush()
    assert listener.taken() == [
        ("b", 2, None, 2, 2),
        ("a", 3, None, 3, 3),
        ("c", 4, None, 4, 4),
    ]
    store.flush()
    assert listener.taken() == []


def test_the_old_value_is_that_of_the_store_below(context: StoreTestContext, listener: Any) -> None:
    store = longs(context, listener, send_old=True)
    put(store, context, "a", 1, 1)
    store.flush()
    put(store, context, "a", 2, 2)
    put(store, context, "a", 3, 3)
    store.flush()
    assert listener.taken() == [("a", 1, None, 1, 1), ("a", 3, 1, 3, 3)]


def test_a_key_that_was_never_stored_leaves_no_trace_when_deleted(
    context: StoreTestContext, listener: Any
) -> None:
    store = longs(context, listener)
    put(store, context, "a", 1, 1)
    put(store, context, "a", None, 2)
    put(store, context, "b", 1, 3)
    store.flush()
    put(store, context, "b", None, 4)
    store.flush()
    assert listener.taken() == [("b", 1, None, 3, 3), ("b", None, None, 4, 4)]
    assert store.approximateNumEntries() == 0


def test_an_eviction_flushes_every_dirty_entry_the_evicted_one_first(
    tmp_path: Path, listener: Any
) -> None:
    # An entry takes 1 (key) + 25 + 22 (context with topic "in") + 16 (time and value) = 64 bytes.
    context = StoreTestContext(tmp_path, cache_bytes=3 * 64, logs=False)
    store = longs(context, listener)
    for time, key in enumerate(["a", "b", "c"]):
        put(store, context, key, time, time)
    put(store, context, "b", 3, 3)
    assert store.get("a") == ValueAndTimestamp(0, 0)
    assert listener.taken() == []
    put(store, context, "d", 4, 4)
    assert listener.taken() == [
        ("c", 2, None, 2, 2),
        ("a", 0, None, 0, 0),
        ("b", 3, None, 3, 3),
        ("d", 4, None, 4, 4),
    ]
    assert context.cache_budget.used == 3 * 64
    put(store, context, "e", 5, 5)
    assert listener.taken() == []  # only "b", which is clean, had to go


def test_a_clean_entry_that_was_only_read_counts_too(tmp_path: Path) -> None:
    context = StoreTestContext(tmp_path, cache_bytes=ROOMY, logs=False)
    store = longs(context, Listener())
    put(store, context, "a", 1, 1)
    store.flush()
    store.reload()
    assert context.cache_budget.used == 0
    store.get("a")
    assert context.cache_budget.used == 1 + 25 + 20 + 16


def test_changelog_and_flush_are_as_kafka_orders_them(tmp_path: Path) -> None:
    context = StoreTestContext(tmp_path, cache_bytes=260)
    builder = Stores.keyValueStoreBuilder(
        Stores.persistentKeyValueStore("s"), Serdes.String(), Serdes.String()
    )
    store: Any = builder.withCachingEnabled().build()
    store.init(context, store)
    context._record = RecordContext("in0", 0, 0, 0)
    for key, value in (("a", "1"), ("b", "2"), ("c", "3")):
        store.put(key, value)
    assert store.get("a") == "1"
    for key, value in (("d", "4"), ("e", "5"), ("a", "6")):
        store.put(key, value)
    assert store.delete("b") == "2"
    assert store.get("zz") is None
    store.put("f", "7")
    store.flush()
    assert context.logged() == [
        ("c", "3", 0),
        ("d", "4", 0),
        ("e", "5", 0),
        ("a", "6", 0),
        ("b", None, 0),
        ("f", "7", 0),
    ]


def test_backward_reads_over_deletions_show_what_kafka_shows(tmp_path: Path) -> None:
    context = StoreTestContext(tmp_path, cache_bytes=ROOMY)
    builder = Stores.keyValueStoreBuilder(
        Stores.persistentKeyValueStore("s"), Serdes.String(), Serdes.String()
    )
    store: Any = builder.withCachingEnabled().build()
    store.init(context, store)
    for key, value in (("a", "1"), ("b", "2"), ("d", "4")):
        store.put(key, value)
    store.flush()
    store.delete("c")
    store.delete("b")
    with store.reverseAll() as entries:
        assert [(e.key, e.value) for e in entries] == [("d", "4"), ("c", None), ("a", "1")]
    with store.all() as entries:
        assert [(e.key, e.value) for e in entries] == [("a", "1"), ("d", "4")]


def test_a_write_during_a_flush_waits_for_the_next_one(context: StoreTestContext) -> None:
    class Rewriter(Listener):
        def __call__(self, key: Any, new: Any, *rest: Any) -> None:
            super().__call__(key, new, *rest)
            if key == "a" and new == 1:
                put(store, context, "b", 9, 9)

    listener = Rewriter()
    store = longs(context, listener)
    put(store, context, "a", 1, 1)
    put(store, context, "b", 2, 2)
    store.flush()
    assert listener.taken() == [("a", 1, None, 1, 1), ("b", 2, None, 2, 2)]
    store.flush()
    assert listener.taken() == [("b", 9, None, 9, 9)]


def test_a_chunk_written_at_once_is_a_chunk_written_one_by_one(tmp_path: Path) -> None:
    chunk = Chunk("in", 0, [10, 11, 12], [5, 3, 8], ["a", "b", "a"], [1, 1, 1])
    flushed = []
    for at_once in (True, False):
        directory = tmp_path / str(at_once)
        directory.mkdir()
        context = StoreTestContext(directory, cache_bytes=ROOMY, logs=False)
        listener = ChunkListener()
        access = longs(context, listener).access()
        a, b = access.serialize_keys(["a", "b"])
        assert access.has_room([a, b], chunk)
        if at_once:
            access.write_many([b, a], ["b", "a"], [1, 2], [3, 8], chunk, [1, 2])
        else:
            access.write_at(a, "a", 1, 5, chunk, 0)
            access.write_at(b, "b", 1, 3, chunk, 1)
            access.write_at(a, "a", 2, 8, chunk, 2)
        assert access.read_many([a, b]) == [(2, 8), (1, 3)]
        access.flush()
        flushed.append(listener.taken())
    assert flushed == [[("b", 1, None, 3, 11), ("a", 2, None, 8, 12)]] * 2


def test_there_is_no_room_for_a_chunk_that_might_evict(tmp_path: Path) -> None:
    chunk = Chunk("in", 0, [0], [0], ["a"], [1])
    access = longs(StoreTestContext(tmp_path, cache_bytes=64), Listener()).access()
    assert access.has_room([b"a"], chunk)
    assert not access.has_room([b"a", b"b"], chunk)


def test_an_object_that_may_change_is_kept_as_bytes(context: StoreTestContext) -> None:
    builder = Stores.timestampedKeyValueStoreBuilder(
        Stores.inMemoryKeyValueStore("s"), Serdes.String(), JsonSerde()
    )
    store: Any = builder.withCachingEnabled().build()
    store.init(context, store)
    value = {"n": 1}
    store.put("a", ValueAndTimestamp.make(value, 0))
    value["n"] = 2
    assert store.get("a").value() == {"n": 1}


def test_a_budget_of_zero_means_no_cache(tmp_path: Path) -> None:
    context = StoreTestContext(tmp_path, cache_bytes=0)
    builder = Stores.timestampedKeyValueStoreBuilder(
        Stores.inMemoryKeyValueStore("s"), Serdes.String(), Serdes.Long()
    )
    store: Any = builder.withCachingEnabled().build()
    store.init(context, store)
    assert not store.set_flush_listener(Listener(), True)
    assert not store.access().cached


def test_windows_are_flushed_with_windowed_keys(context: StoreTestContext, listener: Any) -> None:
    supplier = Stores.persistentTimestampedWindowStore("w", 100, 10, False)
    builder = Stores.timestampedWindowStoreBuilder(supplier, Serdes.String(), Serdes.Long())
    store: Any = builder.withCachingEnabled().build()
    store.init(context, store)
    store.set_flush_listener(listener, False)
    access = store.access()
    key = access.serialize_key("a")
    context.at(17, offset=3)
    access.write(key, "a", 10, 1, 17)
    assert access.read(key, 10) == (1, 17)
    assert access.read(key, 20) is None
    store.flush()
    assert listener.taken() == [(Windowed("a", TimeWindow(10, 20)), 1, None, 17, 3)]


def test_a_cached_window_is_seen_beyond_retention(context: StoreTestContext) -> None:
    supplier = Stores.persistentTimestampedWindowStore("w", 10, 10, False)
    builder = Stores.timestampedWindowStoreBuilder(supplier, Serdes.String(), Serdes.String())
    store: Any = builder.withCachingEnabled().build()
    store.init(context, store)
    for start in (0, 10, 40):
        store.put("a", ValueAndTimestamp.make(str(start), start), start)
        store.flush()
    with store.all() as entries:
        assert [entry.key.window().start() for entry in entries] == [0, 10, 40]
    store.reload()
    with store.all() as entries:
        assert [entry.key.window().start() for entry in entries] == [40]


def test_a_window_store_with_duplicates_gets_no_cache(
    context: StoreTestContext, caplog: pytest.LogCaptureFixture
) -> None:
    supplier = Stores.persistentWindowStore("w", 100, 10, True)
    builder = Stores.windowStoreBuilder(supplier, Serdes.String(), Serdes.String())
    store: Any = builder.withCachingEnabled().build()
    store.init(context, store)
    assert not store.access().cached
    assert 'Store "w" keeps duplicates' in caplog.text
    for value in ("1", "2", None):
        store.put("a", value, 5)
    with store.fetch("a", 0, 10) as windows:
        assert [(entry.key, entry.value) for entry in windows] == [(5, "1"), (5, "2")]


def test_a_read_of_sessions_uses_none_of_a_longer_key(tmp_path: Path, listener: Any) -> None:
    """Kafka's bounds end with the segment, and not after all that begins as the key does."""
    # An entry takes 3 (key) + 24 (segment, end, start) + 25 + 22 + 8 = 82 bytes; of "a", 80.
    context = StoreTestContext(tmp_path, cache_bytes=4 * 82, logs=False)
    supplier = Stores.persistentSessionStore("s", 100_000)
    builder = Stores.sessionStoreBuilder(supplier, Serdes.String(), Serdes.Long())
    store: Any = builder.withCachingEnabled().build()
    store.init(context, store)
    assert store.set_flush_listener(listener, False)
    for time, key in enumerate(["a10", "b10", "a11", "a", "c10"]):
        if key == "a":
            with store.findSessions(key, 0, 1000) as found:
                assert list(found) == []
        context.at(time, offset=time)
        store.put(Windowed(key, SessionWindow(time, time)), time)
    assert [key.key() for key, *_ in listener.taken()] == ["a10", "b10", "a11", "a", "c10"]


@pytest.mark.parametrize("cache_bytes", [ROOMY, 60])
@pytest.mark.parametrize(
    ("serde", "values"),
    [
        (Serdes.String(), ["a", "bc", "d"]),
        (Serdes.Bytes(), [b"a", b"bc", b"d"]),
        (Serdes.Long(), [1, 2, 3]),
    ],
)
def test_a_cell_read_for_its_time_counts_as_one_read_for_its_value(
    tmp_path: Path, serde: Any, values: list[Any], cache_bytes: int
) -> None:
    """Also what it evicts is the same, and the value can be read afterwards."""
    seen: list[Any] = []
    for way in ("read", "read_time"):
        (tmp_path / way).mkdir()
        context = StoreTestContext(tmp_path / way, cache_bytes=cache_bytes, logs=False)
        supplier = Stores.persistentTimestampedKeyValueStore("s")
        builder = Stores.timestampedKeyValueStoreBuilder(supplier, Serdes.String(), serde)
        store: Any = builder.withCachingEnabled().build()
        store.init(context, store)
        listener, access, times = ChunkListener(), store.access(), []
        assert store.set_flush_listener(listener, False)
        for time, (key, value) in enumerate(zip("abc", values, strict=True)):
            put(store, context, key, value, time)
        store.flush()
        store.reload()
        for key in "abzac":
            found = getattr(access, way)(key.encode())
            times.append(found[1] if isinstance(found, tuple) else found)
            put(store, context, "b", values[0], 9)
        seen.append((times, listener.taken(), [store.get(key) for key in "abc"]))
    assert seen[0] == seen[1]
    assert seen[0][0] == [0, 9, None, 0, 2]
