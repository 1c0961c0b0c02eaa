"""Faults of machines: an executor, memory, and the clock."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import pyspark

from compat_tests.smoke.faults.fault import Fault
from compat_tests.smoke.proc import command, descendants, kill_all
from compat_tests.smoke.rig import FaultFailed, Rig

EXECUTOR = "CoarseGrainedExecutorBackend"
FAKETIME = (
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
)
MORE_BYTES = 1 << 20


def kill_executor(rig: Rig, random: Random) -> None:
    """Run on a cluster of two executors, and kill one of them with its workers."""
    rig.close()
    with _without_new_work():
        rig.overrides["spark.master"] = "local-cluster[2,1,1024]"
        rig.start()
        rig.wait_for_output()
        executors = [pid for pid in rig.pids() if EXECUTOR in command(pid)]
        if len(executors) != 2:
            raise FaultFailed(f"there are {len(executors)} executors, not 2")
        kill_all(descendants(random.choice(executors)))
        rig.wait_for_output()
        rig.close()
        del rig.overrides["spark.master"]
    rig.start()


@contextmanager
def _without_new_work() -> Iterator[None]:
    """Remove the executors' logs, which this kind of cluster leaves in pyspark's own folder."""
    work = Path(pyspark.__file__).parent / "work"
    before = set(work.glob("*"))
    try:
        yield
    finally:
        for left in set(work.glob("*")) - before:
            shutil.rmtree(left, ignore_errors=True)


def take_memory(rig: Rig, random: Random) -> None:
    """Give a worker no more memory than it has: its next larger allocation fails."""
    workers = rig.worker_pids()
    if not workers:
        return
    pid = random.choice(workers)
    with suppress(ProcessLookupError):
        size = int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * resource.getpagesize()
        resource.prlimit(pid, resource.RLIMIT_AS, (size + MORE_BYTES, size + MORE_BYTES))


def jump(rig: Rig, random: Random) -> None:
    """Let the application's clock jump two hours forth, and back to an hour ago."""
    del random
    rig.close()
    clock = rig.directory / "clock"
    clock.write_text("+0\n")
    before = rig.environment
    rig.environment = before | {
        "LD_PRELOAD": _library(),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    try:
        rig.start()
        rig.wait_for_output()
        for offset in ("+7200\n", "-3600\n"):
            clock.write_text(offset)
            rig.wait_for_output()
        rig.close()
    finally:
        rig.environment = before
    rig.start()


def _library() -> str:
    return next((path for path in FAKETIME if os.path.exists(path)), "")


def _no_library(_: Rig) -> str:
    return "" if _library() else "libfaketime is not installed"


FAULTS = (
    Fault("executor-killed", kill_executor, weight=0, lives=True),
    Fault("worker-out-of-memory", take_memory, weight=1),
    Fault("clock-jumps", jump, weight=0, lives=True, impossible=_no_library),
)
