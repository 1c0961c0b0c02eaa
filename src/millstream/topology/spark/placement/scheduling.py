"""Access to Spark's scheduler: it is told of copies, and of executors that are not warm yet."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from typing import Any
from uuid import uuid4

from pyspark.sql import SparkSession

from millstream.core.processor import TaskId
from millstream.topology.spark.compiled_java import compiled
from millstream.topology.spark.placement.facts import Executor
from millstream.topology.spark.placement.internals import SparkInternals

log = logging.getLogger(__name__)

WARMS = "millstream.warms"
"""Spark's local property of a job that warms an executor up: the executor's id."""
_PATIENCE_MS = 20_000
"""How long the jobs that warm an executor up may take to reach the scheduler."""
_FOLLOW_MS = 3_000
"""How long a job may take to do so that has been planned."""


class Scheduling:
    """Two small classes of Java within Spark's scheduler, for one query.

    One leads a lost executor's tasks to executors with copies, where Spark tries them again within
    a running stage; the other keeps a new executor's cores for the jobs that warm it up. Both do
    nothing on a version of Spark that they do not fit: then tasks run where Spark puts them.

    Args:
        session: The query's session.
        internals: The query's view of Spark's scheduler.
    """

    def __init__(self, session: SparkSession, internals: SparkInternals) -> None:
        self._internals = internals
        self._copies: dict[TaskId, Executor] = {}
        self._lost: Any = None
        self._new: Any = None
        try:
            self._jvm: Any = session._jvm
            java_context: Any = session._jsc
            self._context = java_context.sc()
            scheduler, backend = self._context.taskScheduler(), self._context.schedulerBackend()
            lost = _made(session, "LostTasks", scheduler, f"millstream-{uuid4()}")
            lost.begin()
            self._lost = lost
            new = _made(session, "NewExecutors", backend, scheduler, WARMS)
            # In a thread of its own, so that it is told in time.
            self._context.listenerBus().addToQueue(new, "millstream")
            self._new = new
            lost.setCold(new.cold(), WARMS)
        except Exception as error:  # noqa: BLE001 - another version of Spark may raise anything
            log.info("no access to the scheduler of this version of Spark: %s", error)

    def tell_copies(self, copies: Mapping[TaskId, Executor]) -> None:
        """Set the executor that has a copy of each task; other tasks have none."""
        if self._lost is None or copies == self._copies:
            return
        self._copies = dict(copies)
        places = self._jvm.java.util.HashMap()
        make = self._jvm.org.apache.spark.scheduler.ExecutorCacheTaskLocation
        for task, executor in copies.items():
            places.put(self._internals.provider(task), make(executor.host, executor.id))
        self._lost.setCopies(places)

    def keep_no_places(self) -> None:
        """Let tasks with state wait for their executors as the user's configuration says."""
        if self._lost is not None:
            self._lost.keepNoPlaces()

    def hold_new_executors(self) -> None:
        """Let executors that register from now on take no tasks until they are admitted."""
        if self._new is not None:
            self._new.begin()

    def hold(self, executor: Executor) -> None:
        """Let an executor that has registered, and not started, take no tasks until then."""
        if self._new is not None:
            self._new.hold(executor.id)

    def held(self) -> frozenset[str]:
        """Return the executors that take no tasks yet."""
        found: str = "" if self._new is None else self._new.held()
        return frozenset(found.split(",")) - {""}

    def started(self, executor: Executor) -> bool:
        """Wait until an executor that is held has started; False for one that is not held.

        A job that prefers it waits for it from then on.
        """
        if executor.id not in self.held():
            return False
        return bool(self._new.started(executor.id, _PATIENCE_MS))

    @contextmanager
    def warming(self, executor: Executor) -> Iterator[None]:
        """Let the jobs of this thread be those that warm an executor up."""
        if self._new is None:
            yield
            return
        self._context.setLocalProperty(WARMS, executor.id)
        try:
            yield
        finally:
            self._context.setLocalProperty(WARMS, None)

    def admit(self, executor: Executor) -> bool:
        """Let an executor take tasks once the jobs that warm it up have its cores; waits for it.

        Returns:
            Whether it was held, and they have them.
        """
        if executor.id not in self.held():
            return False
        warmed = bool(self._new.admit(executor.id, max(1, executor.cores), _PATIENCE_MS))
        log.debug("executor takes tasks executor=%s warmed first=%s", executor.id, warmed)
        return warmed

    def follow(self, executor: Executor) -> None:
        """Let the next job that warms an executor up follow those before; waits for it."""
        if self._new is not None:
            self._new.follow(executor.id, _FOLLOW_MS)

    def warmed(self, executor: Executor) -> None:
        """Let tasks wait for an executor again: until then, those that read topics do not."""
        if self._new is not None:
            self._new.warmed(executor.id)

    def release(self, executor: Executor) -> None:
        """Let an executor take tasks now."""
        if self._new is not None:
            self._new.release(executor.id)

    def close(self) -> None:
        """Take both classes out of Spark."""
        lost, self._lost = self._lost, None
        new, self._new = self._new, None
        if new is not None:
            self._context.removeSparkListener(new)
            new.end()
        if lost is not None:
            lost.end()
            if problem := lost.problem():
                log.info("lost tasks were not led to their copies: %s", problem)


def _made(session: SparkSession, name: str, *arguments: Any) -> Any:
    source = (
        resources.files("millstream.topology.spark.placement").joinpath(f"{name}.java").read_text()
    )
    return compiled(session, source, f"millstream.{name}", *arguments)
