"""Clusters written shortly, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from millstream import AssignmentConfigs, TaskId
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.cluster import Assignment, Cluster, Instance


def tasks(names: str) -> tuple[TaskId, ...]:
    return tuple(TaskId.parse(name) for name in names.split())


def instance(
    id: str,
    active: str = "",
    standby: str = "",
    *,
    threads: int = 1,
    behind: int | None = 0,
    rack: str | None = None,
    **tags: str,
) -> Instance:
    """An instance whose copies are all equally far behind; None if there is nothing in them."""
    lags = {} if behind is None else dict.fromkeys(tasks(standby), behind)
    return Instance(
        id=id,
        threads=threads,
        active=tasks(active),
        standby=tasks(standby),
        lags=lags,
        tags=tags,
        rack=rack,
    )


def cluster(all_tasks: str, *instances: Instance) -> Cluster:
    return Cluster(instances=instances, tasks=tasks(all_tasks))


def configs(
    *,
    lag: int = 10_000,
    warmups: int = 2,
    standbys: int = 0,
    tags: Iterable[str] = (),
    strategy: str = "none",
) -> AssignmentConfigs:
    return AssignmentConfigs(
        lag, warmups, standbys, 600_000, tags, rackAwareAssignmentStrategy=strategy
    )


def shown(found: Assignment) -> dict[str, str]:
    """Who runs what, ``(copies)`` and ``[learners]``."""
    return {
        name: " ".join(
            [
                *map(str, active),
                *(f"({task})" for task in found.standby[name]),
                *(f"[{task}]" for task in found.warmup[name]),
            ]
        )
        for name, active in found.active.items()
    }


def follow(before: Cluster, found: Assignment, *, behind: int = 0) -> Cluster:
    """The cluster once everybody does as told; new copies stay that far behind."""
    instances = []
    for each in before.instances:
        kept = (*found.standby[each.id], *found.warmup[each.id])
        lags = {task: 0 if task in each.active else behind for task in kept}
        instances.append(replace(each, active=found.active[each.id], standby=kept, lags=lags))
    return replace(before, instances=tuple(instances))


def settle(
    assignor: Assignor, start: Cluster, settings: AssignmentConfigs, most: int
) -> tuple[Cluster, int]:
    """Assign until nothing changes; return the cluster and how many assignments that took."""
    for count in range(1, most + 1):
        then = follow(start, assignor.assign(start, settings))
        if then == start:
            return start, count
        start = then
    raise AssertionError(f"not at rest after {most} assignments")
