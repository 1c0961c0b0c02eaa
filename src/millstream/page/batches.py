"""Batches of an application, with the time of their parts, from Spark's progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from millstream.topology.spark.part_times import PACK, SINK
from millstream.topology.spark.progress import packing_ms, records_of

KEPT = 60
"""How many batches the page shows."""
_READ, _PLAN = ("latestOffset", "getBatch"), ("queryPlanning",)
_COMMIT = ("walCommit", "commitOffsets", "commitBatch")

Progress = Mapping[str, Any]
Times = Mapping[str, float]
"""Part of a batch -> milliseconds."""
_NONE: Times = {}


class BatchHistory:
    """The last batches; those of a query that has been started again follow the earlier ones."""

    def __init__(self) -> None:
        self._batches: dict[int, Progress] = {}
        self._times: dict[int, Times] = {}

    def add(
        self, reports: Iterable[Progress], times: Callable[[int], Times] = lambda batch: {}
    ) -> None:
        """Add Spark's progress of batches; reports between batches are left out.

        Args:
            reports: Spark's progress.
            times: Returns the time of the parts of a batch that workers have measured.
        """
        for report in reports:
            if "addBatch" in (report.get("durationMs") or {}):
                number = int(report["batchId"])
                # A batch that is repeated after a failure is the last one again.
                self._batches.pop(number, None)
                self._batches[number] = report
                self._times[number] = times(number)
        for number in list(self._batches)[:-KEPT]:
            del self._batches[number]
            self._times.pop(number, None)

    def last(self) -> Progress | None:
        """Return the progress of the last batch."""
        return next(reversed(self._batches.values()), None)

    def rows(self) -> list[dict[str, Any]]:
        """Return the batches as the page shows them, oldest first."""
        return [row_of(each, self._times[number]) for number, each in self._batches.items()]


def row_of(report: Progress, times: Times = _NONE) -> dict[str, Any]:
    """Return one batch as the page shows it; ``times`` are those that workers have measured."""
    durations = report.get("durationMs") or {}
    return {
        "id": int(report["batchId"]),
        "started": time_of(report),
        "total_ms": int(durations.get("triggerExecution", 0)),
        "records": records_of(report),
        "parts": parts_of(report, times),
    }


def time_of(report: Progress) -> int | None:
    """Return when a batch began, in epoch milliseconds."""
    try:
        moment = datetime.fromisoformat(str(report.get("timestamp")).replace("Z", "+00:00"))
    except ValueError:
        return None
    return round(moment.timestamp() * 1000)


def parts_of(report: Progress, times: Times = _NONE) -> list[dict[str, Any]]:
    """Return the parts of a batch and their time in milliseconds; together they give the total.

    Spark measures each stage's work in its tasks, which run side by side: a stage gets its share of
    the time in which the batch ran, and so do packing and writing, whose tasks report their time.
    What is left of that time, or of the batch, is ``other``.
    """
    durations = {k: int(v) for k, v in (report.get("durationMs") or {}).items()}
    total, ran = durations.get("triggerExecution", 0), durations.get("addBatch", 0)

    def took(names: Iterable[str]) -> int:
        return sum(durations.get(name, 0) for name in names)

    parts = [("read", took(_READ)), ("plan", took(_PLAN))]
    parts += ran_of(report, times, ran)
    parts.append(("commit", took(_COMMIT)))
    parts.append(("other", max(0, total - sum(ms for _, ms in parts))))
    return [{"name": name, "ms": ms} for name, ms in parts if ms or name.startswith("stage")]


def ran_of(report: Progress, times: Times, ran_ms: int) -> list[tuple[str, int]]:
    """Return what happened while a batch ran: its packing, its stages and its writing.

    Spark numbers the operators from the end of the line.
    """
    operators = list(report.get("stateOperators") or ())[::-1]
    parts = [(f"stage {index}", _mean(each)) for index, each in enumerate(operators)]
    packed = [ms for ms in (times.get(PACK), packing_ms(report)) if ms is not None]
    if packed:
        parts.insert(0, (PACK, max(packed)))
    if SINK in times:
        parts.append((SINK, times[SINK]))
    whole = sum(ms for _, ms in parts)
    scale = min(1.0, ran_ms / whole) if whole else 0.0
    return [(name, round(ms * scale)) for name, ms in parts]


def _mean(operator: Mapping[str, Any]) -> float:
    work = sum(
        int(operator.get(name) or 0)
        for name in ("allUpdatesTimeMs", "allRemovalsTimeMs", "commitTimeMs")
    )
    return work / max(1, int(operator.get("numShufflePartitions") or 1))
