"""The history of a key is every version that held at some moment of a time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.stores.test_versioned_model import PUTS, open_store
from millstream.core.query import (
    MultiVersionedKeyQuery,
    MultiVersionedRangeQuery,
    PositionBound,
    QueryConfig,
    QueryResult,
    ResultOrder,
)

Told = tuple[str, int, "int | None"]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    retention=st.sampled_from([10, 50, 1000]),
    interval=st.sampled_from([1, 7, 1000]),
    puts=st.lists(PUTS, max_size=25),
    span=st.tuples(st.integers(0, 40), st.integers(0, 40)),
)
def test_a_history_is_what_the_single_moments_give(
    retention: int, interval: int, puts: list[tuple[str, str | None, int]], span: tuple[int, int]
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        store, _ = open_store(directory, retention, interval)
        now = -1
        for key, value, shift in puts:
            time = max(0, now + shift)
            now = max(now, time)
            store.put(key, value, time)
        access = store.access()
        last = max(0, now - span[0])
        first = max(0, now - retention, last - span[1])
        if last < first:
            return
        for key in "ab":
            moments = {access.read_as_of(key.encode(), t) for t in range(first, last + 1)}
            expected = sorted(moments - {None}, key=lambda found: -found[1])
            assert told(store.history(key, first, last)) == expected


def told(records: Any) -> list[Told]:
    return [(each.value(), each.timestamp(), each.validTo()) for each in records]


@pytest.fixture
def store() -> Iterator[Any]:
    with tempfile.TemporaryDirectory() as directory:
        made, _ = open_store(directory, 100)
        made.partition = 0
        for value, time in (("1", 10), ("2", 20), (None, 30), ("4", 40)):
            made.put("k", value, time)
        yield made


def ask_range(
    store: Any, query: MultiVersionedRangeQuery[str, str]
) -> list[tuple[str, str, int, int | None]]:
    result: QueryResult[Any] = store.query(query, PositionBound.unbounded(), QueryConfig(False))
    with result.getResult() as entries:
        return [(key, f.value(), f.timestamp(), f.validTo()) for key, f in entries]


def test_a_range_gives_the_histories_of_its_keys(store: Any) -> None:
    store.put("a", "5", 35)
    store.put("z", "6", 40)
    everything: MultiVersionedRangeQuery[str, str] = MultiVersionedRangeQuery.allKeys()
    a: list[Any] = [("a", "5", 35, None)]
    k: list[Any] = [("k", "4", 40, None), ("k", "2", 20, 30), ("k", "1", 10, 20)]
    z: list[Any] = [("z", "6", 40, None)]
    assert ask_range(store, everything) == a + k + z
    assert ask_range(store, everything.withDescendingKeys()) == z + k + a
    assert ask_range(store, everything.withAscendingTimestamps()) == a + k[::-1] + z
    assert ask_range(store, everything.fromTime(20).toTime(39)) == [*a, k[1]]
    assert ask_range(store, MultiVersionedRangeQuery.withKeyRange("b", "k").fromTime(30)) == k[:1]
    assert ask_range(store, MultiVersionedRangeQuery.withUpperKeyBound("a")) == a
    assert ask_range(store, MultiVersionedRangeQuery.withLowerKeyBound("z")) == z
    assert ask_range(store, MultiVersionedRangeQuery.withKeyRange("z", "a")) == []


def test_a_range_query_tells_its_parts() -> None:
    query: MultiVersionedRangeQuery[str, str] = MultiVersionedRangeQuery.withKeyRange("a", "b")
    assert (query.lowerKeyBound(), query.upperKeyBound()) == ("a", "b")
    assert query.keyOrder() is query.timestampOrder() is ResultOrder.ANY
    turned = query.withAscendingKeys().withDescendingTimestamps().fromTime(5).toTime(None)
    assert turned.keyOrder() is ResultOrder.ASCENDING
    assert turned.timestampOrder() is ResultOrder.DESCENDING
    assert turned.fromTime().timestamp() == 0.005
    assert turned.toTime() is None


def ask(store: Any, query: MultiVersionedKeyQuery[str, str]) -> list[Told]:
    result: QueryResult[Any] = store.query(query, PositionBound.unbounded(), QueryConfig(False))
    with result.getResult() as records:
        return told(records)


def test_all_versions_come_newest_first_with_their_ends(store: Any) -> None:
    query: MultiVersionedKeyQuery[str, str] = MultiVersionedKeyQuery.withKey("k")
    everything: list[Told] = [("4", 40, None), ("2", 20, 30), ("1", 10, 20)]
    assert ask(store, query) == everything
    assert ask(store, query.withDescendingTimestamps()) == everything
    assert ask(store, query.withAscendingTimestamps()) == everything[::-1]
    assert ask(store, MultiVersionedKeyQuery.withKey("other")) == []


def test_both_bounds_are_inclusive_and_the_end_of_a_version_is_not(store: Any) -> None:
    query: MultiVersionedKeyQuery[str, str] = MultiVersionedKeyQuery.withKey("k")
    assert ask(store, query.fromTime(20).toTime(29)) == [("2", 20, 30)]
    assert ask(store, query.fromTime(19).toTime(20)) == [("2", 20, 30), ("1", 10, 20)]
    assert ask(store, query.fromTime(30).toTime(39)) == []
    assert ask(store, query.fromTime(30)) == [("4", 40, None)]
    assert ask(store, query.toTime(9)) == []


def test_only_the_latest_version_answers_for_times_before_the_retention(store: Any) -> None:
    store.put("old", "still", 15)
    store.put("k", "5", 300)
    query: MultiVersionedKeyQuery[str, str] = MultiVersionedKeyQuery.withKey("k")
    assert ask(store, query.toTime(199)) == []
    latest: MultiVersionedKeyQuery[str, str] = MultiVersionedKeyQuery.withKey("old")
    assert ask(store, latest.toTime(199)) == [("still", 15, None)]
