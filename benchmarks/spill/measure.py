"""Measurement of one pass: windowed counts, final results only, one task in this process."""

from __future__ import annotations

import gc
import hashlib
import random
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.engine.host import ListHost
from millstream import (
    BufferConfig,
    Consumed,
    Grouped,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    Suppressed,
    TimeWindows,
    Topology,
)
from millstream.core.chunk import RawChunk
from millstream.core.engine.output import SentChunk
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.processor import TaskId

ROCKSDB_BYTES = 16 << 20
CACHE_BYTES = 1 << 20
"""Of the counts above: little, so that what grows is the buffer."""
WINDOW_MS = 1_000_000_000
BUFFERS = ("memory", "spill")

_TEXT, _COUNT = Serdes.String(), Serdes.Long()


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much a pass does."""

    keys: int
    updates: int
    """Of each key in each window."""
    windows: int
    budget_bytes: int
    batch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """What one pass took."""

    records: int
    seconds: float
    outputs: int
    digest: str
    """Of the results, in order."""
    grown_mb: float
    """How much larger the process was at its largest than before the first record."""

    @property
    def rate(self) -> float:
        """Records a second."""
        return self.records / self.seconds


class DigestHost(ListHost):
    """Keeps a checksum of what leaves, instead of the records."""

    def __init__(self, configs: Any, folder: Path) -> None:
        super().__init__(configs, folder)
        self.digest = hashlib.sha256()

    def send_chunk(self, chunk: SentChunk) -> None:
        self.outputs += len(chunk)
        for row in zip(chunk.keys, chunk.values, chunk.timestamps, strict=True):
            self.digest.update(repr(row).encode())


def run(buffer: str, size: Size) -> Pass:
    """Run all records through a new task."""
    configs = {
        "application.id": "bench",
        "bootstrap.servers": "nowhere:0",
        "millstream.rocksdb.memory.bytes": ROCKSDB_BYTES,
        "statestore.cache.max.bytes": CACHE_BYTES,
    }
    settings = TaskSettings.of(StreamsConfig(configs))
    plan = _topology(buffer, size).plan()
    gc.set_threshold(200_000, 20, 100)
    with TemporaryDirectory(prefix="millstream-bench-") as folder:
        host = DigestHost(settings.configs, Path(folder))
        task = Task(plan, plan.subtopologies, TaskId(0, 0), settings, host)
        before, records, start = _peak_mb(), 0, time.perf_counter()
        for chunk in _chunks(size):
            task.add(chunk)
            task.run()
            task.commit()
            host.apply()
            records += len(chunk)
        seconds = time.perf_counter() - start
        grown = _peak_mb() - before
        task.close()
        host.close()
    return Pass(
        records=records,
        seconds=seconds,
        outputs=host.outputs,
        digest=host.digest.hexdigest(),
        grown_mb=grown,
    )


def _topology(buffer: str, size: Size) -> Topology:
    builder = StreamsBuilder()
    config: Any = BufferConfig.unbounded()
    if buffer == "spill":
        config = BufferConfig.maxBytes(size.budget_bytes).spillToDiskWhenFull()
    counts: Any = (
        builder.stream("in", Consumed.with_(_TEXT, _TEXT))
        .groupByKey(Grouped.with_(_TEXT, _TEXT))
        .windowedBy(TimeWindows.ofSizeWithNoGrace(WINDOW_MS))
        .count(Materialized.as_("counts"))
        .suppress(Suppressed.untilWindowCloses(config))
        .toStream(lambda key, value: key.key())
    )
    counts.to("out", Produced.with_(_TEXT, _COUNT))
    return builder.build()


def _chunks(size: Size) -> Iterator[RawChunk]:
    """Yield the records in batches: windows one after the other, keys at random."""
    rng = random.Random(0)
    offset = 0
    # The last window only closes the one before.
    for window in range(size.windows + 1):
        left = size.keys * size.updates if window < size.windows else 1
        while left:
            count = min(left, size.batch)
            times = range(window * WINDOW_MS + offset, window * WINDOW_MS + offset + count)
            keys: list[bytes | None] = [b"key-%d" % rng.randrange(size.keys) for _ in range(count)]
            yield RawChunk("in", 0, range(offset, offset + count), times, keys, [b"v"] * count)
            offset += count
            left -= count


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
