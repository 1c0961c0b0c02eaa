"""Time and memory of this process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_STATUS = Path("/proc/self/status")


def micros(work: Callable[[], object], times: int) -> float:
    """Return microseconds of this thread's CPU time for each of ``times`` repetitions in a call.

    Not wall clock, which other processes lengthen; not the whole process's time either, as the
    background threads of one side would be counted while the other side is at work.
    """
    start = time.thread_time()
    work()
    return (time.thread_time() - start) / times * 1e6


def resident() -> dict[str, int]:
    """Return bytes of memory: this process's own, and of files that all processes share."""
    gc.collect()
    found = {}
    for line in _STATUS.read_text().splitlines():
        name, _, rest = line.partition(":")
        if name in ("RssAnon", "RssFile"):
            found[name] = int(rest.split()[0]) * 1024
    return {"own": found["RssAnon"], "mapped": found["RssFile"]}


@contextmanager
def as_in_a_worker() -> Iterator[None]:
    """Collect garbage as rarely as Spark's workers do."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)
    yield
    gc.set_threshold(*before)
    gc.unfreeze()
