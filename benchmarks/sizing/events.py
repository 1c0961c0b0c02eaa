"""What the tasks of a batch use, read from Spark's event log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

_BATCH = "streaming.sql.batchId"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCosts:
    """Medians over batches."""

    tasks: float
    """Tasks of a batch."""
    run_ms: float
    """From the start to the end of each task, added up: how long they had a core."""
    jvm_cpu_ms: float
    """Processor time of their threads in the JVM, added up."""
    result_bytes: float
    """What a batch's tasks send to the driver, added up."""


def task_costs(events: Iterable[Mapping[str, Any]], first: int, last: int) -> TaskCosts:
    """Return what the tasks of some batches use.

    Args:
        events: Of Spark's log.
        first: Number of the first batch that counts.
        last: Number of the last one.
    """
    batch_of: dict[int, int] = {}
    tasks: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for event in events:
        if event["Event"] == "SparkListenerJobStart":
            number = (event.get("Properties") or {}).get(_BATCH)
            if number is not None:
                batch_of |= dict.fromkeys(event["Stage IDs"], int(number))
        elif event["Event"] == "SparkListenerTaskEnd" and event["Stage ID"] in batch_of:
            tasks[batch_of[event["Stage ID"]]].append(event)
    counted = [tasks[number] for number in sorted(tasks) if first <= number <= last]
    return TaskCosts(
        tasks=_typical(counted, lambda _: 1.0),
        run_ms=_typical(counted, _run_ms),
        jvm_cpu_ms=_typical(counted, _cpu_ms),
        result_bytes=_typical(counted, lambda task: _metric(task, "Result Size")),
    )


def _typical(batches: Sequence[Sequence[Mapping[str, Any]]], of: Any) -> float:
    return median(sum(map(of, tasks)) for tasks in batches) if batches else 0.0


def _run_ms(task: Mapping[str, Any]) -> float:
    info = task["Task Info"]
    return float(info["Finish Time"] - info["Launch Time"])


def _cpu_ms(task: Mapping[str, Any]) -> float:
    nanos = _metric(task, "Executor CPU Time") + _metric(task, "Executor Deserialize CPU Time")
    return nanos / 1e6


def _metric(task: Mapping[str, Any], name: str) -> float:
    return float((task.get("Task Metrics") or {}).get(name, 0))
