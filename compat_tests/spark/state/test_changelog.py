"""The changelog: whatever happens to workers and batches, a store is what was committed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from millstream.core.errors import ProcessorStateException
from millstream.stores.byte_stores.memory import MemoryStore
from millstream.topology.spark.state.changelog import SEGMENT_COST, Changelog
from millstream.topology.spark.state.manifest import ChangelogPosition, Manifest

KIND = "memory"


@dataclass
class Cluster:
    """Spark's side of one task: what it has committed, and workers that come and go."""

    segments: dict[int, bytes] = field(default_factory=dict)
    manifest: Manifest = field(default_factory=Manifest)
    workers: dict[int, Changelog] = field(default_factory=dict)
    expected: dict[str, dict[bytes, bytes]] = field(default_factory=dict)
    reads: int = 0

    def batch(
        self,
        worker: int,
        changes: Mapping[str, dict[bytes, bytes | None]],
        *,
        dropped: Sequence[tuple[str, bytes, bytes]] = (),
        fails: bool = False,
    ) -> Log:
        """Run a batch on a worker; a failing one leaves nothing in Spark's state."""
        log = Log(self, dict(self.segments))
        changelog = self.workers.setdefault(
            worker, Changelog(lambda store, kind: MemoryStore.open(Path(), {}))
        )
        manifest = Manifest.decode(self.manifest.encode())
        changelog.catch_up(manifest, log)
        self.check(changelog)
        expected = {name: dict(store) for name, store in self.expected.items()}
        for name, lower, upper in dropped:
            changelog.working_copy(name, KIND).drop_range(lower, upper)
            kept = expected.setdefault(name, {})
            for key in [key for key in kept if lower <= key < upper]:
                del kept[key]
        for name, entries in changes.items():
            changelog.working_copy(name, KIND).put_all(entries)
            kept = expected.setdefault(name, {})
            for key, value in entries.items():
                if value is None:
                    kept.pop(key, None)
                else:
                    kept[key] = value
        following = changelog.commit(manifest, log, snapshot=b"s", arrivals={})
        if not fails:
            self.segments, self.manifest, self.expected = log.segments, following, expected
        return log

    def check(self, changelog: Changelog) -> None:
        for name, kept in self.expected.items():
            assert dict(changelog.working_copy(name, KIND).scan(None, None)) == kept

    def lose(self, worker: int) -> None:
        self.workers.pop(worker, None)


@dataclass
class Log:
    """A batch's view of the segments; kept only if the batch is."""

    cluster: Cluster
    segments: dict[int, bytes]
    written: int = 0
    removed: int = 0
    read: int = 0

    def get(self, seq: int) -> bytes | None:
        self.read += 1
        return self.segments.get(seq)

    def put(self, seq: int, segment: bytes) -> None:
        self.written += len(segment)
        self.segments[seq] = segment

    def remove(self, seq: int) -> None:
        self.removed += 1
        del self.segments[seq]


keys = st.binary(min_size=1, max_size=2)
entries = st.dictionaries(keys, st.none() | st.binary(max_size=3), max_size=6)
changes = st.dictionaries(st.sampled_from(["a", "b", "c"]), entries, max_size=3)
steps: Any = st.one_of(
    st.tuples(st.just("batch"), st.integers(0, 2), changes),
    st.tuples(st.just("fail"), st.integers(0, 2), changes),
    st.tuples(st.just("lose"), st.integers(0, 2), st.just({})),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(steps, max_size=25))
def test_a_worker_sees_what_was_committed_whoever_committed_it(script: list[Any]) -> None:
    cluster = Cluster()
    for step, worker, changed in script:
        if step == "lose":
            cluster.lose(worker)
        else:
            cluster.batch(worker, changed, fails=step == "fail")
    cluster.batch(99, {})


@settings(max_examples=60, deadline=None)
@given(st.lists(steps, max_size=25))
def test_rounds_of_slices_change_nothing(script: list[Any]) -> None:
    with patch("millstream.topology.spark.state.changelog.wants_round", lambda live, state: True):
        cluster = Cluster()
        for step, worker, changed in script:
            if step == "lose":
                cluster.lose(worker)
            else:
                cluster.batch(worker, changed, fails=step == "fail")
        cluster.batch(99, {})


def test_a_dropped_range_is_gone_on_every_worker() -> None:
    cluster = Cluster()
    cluster.batch(0, {"a": {b"1": b"x", b"2": b"y", b"3": b"z"}})
    cluster.batch(0, {"a": {b"4": b"w"}}, dropped=[("a", b"1", b"3")])
    cluster.batch(1, {})
    cluster.batch(0, {})

    assert cluster.expected == {"a": {b"3": b"z", b"4": b"w"}}


def test_the_worker_of_the_batch_before_reads_no_segments() -> None:
    cluster = Cluster()
    cluster.batch(0, {"a": {b"1": b"x"}})

    assert cluster.batch(0, {"a": {b"2": b"x"}}).read == 0


def test_a_worker_that_missed_batches_reads_only_those() -> None:
    cluster = Cluster()
    cluster.batch(0, {"a": {b"1": b"x"}})
    for number in range(20):
        cluster.batch(1, {"a": {b"%d" % number: b"y"}})
    cluster.batch(0, {})
    cluster.batch(1, {"a": {b"2": b"z"}})

    # One more look at the first of them proves that they follow on what the worker has.
    assert cluster.batch(0, {}).read == 1 + 1


def test_a_failed_attempt_is_forgotten_without_reading() -> None:
    cluster = Cluster()
    cluster.batch(0, {"a": {b"1": b"x"}})
    cluster.batch(0, {"a": {b"1": b"wrong", b"2": b"wrong"}}, fails=True)

    assert cluster.batch(0, {}).read == 0
    assert cluster.expected == {"a": {b"1": b"x"}}


def test_a_branch_that_was_rolled_back_is_not_continued() -> None:
    cluster = Cluster()
    cluster.batch(0, {"a": {b"1": b"x"}})
    before = dict(cluster.segments), cluster.manifest, dict(cluster.expected)
    cluster.batch(0, {"a": {b"2": b"dead"}})
    cluster.batch(0, {})  # the worker has applied it
    cluster.segments, cluster.manifest, cluster.expected = before
    cluster.batch(1, {"a": {b"3": b"live"}})
    cluster.batch(0, {})

    assert cluster.expected == {"a": {b"1": b"x", b"3": b"live"}}


def test_a_batch_without_changes_writes_no_segment() -> None:
    cluster = Cluster()
    cluster.batch(0, {"a": {b"1": b"x"}})

    assert cluster.batch(0, {}).written == 0


def test_no_batch_pays_for_the_whole_state() -> None:
    cluster, random = Cluster(), Random(1)
    state_entries, batch_entries = 20_000, 500
    for start in range(0, state_entries, 1000):
        keys = range(start, start + 1000)
        cluster.batch(0, {"a": {b"%08d" % n: random.randbytes(100) for n in keys}})
    state_bytes = sum(len(k) + len(v) for k, v in cluster.expected["a"].items())
    sizes, removed = [], []
    rounds = 0
    for batch in range(120):
        first = cluster.manifest.first
        picked = ((batch * 7919 + n * 37) % state_entries for n in range(batch_entries))
        log = cluster.batch(0, {"a": {b"%08d" % key: random.randbytes(100) for key in picked}})
        sizes.append(log.written)
        removed.append(log.removed)
        rounds += cluster.manifest.first != first
    change_bytes = batch_entries * 120

    assert rounds >= 2
    assert max(sizes) < 3 * change_bytes + 64 * 1024 < state_bytes / 4
    assert max(removed) <= 64 + 8
    assert cluster.manifest.live < 4 * (state_bytes + SEGMENT_COST * len(cluster.segments))
    assert min(cluster.segments) == cluster.manifest.oldest
    cluster.batch(1, {})


def test_a_restore_reads_from_the_last_full_round_on() -> None:
    cluster = Cluster()
    random = Random(1)
    for _ in range(60):
        cluster.batch(0, {"a": {b"%d" % n: random.randbytes(2000) for n in range(50)}})
    read = cluster.batch(1, {}).read

    assert cluster.manifest.first > 0
    assert read <= cluster.manifest.position.seq - cluster.manifest.first + 1


def damaged(cluster: Cluster, change: Callable[[bytes], bytes]) -> None:
    seq = cluster.manifest.position.seq - 1
    cluster.segments[seq] = change(cluster.segments[seq])
    cluster.batch(7, {})


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda blob: blob[:-1], "Its checksum does not fit its bytes"),
        (lambda blob: blob[:5], "It has only 5 bytes"),
        (lambda blob: b"", "It has only 0 bytes"),
        (lambda blob: blob[:-3] + bytes([blob[-3] ^ 1]) + blob[-2:], "Its checksum does not fit"),
        (lambda blob: bytes([9]) + blob[1:], "Its format has version 9"),
        (lambda blob: blob[:3] + bytes([blob[3] ^ 1]) + blob[4:], "Its checksum does not fit"),
    ],
)
def test_a_damaged_segment_is_refused(change: Callable[[bytes], bytes], text: str) -> None:
    cluster = Cluster()
    cluster.batch(0, {"a": {b"%d" % n: b"x" * 50 for n in range(100)}})

    with pytest.raises(ProcessorStateException, match=text):
        damaged(cluster, change)


def test_a_missing_segment_is_refused() -> None:
    cluster = Cluster()
    for number in range(3):
        cluster.batch(0, {"a": {b"%d" % number: b"x"}})
    del cluster.segments[1]

    with pytest.raises(ProcessorStateException, match="segment 1 of the checkpoint"):
        cluster.batch(1, {})


def test_a_segment_of_another_history_is_refused() -> None:
    cluster, other = Cluster(), Cluster()
    for number in range(3):
        cluster.batch(0, {"a": {b"%d" % number: b"x"}})
        other.batch(0, {"a": {b"%d" % number: b"x"}})
    cluster.segments[1] = other.segments[1]

    with pytest.raises(ProcessorStateException, match="not written after the segment before it"):
        cluster.batch(1, {})


def test_a_manifest_reads_back_and_a_damaged_one_is_refused() -> None:
    manifest = Manifest(
        position=ChangelogPosition(7, bytes(range(16))),
        step=b"12345678",
        stores={"counts": "rocksdb"},
        arrivals={"app-x-repartition": 12},
        snapshot=b"\x01{}",
    )
    data = manifest.encode()

    assert Manifest.decode(data) == manifest
    for bad in (data[:4], data[:-1], data[:-1] + b"?", bytes([2]) + data[1:]):
        with pytest.raises(ProcessorStateException, match="a task's manifest"):
            Manifest.decode(bad)
