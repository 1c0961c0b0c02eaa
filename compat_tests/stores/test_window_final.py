"""Window stores for results that are given once, when a window closes: they are read by time."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.stores.context import StoreTestContext
from compat_tests.stores.test_window_model import KEYS, PUTS, RETENTION, SEGMENT, TIMES, rows
from millstream.core.serdes import Serdes
from millstream.core.state import DslStoreFormat, DslWindowParams, WindowStore
from millstream.core.windows import EmitStrategy
from millstream.plugins.registry import store_kinds


def open_store(
    directory: str, *, durable: bool = True, cached: bool = False, sliding: bool = False
) -> tuple[Any, StoreTestContext]:
    context = StoreTestContext(Path(directory), cache_bytes=10_000_000)
    supplier = (
        store_kinds()
        .dsl_suppliers("rocksDB" if durable else "in_memory")
        .windowStore(
            DslWindowParams(
                "w",
                RETENTION,
                10,
                emitStrategy=EmitStrategy.onWindowClose(),
                isSlidingWindow=sliding,
                dslStoreFormat=DslStoreFormat.TIMESTAMPED,
            )
        )
    )
    builder = store_kinds().builder(WindowStore, supplier, Serdes.String(), Serdes.String())
    store: Any = (builder.withCachingEnabled() if cached else builder).build()
    store.init(context, store)
    return store, context


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    durable=st.booleans(),
    cached=st.booleans(),
    puts=st.lists(PUTS, max_size=25),
    times=st.tuples(TIMES, TIMES),
)
def test_windows_of_all_keys_come_by_time(
    durable: bool,
    cached: bool,
    puts: list[tuple[str, str | None, int]],
    times: tuple[int, int],
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        store, context = open_store(directory, durable=durable, cached=cached)
        windows: dict[tuple[int, str], str] = {}
        latest = -1
        for key, value, start in puts:
            store.put(key, value, start)
            store.flush()
            context.copies["w"].apply(b"1")
            latest = max(latest, start)
            alive = (
                start // SEGMENT >= max(0, latest - RETENTION) // SEGMENT
                if durable
                else start > latest - RETENTION
            )
            if alive and value is None:
                windows.pop((start, key), None)
            elif alive and value is not None:
                windows[start, key] = value
        if cached:
            store.reload()

        # On disk such a store still shows the window that starts just at the end of retention.
        oldest = latest - RETENTION + (0 if durable else 1)
        shown = [(key, start, windows[start, key]) for start, key in sorted(windows)]
        shown = [row for row in shown if row[1] >= oldest]
        first, last = min(times), max(times)
        within = [row for row in shown if first <= row[1] <= last]
        assert rows(store.all()) == shown
        assert rows(store.backwardAll()) == shown[::-1]
        assert rows(store.fetchAll(first, last)) == within
        assert rows(store.backwardFetchAll(first, last)) == within[::-1]
        assert rows(store.fetch("a", "b", first, last)) == [r for r in within if r[0] <= "b"]
        for key in KEYS:
            with store.fetch(key, first, last) as found:
                got = [(entry.key, entry.value) for entry in found]
            assert got == [(start, value) for other, start, value in within if other == key]


@pytest.fixture
def directory() -> Any:
    with tempfile.TemporaryDirectory() as path:
        yield path


def test_cache_and_store_are_merged_by_time(directory: str) -> None:
    store, context = open_store(directory, cached=True)
    store.put("b", "1", 10)
    store.put("a", "2", 30)
    store.flush()
    store.reload()
    store.put("a", "3", 20)
    store.put("b", None, 10)
    store.put("c", "4", 30)
    assert rows(store.fetchAll(0, 100)) == [("a", 20, "3"), ("a", 30, "2"), ("c", 30, "4")]


def test_sliding_windows_of_a_range_of_keys_come_by_key(directory: str) -> None:
    store, _ = open_store(directory, sliding=True)
    store.put("b", "1", 10)
    store.put("a", "2", 30)
    assert rows(store.fetch("a", "b", 0, 100)) == [("a", 30, "2"), ("b", 10, "1")]
    assert rows(store.fetchAll(0, 100)) == [("b", 10, "1"), ("a", 30, "2")]


def test_the_order_by_time_expires_with_the_windows(directory: str) -> None:
    store, context = open_store(directory)
    store.put("a", "1", 0)
    store.put("a", "2", 224_999)
    copy = context.copies["w"]
    assert len(list(copy.scan(None, b"\xff"))) == 4
    store.put("a", "3", 225_000)
    assert len(list(copy.scan(None, b"\xff"))) == 4
    copy.apply(b"1")
    assert len(list(copy.scan(None, b"\xff"))) == 4


def test_the_changelog_does_not_show_the_order(directory: str) -> None:
    store, context = open_store(directory)
    context.at(7)
    store.put("k", "x", 1)
    assert context.changes == [(b"k" + (1).to_bytes(8, "big") + bytes(4), b"x", 7)]
