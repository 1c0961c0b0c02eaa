"""Executors and their tasks as the cluster that a task assignor is asked about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from millstream.core.processor import TaskId
from millstream.topology.assign.cluster import Cluster, Instance
from millstream.topology.spark.placement.facts import Executor

Copies = Mapping[str, Mapping[TaskId, int]]
"""Executor -> task -> how many records the task had read when it last ran there."""


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

    A task that once ran on an executor has left its stores there. It is behind by the records that
    the task has read since; if these are few, the executor counts as one with a standby copy.

    Args:
        executors: Those that are there.
        tasks: All tasks.
        stateful: Those with state.
        homes: The tasks that have an owner, with that owner.
        copies: What is known of stores left behind.
        processed: How many records each task has read by now.
        acceptable_lag: How far a copy may be behind to count.
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
            )
        )
    return Cluster(instances=tuple(instances), tasks=tasks, stateful=stateful)
