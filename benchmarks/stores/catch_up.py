"""Benchmark of a task's changelog: restore of a cold store, and batches at several state sizes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.stores.measure import as_in_a_worker
from millstream.core.store import ByteStore
from millstream.plugins.registry import open_store
from millstream.topology.spark.state.changelog import Changelog
from millstream.topology.spark.state.manifest import Manifest

STORE = "counts"
CHANGED = 1_000
"""Keys that a batch changes."""
FILL = 20_000
"""Keys that a batch changes while the state is made."""
VALUE_BYTES = 100
WARM_UP = 20
RESTORES = 3


@dataclass
class FakeState:
    """What Spark's map state and value state do, without the socket to the JVM."""

    segments: dict[tuple[int], tuple[bytes]] = field(default_factory=dict)
    manifest: bytes | None = None

    def get(self, seq: int) -> bytes | None:
        found = self.segments.get((seq,))
        return None if found is None else bytes(found[0])

    def put(self, seq: int, segment: bytes) -> None:
        self.segments[seq,] = (bytes(segment),)

    def remove(self, seq: int) -> None:
        del self.segments[seq,]


class Worker:
    """One worker's copy of one store."""

    def __init__(self, kind: str, folder: Path) -> None:
        folder.mkdir()
        self._kind = kind
        self._folder = folder
        self.changelog = Changelog(self._open)

    def batch(self, state: FakeState, changes: dict[bytes, bytes | None]) -> None:
        """Change keys and commit, as one batch does."""
        manifest = self.catch_up(state)
        self.changelog.working_copy(STORE, self._kind).put_all(changes)
        following = self.changelog.commit(manifest, state, snapshot=b"", arrivals={})
        state.manifest = following.encode()

    def catch_up(self, state: FakeState) -> Manifest:
        """Bring the copy to what is committed."""
        manifest = Manifest() if state.manifest is None else Manifest.decode(state.manifest)
        self.changelog.catch_up(manifest, state)
        return manifest

    def _open(self, store: str, kind: str) -> ByteStore:
        return open_store(kind, self._folder, {})


def catch_up_row(store: str, keys: int, batches: int) -> dict[str, Any]:
    """Return what a restore and a batch cost over a state of ``keys`` entries."""
    random = Random(keys)
    state = FakeState()
    with TemporaryDirectory(prefix="millstream-bench-") as folder, as_in_a_worker():
        worker = Worker(store, Path(folder) / "worker")
        numbers = random.sample(range(keys), keys)
        for at in range(0, keys, FILL):
            worker.batch(state, _changes(random, numbers[at : at + FILL]))
        times = []
        for _ in range(WARM_UP + batches):
            changes = _changes(random, random.sample(range(keys), CHANGED))
            times.append(cpu_seconds(lambda changes=changes: worker.batch(state, changes)))
        worker.changelog.close()
        restores = []
        for number in range(RESTORES):
            cold = Worker(store, Path(folder) / f"cold-{number}")
            restores.append(cpu_seconds(lambda cold=cold: cold.catch_up(state)))
            entries = sum(count for _, count in cold.changelog.rebuilt[0].steps)
            restored = cold.changelog.working_copy(STORE, store).scan(None, None)
            assert sum(1 for _ in restored) == keys
            cold.changelog.close()
    del times[:WARM_UP]
    typical = median(times)
    return {
        "restore_s": round(median(restores), 4),
        "restored_entries": entries,
        "restore_rate": round(entries / median(restores)),
        "batch_ms": round(typical * 1e3, 3),
        "worst_batch": round(max(times) / typical, 2),
        "changelog_bytes": sum(len(segment) for (segment,) in state.segments.values()),
    }


def _changes(random: Random, numbers: list[int]) -> dict[bytes, bytes | None]:
    return {b"key-%012d" % number: random.randbytes(VALUE_BYTES) for number in numbers}


def cpu_seconds(work: Any) -> float:
    """Return the processor time of this thread that a function takes."""
    start = time.thread_time()
    work()
    return time.thread_time() - start
