"""Measurement of one pass of a workload, a floor or the test driver."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.engine.floors import FLOORS
from benchmarks.engine.host import ListHost
from benchmarks.engine.workloads import LEFT, OUT, WORKLOADS, Workload
from millstream import Serdes, StreamsConfig
from millstream.core.chunk import RawChunk
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.processor import TaskId
from millstream.testing import TopologyTestDriver

Batch = list[RawChunk]
Step = Callable[[Batch], None]

DRIVER_RECORDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """What one pass took."""

    records: int
    wall_s: float
    cpu_s: float
    outputs: int
    """Records that came out, those of the warm-up too."""

    @property
    def rate(self) -> float:
        """Records a second of wall clock."""
        return self.records / self.wall_s

    @property
    def cpu_rate(self) -> float:
        """Records a second of CPU time."""
        return self.records / self.cpu_s


def workload_timing(workload: Workload, records: int, batch: int) -> Timing:
    """Run a workload through a new task."""
    warm_up, counted = _batches(workload, records, batch)
    configs = {"application.id": "bench", "bootstrap.servers": "nowhere:0", **workload.configs}
    settings = TaskSettings.of(StreamsConfig(configs))
    plan = workload.build().plan()
    with TemporaryDirectory(prefix="millstream-bench-") as folder:
        host = ListHost(settings.configs, Path(folder))
        task = Task(plan, plan.subtopologies, TaskId(0, 0), settings, host)
        host.reads = task.reads

        def step(chunks: Batch) -> None:
            while chunks:
                for chunk in chunks:
                    task.add(chunk)
                task.run()
                task.commit()
                chunks = host.drain()
            host.apply()

        try:
            return _timed(step, warm_up, counted, records, lambda: host.outputs)
        finally:
            task.close()
            host.close()


def floor_timing(name: str, records: int, batch: int) -> Timing:
    """Run the records of a count through a floor."""
    warm_up, counted = _batches(WORKLOADS["count"], records, batch)
    with TemporaryDirectory(prefix="millstream-bench-") as folder:
        floor = FLOORS[name](Path(folder))
        try:
            return _timed(floor.step, warm_up, counted, records, lambda: floor.outputs)
        finally:
            floor.close()


def driver_ms(times: int) -> float:
    """Return the median time of one small test of a word count, milliseconds."""
    text, count = Serdes.String(), Serdes.Long()
    workload = WORKLOADS["count-rocksdb"]
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        with TopologyTestDriver(workload.build()) as driver:
            words = driver.createInputTopic(LEFT, text.serializer(), text.serializer())
            counts = driver.createOutputTopic(OUT, text.deserializer(), count.deserializer())
            for number in range(DRIVER_RECORDS):
                words.pipeInput("word", "word", number)
            results = counts.readKeyValuesToList()
        taken.append(time.perf_counter() - start)
        assert results[-1].value == DRIVER_RECORDS
    return median(taken) * 1000


def _timed(
    step: Step, warm_up: list[Batch], counted: list[Batch], records: int, outputs: Callable[[], int]
) -> Timing:
    with _collecting_as_workers_do():
        for chunks in warm_up:
            step(chunks)
        wall, cpu = time.perf_counter(), time.process_time()
        for chunks in counted:
            step(chunks)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Timing(records=records, wall_s=wall, cpu_s=cpu, outputs=outputs())


@contextmanager
def _collecting_as_workers_do() -> Iterator[None]:
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _batches(workload: Workload, records: int, size: int) -> tuple[list[Batch], list[Batch]]:
    """Return the batches of the warm-up and the counted ones."""
    warm_up = -(-records // 4)
    rows = workload.records(warm_up + records)
    offsets: dict[str, int] = {}
    parts = []
    for part in (rows[:warm_up], rows[warm_up:]):
        starts = range(0, len(part), size)
        parts.append([_batch(part[start : start + size], offsets) for start in starts])
    return parts[0], parts[1]


def _batch(rows: list[tuple[str, bytes, bytes, int]], offsets: dict[str, int]) -> Batch:
    """Return one chunk per topic, and count the topics' offsets on."""
    by_topic: dict[str, list[tuple[bytes, bytes, int]]] = {}
    for topic, key, value, timestamp in rows:
        by_topic.setdefault(topic, []).append((key, value, timestamp))
    chunks = []
    for topic, records in by_topic.items():
        first = offsets.get(topic, 0)
        offsets[topic] = first + len(records)
        chunk = RawChunk(
            topic=topic,
            partition=0,
            offsets=range(first, offsets[topic]),
            timestamps=[timestamp for _, _, timestamp in records],
            keys=[key for key, _, _ in records],
            values=[value for _, value, _ in records],
        )
        chunks.append(chunk)
    return chunks
