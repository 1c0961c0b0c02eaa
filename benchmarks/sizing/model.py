"""The model: what a batch takes, from constants.

A batch is serial work of the driver, then tasks, which share the cores, then the records' own work.
A constant that depends on the number of partitions is a straight line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from benchmarks.sizing.batches import Point


@dataclass(frozen=True, slots=True)
class Line:
    """A fixed part, and one for each partition."""

    fixed: float
    each: float

    def at(self, partitions: int) -> float:
        """Return the value for so many partitions."""
        return self.fixed + self.each * partitions


@dataclass(frozen=True, slots=True, kw_only=True)
class Constants:
    """What was measured; lines are by the number of partitions of a line with one stage."""

    serial_ms: Line
    """Processor time of the driver's threads for a batch, which work one after the other."""
    run_ms: Line
    """How long the tasks of a batch have a core, added up."""
    jvm_cpu_ms: Line
    """Processor time of the JVM for a batch."""
    python_cpu_ms: Line
    """Processor time of all Python processes for a batch."""
    result_bytes: Line
    """What a batch's tasks send to the driver."""
    connections: Line
    """Of the broker."""
    workers_mb: Line
    """Memory of all Python workers."""


def fitted(points: Iterable[tuple[float, float]]) -> Line:
    """Return the line of least squares through points; level through a single one."""
    found = sorted(points)
    at, values = zip(*found, strict=True)
    if len(set(at)) == 1:
        return Line(float(np.mean(values)), 0.0)
    each, fixed = np.polyfit(at, values, 1)
    return Line(float(fixed), float(each))


def constants(points: Sequence[Point]) -> Constants:
    """Return the constants of what batches cost with several numbers of partitions."""

    def line(values: Iterable[float]) -> Line:
        return fitted(zip((each.partitions for each in points), values, strict=True))

    return Constants(
        serial_ms=line(each.driver_cpu_ms for each in points),
        run_ms=line(each.run_ms for each in points),
        jvm_cpu_ms=line(each.jvm_cpu_ms for each in points),
        python_cpu_ms=line(each.python_cpu_ms for each in points),
        result_bytes=line(each.result_bytes for each in points),
        connections=line(each.connections for each in points),
        workers_mb=line(each.workers_mb for each in points),
    )


def batch_s(
    found: Constants, *, partitions: int, cores: int, records: float, cpu_s_per_million: float
) -> float:
    """Return how long a batch takes, in seconds.

    Args:
        found: The constants.
        partitions: Tasks of a stage.
        cores: Of all executors.
        records: Of the batch.
        cpu_s_per_million: What a million records take, without what a batch costs in any case.
    """
    waves = ceil(partitions / cores)
    tasks_ms = waves * found.run_ms.each + found.run_ms.fixed / cores
    work_s = records / 1e6 * cpu_s_per_million / min(cores, partitions)
    return (found.serial_ms.at(partitions) + max(tasks_ms, 0.0)) / 1000 + work_s


def steady_batch_s(
    found: Constants, *, partitions: int, cores: int, rate: float, cpu_s_per_million: float
) -> float:
    """Return how long a batch takes that reads what came in the meantime; infinite above capacity.

    Args:
        found: The constants.
        partitions: Tasks of a stage.
        cores: Of all executors.
        rate: Records a second.
        cpu_s_per_million: As in `batch_s`.
    """
    busy = rate / 1e6 * cpu_s_per_million / min(cores, partitions)
    empty = batch_s(
        found, partitions=partitions, cores=cores, records=0, cpu_s_per_million=cpu_s_per_million
    )
    return empty / (1 - busy) if busy < 1 else float("inf")


def own_cpu_s_per_million(
    found: Constants, *, cpu_s: float, records: int, batches: float, partitions: int
) -> float:
    """Return the processor time of a million records, without what their batches cost in any case.

    Args:
        found: The constants.
        cpu_s: What a drain has used, without the broker.
        records: That it has read.
        batches: In which it has read them.
        partitions: Tasks of a stage.
    """
    return max(0.0, cpu_s - batches * cpu_of_a_batch_s(found, partitions)) / records * 1e6


def cpu_of_a_batch_s(found: Constants, partitions: int) -> float:
    """Return the processor seconds of a batch with hardly any records."""
    return (found.jvm_cpu_ms.at(partitions) + found.python_cpu_ms.at(partitions)) / 1000
