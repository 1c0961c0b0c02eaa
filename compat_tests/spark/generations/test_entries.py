"""Entries read from segments: the newest value of each key, whatever was deleted before."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream.core.errors import ProcessorStateException
from millstream.stores.byte_stores.memory import MemoryStore
from millstream.topology.spark.generations.entries import Dropped, live_entries
from millstream.topology.spark.state.changelog import Changelog
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.seeded import (
    FIRST_MANIFEST,
    SEGMENT,
    seed_segments,
    with_seed,
)
from millstream.topology.spark.state.segments import CHANGES, Section

KEYS = st.integers(0, 12).map(lambda n: b"%02d" % n)
WRITES = st.tuples(st.just("put"), KEYS, st.one_of(st.none(), st.binary(max_size=3)))
DROPS = st.tuples(st.just("drop"), KEYS, KEYS)
BATCHES = st.lists(st.lists(st.one_of(WRITES, DROPS), max_size=6), max_size=12)


class Log(dict[int, bytes]):
    put = dict.__setitem__

    def remove(self, seq: int) -> None:
        del self[seq]


def changelog() -> Changelog:
    return Changelog(lambda *_: MemoryStore())


def written(
    batches: list[list[tuple[str, bytes, Any]]],
) -> tuple[Manifest, Log, dict[bytes, bytes]]:
    """Write batches to a store; return its manifest, segments and contents."""
    manifest, log, one = Manifest(), Log(), changelog()
    for batch in batches:
        one.catch_up(manifest, log)
        copy = one.working_copy("s", "memory")
        for kind, first, second in batch:
            if kind == "put":
                copy.put(first, second)
            else:
                copy.drop_range(first, second)
        manifest = one.commit(manifest, log, snapshot=b"", arrivals={})
    one.catch_up(manifest, log)
    return manifest, log, dict(one.working_copy("s", "memory").scan(None, None))


def read(manifest: Manifest, log: Log) -> dict[bytes, bytes]:
    rows = [(0, seq, log[seq]) for seq in sorted(log, reverse=True)]
    found: dict[bytes, bytes] = {}
    for partition, (store, keys, values) in live_entries(rows, {0: manifest}):
        assert (partition, store) == (0, "s")
        assert not found.keys() & set(keys)
        found |= dict(zip(keys, values, strict=True))
    return found


@given(BATCHES)
def test_the_entries_of_the_segments_are_those_of_the_store(batches: Any) -> None:
    manifest, log, contents = written(batches)
    assert read(manifest, log) == contents


def test_a_missing_segment_is_told() -> None:
    manifest, log, _ = written([[("put", b"a", b"1")], [("put", b"b", b"2")]])
    for seq in list(log):
        less = Log({other: log[other] for other in log if other != seq})
        with pytest.raises(ProcessorStateException, match=f"segment {seq}"):
            read(manifest, less)


@given(st.lists(st.tuples(KEYS, KEYS), max_size=8), KEYS)
def test_joined_ranges_hold_what_one_of_them_holds(
    ranges: list[tuple[bytes, bytes]], key: bytes
) -> None:
    dropped = Dropped()
    for bounds in ranges:
        dropped.add(bounds)
    assert (key in dropped) == any(lower <= key < upper for lower, upper in ranges)


@given(BATCHES, st.randoms(use_true_random=False))
def test_a_seed_in_any_order_makes_the_store_again(batches: Any, random: Any) -> None:
    manifest, log, contents = written(batches)
    rows = [(FIRST_MANIFEST, Manifest(stores={"t": "memory"}, step=b"x").encode())]
    for _, (_, keys, values) in live_entries(
        [(0, seq, log[seq]) for seq in sorted(log, reverse=True)], {0: manifest}
    ):
        section = Section(store="t", kind=CHANGES, keys=keys, values=values)
        rows += [(SEGMENT, blob) for blob in seed_segments("id", [section])]
    random.shuffle(rows)
    seeded, new = None, Log()
    for seq, blob in rows:
        seeded = with_seed(seeded, seq, blob, "id", new)
    assert seeded is not None
    one = changelog()
    one.catch_up(seeded, new)
    copy = one.working_copy("t", "memory")
    assert dict(copy.scan(None, None)) == contents
    copy.put(b"more", b"1")
    following = one.commit(seeded, new, snapshot=b"", arrivals={})
    other = changelog()
    other.catch_up(following, new)
    found = dict(other.working_copy("t", "memory").scan(None, None))
    assert found == contents | {b"more": b"1"}
