"""Versioned stores against a list of versions that is searched from end to end."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.stores.context import StoreTestContext
from millstream.core.errors import (
    IllegalArgumentException,
    IllegalStateException,
    InvalidStateStoreException,
    NullPointerException,
    UnsupportedOperationException,
)
from millstream.core.serdes import Serdes
from millstream.core.state import VersionedBytesStoreSupplier, VersionedKeyValueStore
from millstream.stores import Stores
from millstream.stores.versioned.rows import Row, default_versioned_interval

UNDEFINED = VersionedKeyValueStore.PUT_RETURN_CODE_VALID_TO_UNDEFINED
NOT_PUT = VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT


class Model:
    """Every version of every key, for ever; None is a deletion."""

    def __init__(self, retention: int) -> None:
        self.retention = retention
        self.versions: dict[str, dict[int, str | None]] = {}
        self.ends: set[tuple[str, int]] = set()
        """When a version of a key is known to have stopped to hold."""
        self.time = -1

    def put(self, key: str, value: str | None, time: int) -> int:
        if time < self.time - self.retention:
            return NOT_PUT
        self.time = max(self.time, time)
        versions = self.versions.setdefault(key, {})
        later = [other for other in versions if other > time]
        before = max((other for other in versions if other < time), default=-1)
        if later:
            self.ends.add((key, min(later)))
        elif (value is None and versions.get(time) is None) or versions.get(before) is not None:
            self.ends.add((key, time))
        if value is None and not later and (key, time) not in self.ends:
            # Kafka keeps no trace of when the latest value was deleted if that is its own time,
            # unless it has stored a deletion then, or an older version that ends there.
            del versions[time]
            return UNDEFINED
        versions[time] = value
        return min(later, default=UNDEFINED)

    def as_of(self, key: str, time: int) -> tuple[str, int] | None:
        versions = self.versions.get(key, {})
        start = max((other for other in versions if other <= time), default=None)
        if start is None or (value := versions[start]) is None:
            return None
        if time < self.time - self.retention and start != max(versions):
            return None
        return value, start


def open_store(
    directory: str,
    retention: int,
    interval: int | None = None,
    *,
    cache_bytes: int = 0,
    in_memory: bool = False,
) -> tuple[Any, StoreTestContext]:
    context = StoreTestContext(Path(directory), cache_bytes=cache_bytes)
    make = (
        Stores.inMemoryVersionedKeyValueStore
        if in_memory
        else Stores.persistentVersionedKeyValueStore
    )
    supplier = make("v", retention, interval, cached=cache_bytes > 0)
    builder = Stores.versionedKeyValueStoreBuilder(supplier, Serdes.String(), Serdes.String())
    store: Any = builder.build()
    store.init(context, store)
    return store, context


def pair(found: Any) -> tuple[str, int] | None:
    return None if found is None else (found.value(), found.timestamp())


def ranged(entries: Any) -> list[tuple[str, Any]]:
    with entries:
        return [(key, pair(found)) for key, found in entries]


# Most versions come in order, as most records do; else old deletions are seldom built upon.
SHIFTS = st.integers(1, 6) | st.integers(1, 6) | st.integers(-60, 0)
PUTS = st.tuples(st.sampled_from("aab"), st.none() | st.text("xyz", max_size=3), SHIFTS)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    retention=st.sampled_from([0, 10, 50, 1000]),
    interval=st.sampled_from([1, 7, 10, 1000]),
    puts=st.lists(PUTS, max_size=30),
    cache_bytes=st.sampled_from([0, 50, 100_000]),
    in_memory=st.booleans(),
)
def test_reads_and_return_codes_are_those_of_the_model(
    retention: int,
    interval: int,
    puts: list[tuple[str, str | None, int]],
    cache_bytes: int,
    in_memory: bool,
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        store, context = open_store(
            directory, retention, interval, cache_bytes=cache_bytes, in_memory=in_memory
        )
        model = Model(retention)
        for number, (key, value, shift) in enumerate(puts):
            time = max(0, model.time + shift)
            assert store.put(key, value, time) == model.put(key, value, time)
            if number % 3 == 0:
                context.copies["v"].apply(b"1")
        for key in "ab":
            assert pair(store.get(key)) == model.as_of(key, 10**9)
            for time in range(max(0, model.time - 70), model.time + 3):
                assert pair(store.get(key, time)) == model.as_of(key, time)
        for moment in (None, 10**9, *range(max(0, model.time - 70), model.time + 3)):
            held = {key: model.as_of(key, 10**9 if moment is None else moment) for key in "ab"}
            expected = [(key, found) for key, found in held.items() if found is not None]
            assert ranged(store.all(moment)) == expected
            assert ranged(store.reverseRange("a", "b", moment)) == expected[::-1]
            assert ranged(store.range("aa", None, moment)) == [e for e in expected if e[0] == "b"]
        store.close()
        assert context.cache_budget.used == 0


@pytest.fixture
def directory() -> Any:
    with tempfile.TemporaryDirectory() as path:
        yield path


def test_delete_returns_what_held_and_nothing_if_it_is_too_late(directory: str) -> None:
    store, context = open_store(directory, 100)
    store.put("a", "1", 10)
    store.put("a", "2", 20)
    assert pair(store.delete("a", 15)) == ("1", 10)
    assert store.get("a", 15) is None
    assert pair(store.get("a", 14)) == ("1", 10)
    store.put("a", "3", 200)
    assert store.delete("a", 99) is None
    assert store.put("a", "late", 99) == NOT_PUT
    assert context.dropped == 2
    assert pair(store.get("a")) == ("3", 200)


def test_only_the_operators_learn_until_when_a_version_held(directory: str) -> None:
    store, _ = open_store(directory, 100)
    store.put("a", "1", 10)
    store.put("a", "2", 20)
    assert store.get("a", 15).validTo() is None
    access = store.access()
    assert access.read(b"a") == ("2", 20)
    assert access.read_as_of(b"a", 15) == ("1", 10, 20)
    assert access.read_as_of(b"a", 25) == ("2", 20, None)
    assert access.write(b"a", "a", "between", 12) == 20


def test_the_changelog_has_each_version_at_its_time(directory: str) -> None:
    store, context = open_store(directory, 10)
    context.at(1)
    store.put("a", "1", 50)
    store.delete("a", 60)
    store.put("a", "late", 5)
    assert context.logged() == [("a", "1", 50), ("a", None, 60), ("a", "late", 5)]


def test_old_segments_leave_the_byte_store_and_the_latest_version_stays(directory: str) -> None:
    store, context = open_store(directory, 20, 10)
    store.put("old", "kept", 0)
    for time in range(0, 100, 5):
        store.put("a", str(time), time)
        context.copies["v"].apply(b"1")
    rows = [key for key, _ in context.copies["v"].scan(b"\x01", b"\x02")]
    assert rows == [b"\x01" + number.to_bytes(8, "big") + b"a" for number in (7, 8, 9)]
    assert pair(store.get("old")) == ("kept", 0)
    assert pair(store.get("old", 3)) == ("kept", 0)


def test_what_a_failed_batch_wrote_is_forgotten(directory: str) -> None:
    store, context = open_store(directory, 10)
    store.put("a", "1", 5)
    context.copies["v"].apply(b"1")
    store.put("a", "2", 500)
    context.copies["v"].forget()
    store.reload()
    assert store.put("a", "0", 3) == 5
    assert pair(store.get("a", 4)) == ("0", 3)


def test_a_row_has_the_bytes_that_kafka_writes() -> None:
    row = Row(30, [(20, b"bb"), (15, None), (10, b"a")])
    data = bytes.fromhex(
        "000000000000001e" "000000000000000a"
        "0000000000000014" "00000002"
        "000000000000000f" "ffffffff"
        "000000000000000a" "00000001"
        "61" "6262"
    )  # fmt: skip
    assert row.to_bytes() == data
    again = Row.of_bytes(data)
    assert (again.next, again.versions) == (row.next, row.versions)
    assert Row.of_bytes(Row(7, []).to_bytes()).versions == []


@pytest.mark.parametrize(
    ("retention", "interval"),
    [
        (0, 2_000),
        (60_000, 20_000),
        (60_001, 20_000),
        (300_000, 60_000),
        (300_001, 60_000),
        (3_600_000, 300_000),
        (86_400_000, 3_600_000),
    ],
)
def test_segments_are_as_wide_as_kafkas(retention: int, interval: int) -> None:
    assert default_versioned_interval(retention) == interval


def test_wrong_use_is_refused(directory: str) -> None:
    store, _ = open_store(directory, 10)
    with pytest.raises(NullPointerException):
        store.get(None)
    store.close()
    with pytest.raises(InvalidStateStoreException):
        store.get("a")
    with pytest.raises(IllegalArgumentException, match="historyRetention"):
        Stores.persistentVersionedKeyValueStore("v", -1)
    with pytest.raises(IllegalArgumentException, match="segmentInterval"):
        Stores.persistentVersionedKeyValueStore("v", 10, 0)


def test_a_cache_answers_for_the_latest_version_and_holds_no_write_back(directory: str) -> None:
    store, context = open_store(directory, 100, cache_bytes=1000)
    context.at(1)
    store.put("a", "1", 10)
    store.put("a", "2", 20)
    assert context.logged() == [("a", "1", 10), ("a", "2", 20)]
    context.copies["v"].forget()
    assert pair(store.get("a")) == ("2", 20)
    assert pair(store.get("a", 25)) == ("2", 20)
    store.reload()
    assert store.get("a") is None


def test_a_cache_keeps_no_more_than_its_budget(directory: str) -> None:
    store, context = open_store(directory, 100, cache_bytes=150)
    for number in range(100):
        store.put(f"key {number}", "some value", number)
        assert context.cache_budget.used <= 150
    assert pair(store.get("key 0")) == ("some value", 0)


def test_a_store_in_memory_is_not_persistent_and_drops_whole_segments(directory: str) -> None:
    store, context = open_store(directory, 20, 10, in_memory=True)
    assert not store.persistent()
    for time in range(0, 100, 5):
        store.put("a", str(time), time)
    changes = context.copies["v"].changes()
    # Seven segments, one after the other.
    shown = [(lower[1:9], upper[1:9]) for lower, upper in changes.dropped]
    assert shown == [(bytes(8), (7).to_bytes(8, "big"))]


class OwnSupplier(VersionedBytesStoreSupplier):
    """A user's own, which makes whatever it was given."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def name(self) -> str:
        return "v"

    def metricsScope(self) -> str:
        return "mine"

    def historyRetentionMs(self) -> int:
        return 10

    def get(self) -> Any:
        return self._store


def test_a_supplied_store_must_be_versioned(directory: str) -> None:
    supplied: Any = Stores.persistentVersionedKeyValueStore("v", 10).get()
    serdes = Serdes.String(), Serdes.String()
    store: Any = Stores.versionedKeyValueStoreBuilder(OwnSupplier(supplied), *serdes).build()
    store.init(StoreTestContext(Path(directory)), store)
    store.put("a", "1", 5)
    assert pair(store.get("a", 7)) == ("1", 5)
    with pytest.raises(UnsupportedOperationException, match="no ranges"):
        store.all()
    plain = Stores.inMemoryKeyValueStore("v").get()
    with pytest.raises(IllegalStateException, match="no versioned store"):
        Stores.versionedKeyValueStoreBuilder(OwnSupplier(plain), *serdes).build()
