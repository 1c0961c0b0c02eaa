"""Batches of an application, with the time of their parts, from Spark's progress."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from millstream.topology.spark.progress import records_of

KEPT = 60
"""How many batches the page shows."""
_READ, _PLAN = ("latestOffset", "getBatch"), ("queryPlanning",)
_COMMIT = ("walCommit", "commitOffsets", "commitBatch")

Progress = Mapping[str, Any]


class BatchHistory:
    """The last batches; those of a query that has been started again follow the earlier ones."""

    def __init__(self) -> None:
        self._batches: dict[int, Progress] = {}

    def add(self, reports: Iterable[Progress]) -> None:
        """Add Spark's progress of batches; reports between batches are left out."""
        for report in reports:
            if "addBatch" in (report.get("durationMs") or {}):
                number = int(report["batchId"])
                # A batch that is repeated after a failure is the last one again.
                self._batches.pop(number, None)
                self._batches[number] = report
        for number in list(self._batches)[:-KEPT]:
            del self._batches[number]

    def last(self) -> Progress | None:
        """Return the progress of the last batch."""
        return next(reversed(self._batches.values()), None)

    def rows(self) -> list[dict[str, Any]]:
        """Return the batches as the page shows them, oldest first."""
        return [row_of(each) for each in self._batches.values()]


def row_of(report: Progress) -> dict[str, Any]:
    """Return one batch as the page shows it."""
    durations = report.get("durationMs") or {}
    return {
        "id": int(report["batchId"]),
        "started": time_of(report),
        "total_ms": int(durations.get("triggerExecution", 0)),
        "records": records_of(report),
        "parts": parts_of(report),
    }


def time_of(report: Progress) -> int | None:
    """Return when a batch began, in epoch milliseconds."""
    try:
        moment = datetime.fromisoformat(str(report.get("timestamp")).replace("Z", "+00:00"))
    except ValueError:
        return None
    return round(moment.timestamp() * 1000)


def parts_of(report: Progress) -> list[dict[str, Any]]:
    """Return the parts of a batch and their time in milliseconds; together they give the total.

    Spark measures each stage's work in its tasks, which run side by side: a stage gets its share of
    the time in which the batch ran. What is left of that time, or of the batch, is ``other``: the
    records' way from Kafka, between stages and to Kafka.
    """
    durations = {k: int(v) for k, v in (report.get("durationMs") or {}).items()}
    total, ran = durations.get("triggerExecution", 0), durations.get("addBatch", 0)

    def took(names: Iterable[str]) -> int:
        return sum(durations.get(name, 0) for name in names)

    parts = [("read", took(_READ)), ("plan", took(_PLAN))]
    parts += stages_of(report, ran)
    parts.append(("commit", took(_COMMIT)))
    parts.append(("other", max(0, total - sum(ms for _, ms in parts))))
    return [{"name": name, "ms": ms} for name, ms in parts if ms or name.startswith("stage")]


def stages_of(report: Progress, ran_ms: int) -> list[tuple[str, int]]:
    """Return the share of each stage in the time in which a batch ran.

    Spark numbers the operators from the end of the line.
    """
    operators = list(report.get("stateOperators") or ())[::-1]
    side_by_side = [_longest(each) for each in operators]
    whole = sum(side_by_side)
    scale = min(1.0, ran_ms / whole) if whole else 0.0
    return [(f"stage {index}", round(ms * scale)) for index, ms in enumerate(side_by_side)]


def _longest(operator: Mapping[str, Any]) -> float:
    work = sum(
        int(operator.get(name) or 0)
        for name in ("allUpdatesTimeMs", "allRemovalsTimeMs", "commitTimeMs")
    )
    return work / max(1, int(operator.get("numShufflePartitions") or 1))
