"""Standby copies as the driver sees them: the plan that it writes, the reports that it reads."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from pathlib import Path

from millstream.core.processor import TaskId
from millstream.topology.spark.placement.facts import ClusterFacts, Executor, Standby
from millstream.topology.spark.state.standby_files import (
    ExecutorReport,
    StandbyFiles,
    StandbyPlan,
    parsed,
)

log = logging.getLogger(__name__)


class StandbyWatch:
    """Standby copies of one instance of an application.

    Args:
        root: Directory of the files about them; all executors see it.
        instance: The instance.
    """

    def __init__(self, root: Path, instance: str) -> None:
        self._files = StandbyFiles(root)
        self._instance = instance
        self._plan: StandbyPlan | None = None
        self._reports: list[ExecutorReport] = []

    def look(self) -> None:
        """Read the reports."""
        self._reports = self._files.reports(self._instance)

    def caught_up(self) -> dict[str, frozenset[TaskId]]:
        """Return the tasks of which each executor has a copy that is at the last known batch."""
        found: dict[str, frozenset[TaskId]] = {}
        for report in self._reports:
            names = (copy.task for copy in report.copies if copy.ready and copy.seq == copy.end)
            tasks = {task for task in map(parsed, names) if task is not None}
            found[report.executor] = found.get(report.executor, frozenset()) | tasks
        return found

    def silent(self) -> set[str]:
        """Return the executors that are to have copies and have not reported anything yet."""
        planned = set() if self._plan is None else set(self._plan.copies)
        return planned - {report.executor for report in self._reports}

    def by_task(self, executors: Collection[str]) -> dict[TaskId, tuple[Standby, ...]]:
        """Return the reported copies of each task.

        Args:
            executors: The executors that still exist.
        """
        found: dict[TaskId, tuple[Standby, ...]] = {}
        for report in self._reports:
            for copy in report.copies if report.executor in executors else ():
                task = parsed(copy.task)
                if task is not None:
                    lag = copy.end - copy.seq
                    at = Standby(executor=report.executor, running=copy.ready, lag=lag)
                    found[task] = (*found.get(task, ()), at)
        return found

    def nearest(self, facts: ClusterFacts) -> dict[TaskId, Executor]:
        """Return the executor that a lost task is led to: of its copies the least behind.

        Also one that has not taken in the last segments yet: it lacks less than any other executor.
        None where the task itself runs, and none on an executor that is being warmed up.
        """
        usable = {each.id: each for each in facts.executors if each.id not in facts.cold}
        found = {}
        for task, copies in self.by_task(usable).items():
            here = facts.located.get(task)
            follow = [each for each in copies if each.running and each.executor != here]
            if follow:
                found[task] = usable[min(follow, key=lambda each: each.lag).executor]
        return found

    def reports(self) -> list[ExecutorReport]:
        """Return the reports of the last look."""
        return self._reports

    def tell(self, copies: Mapping[str, tuple[TaskId, ...]]) -> None:
        """Write the plan if it has changed; a failure is logged, and tried again at the next call.

        Args:
            copies: Executor -> the tasks of which it is to have a copy.
        """
        named = {executor: tuple(map(repr, tasks)) for executor, tasks in copies.items() if tasks}
        plan = StandbyPlan(instance=self._instance, copies=named)
        if plan == self._plan:
            return
        try:
            self._files.write_plan(plan)
            self._plan = plan
        except OSError as error:
            log.warning("standby copies not planned error=%s", error)
