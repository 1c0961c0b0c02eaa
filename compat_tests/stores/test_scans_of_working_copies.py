"""Scans of a working copy: its entries as they were, and at little cost where many are gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sortedcontainers import SortedList

from millstream.core.store import ByteStore
from millstream.core.working_copy import WorkingCopy
from millstream.stores.byte_stores.memory import MemoryStore
from millstream.stores.byte_stores.rocksdb import RocksDBStore

STORES: dict[str, type[ByteStore]] = {"memory": MemoryStore, "rocksdb": RocksDBStore}
KEYS = st.sampled_from([b"a", b"a\x00", b"b", b"c", b"d", b"e", b"\xff"])
BOUNDS = st.none() | KEYS | st.just(b"")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), KEYS),
        st.tuples(st.just("delete"), KEYS),
        st.tuples(st.just("put all"), st.sets(KEYS)),
        st.tuples(st.just("drop"), st.tuples(KEYS, KEYS)),
        st.tuples(st.just("scan"), st.tuples(BOUNDS, BOUNDS, st.booleans())),
        st.tuples(st.just("take"), st.integers(0, 3)),
        st.tuples(st.just("size"), st.none()),
        st.tuples(st.just("commit"), st.booleans()),
    ),
    max_size=40,
)


@pytest.mark.parametrize("kind", STORES)
@settings(max_examples=150, deadline=None)
@given(steps=STEPS)
def test_an_iterator_shows_what_there_was_when_it_was_opened(
    kind: str, steps: list[tuple[str, Any]]
) -> None:
    with TemporaryDirectory() as directory:
        copy = WorkingCopy(STORES[kind].open(Path(directory), {}))
        model: dict[bytes, bytes] = {}
        committed: dict[bytes, bytes] = {}
        scans: list[tuple[Iterator[Any], list[Any]]] = []
        for number, (verb, argument) in enumerate(steps):
            value = b"%d" % number
            if verb == "put":
                copy.put(argument, value)
                model[argument] = value
            elif verb == "delete":
                copy.put(argument, None)
                model.pop(argument, None)
            elif verb == "put all":
                copy.put_all(dict.fromkeys(argument, value))
                model.update(dict.fromkeys(argument, value))
            elif verb == "drop":
                lower, upper = min(argument), max(argument)
                # Keys of a dropped range may not be written again before the commit.
                copy.apply(b"1")
                copy.drop_range(lower, upper)
                model = {k: v for k, v in model.items() if not lower <= k < upper}
                copy.apply(b"1")
                committed, scans = dict(model), []
            elif verb == "scan":
                lower, upper, reverse = argument
                inside = [
                    (key, model[key])
                    for key in sorted(model, reverse=reverse)
                    if (lower is None or lower <= key) and (upper is None or key < upper)
                ]
                scans.append((copy.scan(lower, upper, reverse=reverse), inside))
            elif verb == "size":
                # RocksDB's own number is an estimate.
                assert kind != "memory" or copy.size_estimate() == len(model)
            elif verb == "take":
                for found, expected in scans[:argument]:
                    assert next(found, None) == (expected.pop(0) if expected else None)
            else:
                # Iterators end with the batch, as the host closes them.
                for found, expected in scans:
                    assert list(found) == expected
                scans = []
                if argument:
                    copy.apply(b"1")
                    committed = dict(model)
                else:
                    copy.forget()
                    model = dict(committed)
        for found, expected in scans:
            assert list(found) == expected
        scans.clear()
        copy.store.close()


@pytest.mark.parametrize("kind", STORES)
def test_an_iterator_of_an_earlier_batch_hides_nothing_of_this_one(
    kind: str, tmp_path: Path
) -> None:
    copy = WorkingCopy(STORES[kind].open(tmp_path, {}))
    copy.put(b"m", b"1")
    earlier = copy.scan(None, None)
    copy.apply(b"1")
    copy.put(b"a", b"2")
    assert next(earlier) == (b"m", b"1")
    assert list(copy.scan(None, None)) == [(b"a", b"2"), (b"m", b"1")]
    del earlier
    copy.store.close()


def test_the_number_of_entries_is_not_counted_anew_at_each_write(tmp_path: Path) -> None:
    store = MemoryStore.open(tmp_path, {})
    copy, asked = WorkingCopy(store), [0]
    plain = store.get

    def counted(key: bytes) -> bytes | None:
        asked[0] += 1
        return plain(key)

    with patch.object(store, "get", counted):
        for number in range(1_000):
            copy.put(b"%05d" % number, b"new")
            assert copy.size_estimate() == number + 1

    assert asked[0] <= 2_000


@pytest.mark.parametrize("closes", ["closed before the delete", "open"])
@pytest.mark.parametrize("kind", STORES)
def test_the_first_entry_is_found_and_deleted_without_reading_the_others(
    kind: str, closes: str, tmp_path: Path
) -> None:
    copy, passed = WorkingCopy(STORES[kind].open(tmp_path, {})), [0]
    for number in range(500):
        copy.put(b"%05d" % number, b"old")
    copy.apply(b"1")
    plain = SortedList.irange

    def counted(self: SortedList, *bounds: Any, **options: Any) -> Iterator[bytes]:
        for each in plain(self, *bounds, **options):
            passed[0] += 1
            yield each

    with patch.object(SortedList, "irange", counted):
        for number in range(500, 1_500):
            copy.put(b"%05d" % number, b"new")
            scan = copy.scan(None, None)
            first, _ = next(scan)
            assert first == b"%05d" % (number - 500)
            if closes != "open":
                del scan
            copy.put(first, None)

    # All that the batch had written were 500,000 and more; memory reads 64 at a time.
    assert passed[0] <= 100_000
    copy.store.close()


@pytest.mark.parametrize("kind", STORES)
def test_ranges_that_are_dropped_one_after_the_other_are_one(kind: str, tmp_path: Path) -> None:
    copy = WorkingCopy(STORES[kind].open(tmp_path, {}))
    keys = [b"%03d" % number for number in range(0, 100, 5)]
    for key in [*keys, b"x1", b"x9"]:
        copy.put(key, b"old")
    copy.apply(b"1")

    for number in range(0, 60, 10):
        copy.drop_range(b"%03d" % number, b"%03d" % (number + 10))
    copy.drop_range(b"x0", b"x5")

    assert copy.changes().dropped == ((b"000", b"060"), (b"x0", b"x5"))
    left = [*(key for key in keys if key >= b"060"), b"x9"]
    assert [key for key, _ in copy.scan(None, None)] == left
    assert [key for key in [*keys, b"x1", b"x9"] if copy.get(key) is not None] == left
    copy.apply(b"2")
    assert [key for key, _ in copy.scan(None, None)] == left
    copy.store.close()
