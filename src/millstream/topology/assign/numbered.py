"""Cluster in numbers, so that a hundred thousand tasks are assigned in seconds."""

from __future__ import annotations

from dataclasses import dataclass

from millstream.core.assignment import AssignmentConfigs
from millstream.core.assignment.standbys import Tags, tags_of
from millstream.core.durations import LONG_MAX
from millstream.core.errors import TaskAssignmentException
from millstream.core.processor import TaskId
from millstream.topology.assign.cluster import Assignment, Cluster, Instance

RUNNING = -2
"""The lag of the instance that runs a task."""
NO_OWNER = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedCluster:
    """Instances are numbers in the order of their ids, tasks in the order of theirs."""

    instances: list[Instance]
    tasks: list[TaskId]
    threads: list[int]
    owner: list[int]
    """By task: the instance that ran it, or ``NO_OWNER``."""
    copies: dict[int, list[int]]
    """By task: the instances that have a copy of it."""
    lags: dict[int, dict[int, int]]
    """By task, by instance: how far behind it is. An instance that is absent has none of it."""
    absent: list[int]
    """By task: the lag of an instance that has none of it."""
    stateful: list[bool]

    def lag(self, task: int, instance: int) -> int:
        """Return how far an instance is behind in a task."""
        return self.lags.get(task, {}).get(instance, self.absent[task])

    def group(self, task: int) -> object:
        """Return the sub-topology of a task."""
        id = self.tasks[task]
        return (id.topologyName(), id.subtopology())

    def tags(self, configs: AssignmentConfigs) -> Tags:
        """Return the tags in which copies of a task should differ."""
        instances = self.instances
        return tags_of(
            [each.tags for each in instances], [each.rack for each in instances], configs
        )

    def ready(self, task: int, instance: int, acceptable: int) -> bool:
        """Return whether an instance could run a task at once."""
        return is_ready(self.lag(task, instance), acceptable)

    def assignment(
        self,
        active: list[set[int]],
        standby: list[set[int]],
        warmup: list[set[int]],
        *,
        followup: bool,
    ) -> Assignment:
        """Return an assignment in the caller's terms."""
        tasks = self.tasks

        def named(sets: list[set[int]]) -> dict[str, tuple[TaskId, ...]]:
            return {
                instance.id: tuple([tasks[task] for task in sorted(found)])
                for instance, found in zip(self.instances, sets, strict=True)
            }

        return Assignment(
            active=named(active), standby=named(standby), warmup=named(warmup), followup=followup
        )


def is_ready(lag: int, acceptable: int) -> bool:
    """Return whether a copy that is so far behind can take over."""
    return lag == RUNNING or 0 <= lag <= acceptable


def sort_key(task: TaskId) -> tuple[str, int, int]:
    """Return what tasks are ordered by."""
    return (task.topologyName() or "", task.subtopology(), task.partition())


def numbered(cluster: Cluster) -> IndexedCluster:
    """Return a cluster in numbers.

    Raises:
        TaskAssignmentException: There are no instances.
    """
    if not cluster.instances:
        raise TaskAssignmentException(
            "no instance can run the tasks", detail=f"{len(cluster.tasks)} tasks, no instances."
        )
    instances = sorted(cluster.instances, key=lambda instance: instance.id)
    tasks = sorted(set(cluster.tasks), key=sort_key)
    number = {task: index for index, task in enumerate(tasks)}
    owner = [NO_OWNER] * len(tasks)
    copies: dict[int, list[int]] = {}
    lags: dict[int, dict[int, int]] = {}
    for index, instance in enumerate(instances):
        for task, lag in instance.lags.items():
            if (known := number.get(task)) is not None:
                lags.setdefault(known, {})[index] = lag
        for task in instance.standby:
            if (known := number.get(task)) is not None:
                copies.setdefault(known, []).append(index)
        for task in instance.active:
            if (known := number.get(task)) is not None:
                lags.setdefault(known, {})[index] = RUNNING
                if owner[known] == NO_OWNER:
                    owner[known] = index
    sizes, stateful = cluster.sizes, cluster.stateful
    return IndexedCluster(
        instances=instances,
        tasks=tasks,
        threads=[instance.threads for instance in instances],
        owner=owner,
        copies=copies,
        lags=lags,
        absent=[sizes.get(task, LONG_MAX) for task in tasks] if sizes else [LONG_MAX] * len(tasks),
        stateful=[True] * len(tasks) if stateful is None else [task in stateful for task in tasks],
    )
