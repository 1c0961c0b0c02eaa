"""Invariants of every history and strategy."""

from __future__ import annotations

from collections.abc import Mapping

from millstream.core.assignment import AssignmentConfigs
from millstream.core.errors import MillstreamError
from millstream.core.processor import TaskId
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.cluster import Assignment, Cluster


class BrokenPromise(MillstreamError):
    """A strategy broke an invariant; the hint is the call that shows it again."""


class CheckedAssignor:
    """An assignor whose every assignment is looked at.

    Args:
        assignor: Whose.
    """

    def __init__(self, assignor: Assignor) -> None:
        self._assignor = assignor
        self._cluster: Cluster | None = None
        self._counts: dict[str, int] = {}

    @property
    def name(self) -> str:
        """The name of whose assignments these are."""
        return self._assignor.name

    def assign(self, cluster: Cluster, configs: AssignmentConfigs) -> Assignment:
        """Return what the assignor says.

        Raises:
            BrokenPromise: A task has no or two owners or is unknown, an executor is unknown, or a
                copy is beside its active task.
        """
        found = self._assignor.assign(cluster, configs)
        members = {instance.id for instance in cluster.instances}
        for kind, given in (
            ("active", found.active),
            ("standby", found.standby),
            ("warm-up", found.warmup),
        ):
            if unknown := sorted(set(given) - members):
                raise BrokenPromise(
                    f'{kind} tasks went to "{unknown[0]}"', detail="There is no such executor."
                )
        _each_once(found.active, cluster.tasks)
        _no_copy_beside(found)
        self._cluster = cluster
        self._counts = {name: len(tasks) for name, tasks in found.active.items()}
        return found

    def check_share(self, name: str) -> None:
        """Check that an executor that gave tasks away has its share in the last assignment.

        Raises:
            BrokenPromise: It has less.
        """
        if self._cluster is None:
            return
        threads = {each.id: each.threads for each in self._cluster.instances}
        share = len(self._cluster.tasks) * threads.get(name, 0) // sum(threads.values())
        if (left := self._counts.get(name, 0)) < share:
            raise BrokenPromise(
                f'tasks of "{name}" were revoked without need',
                detail=f"Its share is {share}, and {left} are left.",
            )


def _each_once(active: Mapping[str, tuple[TaskId, ...]], tasks: tuple[TaskId, ...]) -> None:
    owners: dict[TaskId, str] = {}
    for name, given in active.items():
        for task in given:
            if task in owners:
                raise BrokenPromise(
                    f"task {task} has two owners",
                    detail=f'They are "{owners[task]}" and "{name}".',
                )
            owners[task] = name
    if left := [task for task in tasks if task not in owners]:
        raise BrokenPromise(
            f"{len(left)} of {len(tasks)} tasks have no owner", detail=f"The first is {left[0]}."
        )
    if len(owners) > len(tasks):
        unknown = min(owners.keys() - set(tasks))
        raise BrokenPromise(f"task {unknown} was assigned", detail="It is not to be assigned.")


def _no_copy_beside(assignment: Assignment) -> None:
    for name, tasks in assignment.active.items():
        copies = (*assignment.standby.get(name, ()), *assignment.warmup.get(name, ()))
        twice = set(tasks).intersection(copies)
        if twice or len(set(copies)) < len(copies):
            task = min(twice or {task for task in copies if copies.count(task) > 1})
            raise BrokenPromise(
                f'"{name}" has task {task} twice',
                detail="It is two of active, standby and warm-up there.",
            )


def check_free(task: TaskId, name: str, owner: str | None) -> None:
    """Check that a task is not given away while an executor has it.

    Raises:
        BrokenPromise: An executor has it.
    """
    if owner is not None:
        raise BrokenPromise(
            f'task {task} was given to "{name}"', detail=f'"{owner}" had not given it up.'
        )


def check_owned(owners: Mapping[int, str], present: set[str], tasks: int) -> None:
    """Check that each task is on a present executor.

    Raises:
        BrokenPromise: A task is on no executor.
    """
    lost = {task: name for task, name in owners.items() if name not in present}
    if len(owners) != tasks or lost:
        raise BrokenPromise(
            f"{tasks - len(owners)} tasks have no owner, and {len(lost)} one that is not there",
            detail="The group is stable otherwise.",
        )


def check_at_rest(moves: int) -> None:
    """Check that a stable group that is asked again stays as it is.

    Raises:
        BrokenPromise: Something would move.
    """
    if moves:
        raise BrokenPromise(
            f"{moves} tasks would be revoked without need",
            detail="The group was stable and nothing had changed when it was asked again.",
        )


def check_convergence(rebalances: int, most: int, which: str = "") -> None:
    """Check that a group that is left alone settles.

    Raises:
        BrokenPromise: There were more rebalances than it may take.
    """
    if rebalances > most:
        raise BrokenPromise(
            f"not stable after {rebalances} {which}rebalances",
            detail=f"No executor has joined or left since, and {most} are enough.",
        )
