"""Executors and their tasks, as the cluster that a task assignor gets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from millstream.core.processor import TaskId
from millstream.topology.assign.cluster import Cluster, Instance
from millstream.topology.spark.placement.facts import Executor

Copies = Mapping[str, Mapping[TaskId, int]]
"""Executor -> task -> number of records the task had read when it last ran there."""

HOST = "host"
"""Client tag of an executor: its host; for ``rack.aware.assignment.tags``."""


def cluster_view(
    executors: Iterable[Executor],
    tasks: tuple[TaskId, ...],
    stateful: frozenset[TaskId],
    homes: Mapping[TaskId, str],
    copies: Copies,
    processed: Mapping[TaskId, int],
    acceptable_lag: int,
) -> Cluster:
    """Return the cluster as assignors see it.

    An executor keeps the stores of a task that once ran there. This copy lags by the records that
    the task has read since; if the lag is small, it counts as a standby copy.

    Args:
        executors: The current executors.
        tasks: All tasks.
        stateful: The tasks with state.
        homes: Task -> executor that owns it; tasks without an owner are missing.
        copies: The copies of stores on executors.
        processed: Number of records each task has read.
        acceptable_lag: Largest lag of a copy that counts, in records.
    """
    active: dict[str, list[TaskId]] = {}
    for task, owner in homes.items():
        active.setdefault(owner, []).append(task)
    instances = []
    for executor in executors:
        lags = {
            task: max(0, processed.get(task, 0) - then)
            for task, then in copies.get(executor.id, {}).items()
            if task in stateful and homes.get(task) != executor.id
        }
        instances.append(
            Instance(
                id=executor.id,
                threads=max(1, executor.cores),
                active=tuple(sorted(active.get(executor.id, ()))),
                standby=tuple(sorted(t for t, lag in lags.items() if lag <= acceptable_lag)),
                lags=lags,
                tags={HOST: executor.host},
            )
        )
    return Cluster(instances=tuple(instances), tasks=tasks, stateful=stateful)
