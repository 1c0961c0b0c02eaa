"""Where the time of a batch's tasks goes, read from Spark's event log."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

PYTHON = "time to run Python workers"
LOAD = "RocksDB: load - time taken to load the store"
COMMIT = "time to commit changes"
PARTS = (PYTHON, LOAD, COMMIT)
"""Spark's names of the measured parts of a task.

Of two Python operators in one task the second waits for the first, so the longest counts.
"""


def event_log(folder: Path) -> dict[str, str]:
    """Return the settings with which Spark writes its event log to a directory."""
    folder.mkdir(parents=True)
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": folder.as_uri(),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTimes:
    """Medians of a stage's tasks over the batches, in milliseconds."""

    tasks: int
    begins: float
    """From the job's start to the stage's."""
    waits: float
    """From the stage's start to the task's."""
    runs: float
    """From the task's start to its end."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """Part of a task -> its time."""


def stage_times(folder: Path) -> list[StageTimes]:
    """Return the stages of the batches' jobs in their order, over the last two thirds of them."""
    jobs: dict[int, tuple[int, list[int]]] = {}
    begun: dict[int, int] = {}
    tasks: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for event in events(folder):
        kind = event["Event"]
        if kind == "SparkListenerJobStart":
            if "streaming.sql.batchId" in (event.get("Properties") or {}):
                jobs[event["Job ID"]] = event["Submission Time"], sorted(event["Stage IDs"])
        elif kind == "SparkListenerStageCompleted":
            info = event["Stage Info"]
            begun[info["Stage ID"]] = info["Submission Time"]
        elif kind == "SparkListenerTaskEnd":
            tasks[event["Stage ID"]].append(event["Task Info"])
    settled = [jobs[number] for number in sorted(jobs)][len(jobs) // 3 :]
    found: list[StageTimes] = []
    for place in range(max((len(stages) for _, stages in settled), default=0)):
        ran = [(at, stages[place]) for at, stages in settled if len(stages) > place]
        ran = [(at, stage) for at, stage in ran if stage in begun and tasks[stage]]
        if ran:
            found.append(_medians(ran, begun, tasks))
    return found


def _medians(
    ran: Sequence[tuple[int, int]],
    begun: Mapping[int, int],
    tasks: Mapping[int, Sequence[Mapping[str, Any]]],
) -> StageTimes:
    every = [(begun[stage], info) for _, stage in ran for info in tasks[stage]]
    parts = {part: [_accumulated(info, part) for _, info in every] for part in PARTS}
    return StageTimes(
        tasks=len(every),
        begins=median(begun[stage] - at for at, stage in ran),
        waits=median(info["Launch Time"] - at for at, info in every),
        runs=median(info["Finish Time"] - info["Launch Time"] for _, info in every),
        parts={part: median(values) for part, values in parts.items() if any(values)},
    )


def _accumulated(info: Mapping[str, Any], name: str) -> float:
    updates = [
        float(each["Update"])
        for each in info.get("Accumulables", [])
        if each.get("Name") == name and "Update" in each
    ]
    return max(updates, default=0.0)


def events(folder: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the events of all logs in a directory."""
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        if file.name.startswith(("appstatus", ".")):
            continue
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)


def tasks_table(title: str, stages: Sequence[StageTimes]) -> str:
    """Return Markdown with a line for each stage of a batch, in milliseconds."""
    columns = ["begins after", "task waits", "task", "of it Python", "store: load", "store: commit"]
    lines = [f"| {title} | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for number, each in enumerate(stages, 1):
        parts = " | ".join(
            f"{each.parts[part]:,.0f}" if part in each.parts else "" for part in PARTS
        )
        lines.append(
            f"| stage {number} ({each.tasks:,} tasks) | {each.begins:,.0f} | {each.waits:,.0f} "
            f"| {each.runs:,.0f} | {parts} |"
        )
    return "\n".join(lines)
