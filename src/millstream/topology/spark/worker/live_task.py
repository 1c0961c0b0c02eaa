"""Task that runs in this worker: the cached one, a new one, or one that goes on with a standby."""

from __future__ import annotations

from functools import partial

from millstream.topology.spark.compile import Stage
from millstream.topology.spark.job import Job
from millstream.topology.spark.state.slots import DirectoryLock
from millstream.topology.spark.worker.follower import Follower
from millstream.topology.spark.worker.task_host import SparkTaskHost
from millstream.topology.spark.worker.worker_cache import Application, application, cached, discard
from millstream.topology.spark.worker.worker_task import WorkerTask, task_host


def task_name(stage: Stage, partition: int) -> tuple[str, int, int]:
    """Return the name of a task in the worker's cache."""
    return ("task", stage.index, partition)


def live_task(job: Job, stage: Stage, partition: int) -> WorkerTask:
    """Return the task of a partition; it goes on with its standby copy if this worker has one."""
    name = task_name(stage, partition)
    if not job.standbys:
        return cached(job, name, lambda owner: WorkerTask(job, stage, partition, owner))
    place = _place_name(stage, partition)
    follower = following(job, stage)
    host = follower.take(partition, new=name not in application(job).entries)
    if host is not None:
        discard(job, name)
        discard(job, place)
        assert host.own_place is not None
        application(job).entries[place] = host.own_place

    def make(owner: Application) -> WorkerTask:
        kept = host
        if kept is None:
            locked = owner.entries.get(place)
            assert locked is None or isinstance(locked, DirectoryLock)
            kept = task_host(job, stage, owner, partition, locked)
        return WorkerTask(job, stage, partition, owner, host=kept)

    for other in follower.partitions() - {partition}:
        # It ran here once. Its copy is newer than what the task left.
        discard(job, task_name(stage, other))
    return cached(job, name, make)


def following(job: Job, stage: Stage) -> Follower:
    """Return this worker's follower of a stage's tasks; the first call starts it."""

    def make(owner: Application) -> Follower:
        return Follower(
            job, stage, partial(task_host, job, stage, owner), partial(_left, stage, owner)
        )

    return cached(job, ("follower", stage.index), make)


def rested(job: Job, stage: Stage) -> None:
    """Note that the batch of the task that ``live_task`` returned has ended."""
    if job.standbys:
        following(job, stage).rest()


def _left(stage: Stage, owner: Application, partition: int) -> SparkTaskHost | None:
    """End a task that ran in this worker; return its host if that has a directory of its own."""
    task = owner.entries.get(task_name(stage, partition))
    if not isinstance(task, WorkerTask) or not task.has_own_place:
        return None
    del owner.entries[task_name(stage, partition)]
    owner.entries.pop(_place_name(stage, partition), None)
    return task.leave()


def _place_name(stage: Stage, partition: int) -> tuple[str, int, int]:
    return ("place", stage.index, partition)
