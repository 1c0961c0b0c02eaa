"""Bytes of a key: in segments of the checkpoint, on the disk of a worker, and in its memory.

Neither Spark nor a broker is needed: a task's changelog writes the segments that it would write,
over the store that it would have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.soak.samples import MB, of_directory
from benchmarks.stores.catch_up import FakeState, Worker, cpu_seconds
from benchmarks.stores.measure import as_in_a_worker, resident

BATCH = 10_000
"""Keys that come in a batch."""
_TIME = bytes(8)
"""What a table keeps before the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a store of so many keys takes."""

    store: str
    keys: int
    segment_bytes: int
    """Of the segments that restore it."""
    entries: int
    """In these segments: a key once, and again where the rolling rewrite has passed it."""
    copy_bytes: float
    """Of the working copy on the disk."""
    own_bytes: int
    """Of the process's memory, without mapped files."""
    mapped_bytes: int
    """Of mapped files in memory: the system takes them back when it needs room."""
    restore_s: float
    """Processor time to build the store from its segments."""


def held(store: str, keys: int, size: int) -> Held:
    """Fill a store, and return what it takes; for a process of its own.

    Args:
        store: Kind of its byte store.
        keys: Each comes once, in no order.
        size: Bytes of a value.
    """
    state = FakeState()
    with TemporaryDirectory(prefix="millstream-bench-") as folder, as_in_a_worker():
        worker = Worker(store, Path(folder) / "worker")
        before = resident()
        for batch in _batches(keys, size):
            worker.batch(state, batch)
        # The last batch's changes reach the byte store with the next one.
        worker.batch(state, {})
        segments = sum(len(segment) for (segment,) in state.segments.values())
        after = resident()
        copied = of_directory(Path(folder) / "worker")["MB"] * MB
        cold = Worker(store, Path(folder) / "cold")
        restore_s = cpu_seconds(lambda: cold.catch_up(state))
        entries = sum(count for _, count in cold.changelog.rebuilt[0].steps)
        worker.changelog.close()
        cold.changelog.close()
    return Held(
        store=store,
        keys=keys,
        segment_bytes=segments,
        entries=entries,
        copy_bytes=copied,
        own_bytes=after["own"] - before["own"] - segments,
        mapped_bytes=after["mapped"] - before["mapped"],
        restore_s=restore_s,
    )


def _batches(keys: int, size: int) -> Iterator[dict[bytes, bytes | None]]:
    rng = Random(keys)
    numbers = rng.sample(range(keys), keys)
    for at in range(0, keys, BATCH):
        yield {b"key-%09d" % number: cell(rng, size) for number in numbers[at : at + BATCH]}


def cell(rng: Random, size: int) -> bytes:
    """Return a time and a value; half of it can be compressed, as in most that people have."""
    return _TIME + rng.randbytes(size // 4).hex().encode().ljust(size, b" ")
