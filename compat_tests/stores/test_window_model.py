"""Window stores against a list that is searched from end to end."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.stores.context import StoreTestContext
from millstream.core.serdes import Serdes
from millstream.stores import Stores

RETENTION = 150_000
SEGMENT = 75_000
KEYS = ["a", "aa", "ab", "b", "b\0"]


class Model:
    """Kafka's rules for windows without duplicates, in the words of its documentation."""

    def __init__(self, *, durable: bool) -> None:
        self.durable = durable
        self.windows: dict[tuple[str, int], str] = {}
        self.time = -1

    def put(self, key: str, value: str | None, start: int) -> None:
        self.time = max(self.time, start)
        oldest = self.time - RETENTION
        if not self.durable and start <= oldest:
            return
        if self.durable and start // SEGMENT < max(0, oldest) // SEGMENT:
            return
        if value is None:
            self.windows.pop((key, start), None)
        else:
            self.windows[key, start] = value

    def fetch(
        self, first: str | None, last: str | None, time_from: int, time_to: int
    ) -> list[tuple[str, int, str]]:
        found = [
            (key, start, value)
            for (key, start), value in self.windows.items()
            if max(time_from, self.time - RETENTION + 1) <= start <= time_to
            and (first is None or key >= first)
            and (last is None or key <= last)
        ]
        return sorted(found, key=self._order)

    def _order(self, row: tuple[str, int, str]) -> Any:
        key, start, _ = row
        if self.durable:
            return start // SEGMENT, key.encode() + start.to_bytes(8, "big")
        return start, key


def rows(entries: Any) -> list[tuple[str, int, str]]:
    with entries as iterator:
        return [(e.key.key(), e.key.window().start(), e.value) for e in iterator]


TIMES = st.integers(0, 400_000) | st.sampled_from([0, 1, 74_999, 75_000, 149_999, 150_000])
PUTS = st.tuples(st.sampled_from(KEYS), st.none() | st.sampled_from("xyz"), TIMES)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    durable=st.booleans(),
    cached=st.booleans(),
    puts=st.lists(PUTS, max_size=25),
    keys=st.tuples(st.sampled_from(KEYS), st.sampled_from(KEYS)),
    times=st.tuples(TIMES, TIMES),
)
def test_reads_are_those_of_the_model(
    durable: bool,
    cached: bool,
    puts: list[tuple[str, str | None, int]],
    keys: tuple[str, str],
    times: tuple[int, int],
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        context = StoreTestContext(Path(directory), cache_bytes=10_000_000)
        make = Stores.persistentWindowStore if durable else Stores.inMemoryWindowStore
        builder = Stores.windowStoreBuilder(
            make("w", RETENTION, 10, False), Serdes.String(), Serdes.String()
        )
        store: Any = (builder.withCachingEnabled() if cached else builder).build()
        store.init(context, store)
        model = Model(durable=durable)
        for key, value, start in puts:
            store.put(key, value, start)
            model.put(key, value, start)
            store.flush()
            context.copies["w"].apply(b"1")
        if cached:
            store.reload()  # what is still in a cache is seen beyond retention

        first, last = min(keys), max(keys)
        assert rows(store.all()) == model.fetch(None, None, 0, 10**9)
        assert rows(store.fetchAll(*times)) == model.fetch(None, None, *times)
        assert rows(store.fetch(first, last, *times)) == model.fetch(first, last, *times)
        assert rows(store.backwardFetch(first, None, 0, 10**9)) == list(
            reversed(model.fetch(first, None, 0, 10**9))
        )
        with store.fetch(first, 0, 10**9) as windows:
            found = [(entry.key, entry.value) for entry in windows]
        assert found == sorted((s, v) for _, s, v in model.fetch(first, first, 0, 10**9))
        for key, start in model.windows:
            expected = model.windows[key, start] if start > model.time - RETENTION else None
            assert store.fetch(key, start) == expected


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    durable=st.booleans(),
    duplicates=st.booleans(),
    steps=st.lists(st.tuples(PUTS, st.booleans(), st.sampled_from(KEYS), TIMES, TIMES)),
)
def test_operators_find_what_users_find(
    durable: bool,
    duplicates: bool,
    steps: list[tuple[tuple[str, str | None, int], bool, str, int, int]],
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        context = StoreTestContext(Path(directory))
        make = Stores.persistentWindowStore if durable else Stores.inMemoryWindowStore
        supplier = make("w", RETENTION, 10, duplicates)
        store: Any = Stores.windowStoreBuilder(supplier, Serdes.String(), Serdes.String()).build()
        store.init(context, store)
        access = store.access()
        for put, applies, key, first, last in steps:
            store.put(*put)
            if applies:
                context.copies["w"].apply(b"1")
            with store.fetch(key, first, last) as windows:
                seen = [(entry.key, entry.value) for entry in windows]
            key_bytes = access.serialize_key(key)
            assert list(access.fetch(key_bytes, first, last)) == seen
            assert list(access.fetch(key_bytes, first, last, reverse=True)) == seen[::-1]


def test_expired_segments_leave_the_byte_store() -> None:
    with tempfile.TemporaryDirectory() as directory:
        context = StoreTestContext(Path(directory))
        supplier = Stores.persistentWindowStore("w", RETENTION, 10, False)
        store: Any = Stores.windowStoreBuilder(supplier, Serdes.String(), Serdes.String()).build()
        store.init(context, store)
        store.put("a", "1", 0)
        store.put("a", "2", 224_999)
        assert len(list(context.copies["w"].scan(None, b"\x80"))) == 2
        store.put("a", "3", 225_000)
        assert len(list(context.copies["w"].scan(None, b"\x80"))) == 2
        store.put("a", "late", 74_999)
        assert context.dropped == 1


def test_stream_time_and_sequence_survive_in_the_bytes() -> None:
    with tempfile.TemporaryDirectory() as directory:
        context = StoreTestContext(Path(directory))
        supplier = Stores.persistentWindowStore("w", RETENTION, 10, True)
        builder = Stores.windowStoreBuilder(supplier, Serdes.String(), Serdes.String())
        store: Any = builder.build()
        store.init(context, store)
        store.put("a", "1", 300_000)
        store.flush()
        context.copies["w"].apply(b"1")
        store.put("a", "undone", 900_000)
        context.copies["w"].forget()
        store.reload()
        store.put("a", "2", 300_000)
        store.put("a", "3", 160_000)
        store.put("a", "late", 74_999)
        with store.fetch("a", 0, 10**9) as windows:
            assert [(e.key, e.value) for e in windows] == [
                (160_000, "3"),
                (300_000, "1"),
                (300_000, "2"),
            ]
