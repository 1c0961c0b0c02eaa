"""Files by which driver and executors agree on standby copies, in a directory that all of them see.

    plan.json               which executor keeps copies of which tasks; written by the driver
    reports/<executor>.<sub-topology>.json   how far these copies are; written by the executor
    mirrors/<task>/         a task's changelog as files; written by the task

Nothing but the speed of a move depends on them: a file that cannot be read counts as absent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from millstream.core.errors import TaskIdFormatException
from millstream.core.processor import TaskId
from millstream.core.typed_json import Count, read_json
from millstream.topology.spark.private import private_directory, write_private
from millstream.topology.spark.state.mirror import Mirror

PLAN = "plan.json"
REPORTS = "reports"
MIRRORS = "mirrors"


@dataclass(frozen=True, slots=True, kw_only=True)
class StandbyPlan:
    """Executors and the tasks of which they keep copies."""

    instance: str = ""
    """The application's instance that decided so."""
    copies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Executor -> names of tasks."""

    def of(self, executor: str | None) -> frozenset[str]:
        """Return the names of the tasks of which an executor keeps copies."""
        return frozenset(self.copies.get(executor, ())) if executor is not None else frozenset()

    def has(self, task: str) -> bool:
        """Return whether any executor keeps a copy of a task."""
        return any(task in tasks for tasks in self.copies.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyReport:
    """How far a standby copy is."""

    task: str
    seq: Count
    """Number after the last segment it has; 0 while it is built for the first time."""
    end: Count
    """Number after the last committed segment that it knows of."""
    ready: bool
    """Whether it has been at the end, and follows."""
    entries: Mapping[str, Count] = field(default_factory=dict)
    """Store -> number of entries taken in so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorReport:
    """The standby copies of one executor for one sub-topology."""

    instance: str
    executor: str
    copies: tuple[CopyReport, ...] = ()

    def tasks(self) -> set[TaskId]:
        """Return the tasks of which it has a copy."""
        return {task for task in map(parsed, (copy.task for copy in self.copies)) if task}


class StandbyFiles:
    """The files of one checkpoint.

    Args:
        root: Their directory.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen: tuple[int, int] | None = None
        self._plan = StandbyPlan()

    def plan(self) -> StandbyPlan:
        """Return the current plan; an empty one if there is none."""
        path = self._root / PLAN
        try:
            status = path.stat()
            found = (status.st_mtime_ns, status.st_ino)
            if found != self._seen:
                self._plan = read_json(path.read_bytes(), StandbyPlan)
                self._seen = found
        except (OSError, ValueError):
            self._plan, self._seen = StandbyPlan(), None
        return self._plan

    def write_plan(self, plan: StandbyPlan) -> None:
        """Replace the plan.

        Raises:
            OSError: It cannot be written.
        """
        _replace(self._root / PLAN, json.dumps(asdict(plan)))

    def reports(self, instance: str) -> list[ExecutorReport]:
        """Return the readable reports to an instance of the application."""
        found = []
        directory = self._root / REPORTS
        for path in sorted(directory.glob("*.json")) if directory.is_dir() else ():
            try:
                report = read_json(path.read_bytes(), ExecutorReport)
            except (OSError, ValueError):
                continue
            if report.instance == instance:
                found.append(report)
        return found

    def write_report(self, subtopology: int, report: ExecutorReport) -> None:
        """Replace an executor's report on a sub-topology.

        Raises:
            OSError: It cannot be written.
        """
        name = f"{report.executor}.{subtopology}.json"
        _replace(self._root / REPORTS / name, json.dumps(asdict(report)))

    def mirror_directory(self, task: TaskId) -> Path:
        """Return the directory of a task's mirror."""
        return self._root / MIRRORS / repr(task)

    def mirror(self, task: TaskId) -> Mirror:
        """Return a task's mirror, for reading."""
        return Mirror(self.mirror_directory(task))


def parsed(name: str) -> TaskId | None:
    """Return the task of a name; None for a name that no task has."""
    try:
        return TaskId.parse(name)
    except TaskIdFormatException:
        return None


def _replace(path: Path, text: str) -> None:
    private_directory(path.parent)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    write_private(new, text)
    new.replace(path)
