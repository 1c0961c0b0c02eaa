"""Cost of a batch by the number of partitions, at a low rate."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.latency.batches import TOTAL
from benchmarks.latency.load import Feeder
from benchmarks.latency.shapes import RESULTS, SOURCE
from benchmarks.latency.tasks import event_log, events
from benchmarks.sizing.application import Application, Batch, connections, running
from benchmarks.sizing.events import TaskCosts, task_costs
from millstream.testing.broker import EmbeddedBroker

KEYS = 10_000
_START_S = 400.0
_FEWEST = 5
"""Batches that are measured at least."""
_DRIVER = ("stream executio", "dag-scheduler-e", "dispatcher-even", "task-result-get")
"""Threads that do the driver's work of a batch: all wait for each other."""
_COMPILERS = ("C1 CompilerThre", "C2 CompilerThre")
_PYTHON = ("pack", "stage", "sink", "driver", "other")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What a batch costs with so many partitions; medians."""

    partitions: int
    batches: int
    """How many were measured."""
    batch_ms: float
    parts: Mapping[str, float] = field(default_factory=dict)
    """Part of a batch -> its duration, by Spark's names."""
    tasks: float
    """Spark's tasks in a batch."""
    run_ms: float
    """How long tasks had a core, added up."""
    task_cpu_ms: float
    """Processor time of the tasks' threads in the JVM, added up."""
    jvm_cpu_ms: float
    """Processor time of the whole JVM for a batch."""
    driver_cpu_ms: float
    """Of it the threads that do the driver's work, one after the other."""
    compiler_cpu_ms: float
    """Of it Java's compilers, which have less to do later."""
    python_cpu_ms: float
    """Processor time of all Python processes for a batch."""
    result_bytes: float
    """What a batch's tasks send to the driver."""
    jvm_mb: float
    workers_mb: float
    """Of all Python workers together."""
    workers: int
    connections: int
    """Of the broker."""
    state_files: int
    """In Spark's own state in the checkpoint, at the end."""
    segment_files: int
    """In the checkpoint's directory of segments."""
    committed: int
    """Batches until then."""
    load: float
    """The machine's load at the end."""


def measured(
    partitions: int, *, rate: int, cores: int, warm_up_s: float, seconds: float, folder: Path
) -> Point:
    """Run a count by key at a low rate, and return what its batches cost.

    Raises:
        BenchmarkError: The application ended, or had no batch in time.
    """
    folder.mkdir(parents=True)
    with EmbeddedBroker() as broker:
        broker.create_topics(SOURCE, RESULTS, partitions=partitions)
        config = {
            "application.id": "sizing",
            "sizing.shape": "count",
            "bootstrap.servers": broker.bootstrap_servers,
            "auto.offset.reset": "earliest",
            "processing.guarantee": "exactly_once_v2",
            "millstream.checkpoint.location": str(folder / "checkpoint"),
            "spark.master": f"local[{cores}]",
            **event_log(folder / "events"),
        }
        with Feeder(broker.bootstrap_servers, rate, KEYS), running(config, folder) as application:
            application.wait_for(lambda: bool(application.batches), _START_S)
            time.sleep(warm_up_s)
            first = len(application.batches)
            application.wait_for(lambda: len(application.batches) > first, _START_S)
            threads = application.thread_cpu_ms()
            time.sleep(seconds)
            until = max(len(application.batches), first + _FEWEST)
            application.wait_for(lambda: len(application.batches) > until, _START_S)
            taken = application.batches[first:]
            found = _used(application, taken, threads)
            open_now, load = connections(broker.port), os.getloadavg()[0]
            application.close()
    tasks = task_costs(events(folder / "events"), taken[0].number + 1, taken[-1].number)
    return _point(partitions, taken, found, tasks, folder / "checkpoint", (open_now, load))


@dataclass(frozen=True, slots=True)
class _Used:
    jvm_ms: float
    driver_ms: float
    compiler_ms: float
    python_ms: float
    jvm_mb: float
    workers_mb: tuple[float, ...]


def _used(application: Application, taken: list[Batch], before: Mapping[str, float]) -> _Used:
    """Return what a batch has used, from the end of the first to that of the last."""
    count = len(taken) - 1
    cpu_s = application.meter.costs(taken[0].seen_us, taken[-1].seen_us).cpu_s
    threads = application.thread_cpu_ms()
    memory = application.memory_mb()

    def spent(names: tuple[str, ...]) -> float:
        return sum(threads.get(name, 0.0) - before.get(name, 0.0) for name in names) / count

    workers = [size for kind in ("pack", "stage", "sink") for size in memory.get(kind, [])]
    return _Used(
        1000 * cpu_s.get("JVM", 0.0) / count,
        spent(_DRIVER),
        spent(_COMPILERS),
        1000 * sum(cpu_s.get(kind, 0.0) for kind in _PYTHON) / count,
        max(memory.get("JVM", [0.0])),
        tuple(workers),
    )


def _point(
    partitions: int,
    taken: list[Batch],
    used: _Used,
    tasks: TaskCosts,
    checkpoint: Path,
    seen: tuple[int, float],
) -> Point:
    counted = taken[1:]
    names = sorted({name for batch in counted for name in batch.ms})
    parts = {name: float(median(batch.ms.get(name, 0) for batch in counted)) for name in names}
    files = [path.relative_to(checkpoint) for path in checkpoint.rglob("*") if path.is_file()]
    return Point(
        partitions=partitions,
        batches=len(counted),
        batch_ms=parts.pop(TOTAL),
        parts=parts,
        tasks=tasks.tasks,
        run_ms=tasks.run_ms,
        task_cpu_ms=tasks.jvm_cpu_ms,
        jvm_cpu_ms=used.jvm_ms,
        driver_cpu_ms=used.driver_ms,
        compiler_cpu_ms=used.compiler_ms,
        python_cpu_ms=used.python_ms,
        result_bytes=tasks.result_bytes,
        jvm_mb=used.jvm_mb,
        workers_mb=sum(used.workers_mb),
        workers=len(used.workers_mb),
        connections=seen[0],
        state_files=sum("state" in path.parts for path in files),
        segment_files=sum("segments" in path.parts for path in files),
        committed=taken[-1].number + 1,
        load=seen[1],
    )
