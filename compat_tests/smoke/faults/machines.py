"""Faults of machines: an executor, memory, and the clock."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import pyspark

from compat_tests.smoke.faults.fault import Fault
from compat_tests.smoke.proc import command, descendants, kill_all
from compat_tests.smoke.rig import FaultFailed, Rig

EXECUTOR = "CoarseGrainedExecutorBackend"
SOURCE = Path(__file__).parent / "clock.c"
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
    clock, library = rig.directory / "clock", rig.directory / "clock.so"
    clock.write_text("0\n")
    compiler = [str(_compiler()), "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"]
    subprocess.run(compiler, check=True)
    before = rig.environment
    rig.environment = before | {"LD_PRELOAD": str(library), "SMOKE_CLOCK": str(clock)}
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


def _compiler() -> str | None:
    return shutil.which("cc") or shutil.which("gcc")


def _no_compiler(_: Rig) -> str:
    return "" if _compiler() and sys.platform == "linux" else "there is no C compiler on Linux"


FAULTS = (
    Fault("executor-killed", kill_executor, weight=0, lives=True),
    Fault("worker-out-of-memory", take_memory, weight=1),
    Fault("clock-jumps", jump, weight=0, lives=True, impossible=_no_compiler),
)
