"""Access to Spark's internal interfaces that place tasks; checked before first use."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from millstream.core.processor import TaskId
from millstream.topology.spark.placement.facts import Executor
from millstream.topology.spark.placement.first_load import LastState

LOCALITY_WAIT = "spark.locality.wait"
_WAITS = (LOCALITY_WAIT, *(f"{LOCALITY_WAIT}.{level}" for level in ("process", "node", "rack")))
_OURS = "spark.millstream.locality.wait"
"""The wait that was set here, so that it is not taken for the user's."""
_STORE = "default"
"""Spark's name for the state store of an operator, by which it finds the executor."""
_LOCATION = re.compile(r"Some\(executor_(.+)_([^_]+)\)")


class SparkInternals:
    """One query's view of Spark's scheduler and of its coordinator of state stores.

    Args:
        session: The query's session.
        query: The query.
        operators: Spark's number of the operator that runs each sub-topology.
        tasks: All tasks.

    Raises:
        Exception: This version of Spark does not have these interfaces.
    """

    def __init__(
        self,
        session: SparkSession,
        query: StreamingQuery,
        operators: Mapping[int, int],
        tasks: tuple[TaskId, ...],
    ) -> None:
        jvm: Any = session._jvm
        java_session: Any = session._jsparkSession
        java_context: Any = session._jsc
        self._context = java_context.sc()
        self._query: Any = query._jsq
        self._coordinator = java_session.streams().stateStoreCoordinator()
        self._nothing = jvm.scala.collection.mutable.ArrayBuffer().toSeq()
        state = jvm.org.apache.spark.sql.execution.streaming.state
        self._location = str(self._query.streamingQuery().resolvedCheckpointRoot())
        self._operator = min(operators.values())
        root = f"{self._location}/state"
        run = self._query.runId()
        make_id, make_provider = state.StateStoreId, state.StateStoreProviderId
        self._providers = {
            task: make_provider(
                make_id(root, operators[task.subtopology()], task.partition(), _STORE), run
            )
            for task in tasks
        }
        self._executors: tuple[str | None, tuple[Executor, ...]] = (None, ())
        for task in tasks[:1]:
            self.location(task)
        self.executors()

    def has_new_executors(self) -> bool:
        """Return whether the executors have changed since the last ``executors`` call; cheap."""
        return self._executor_ids() != self._executors[0]

    def executors(self, held: AbstractSet[str] = frozenset()) -> tuple[Executor, ...]:
        """Return the executors that take tasks, and those that are held back from it."""
        ids = self._executor_ids()
        known, executors = self._executors
        if ids != known:
            executors = self._listed(frozenset(ids.split(",")))
            # Spark does not update its lists at the same time.
            complete = len(executors) == len(ids.split(",")) and all(e.port for e in executors)
            self._executors = (ids if complete else None, executors)
        backend = self._context.schedulerBackend()
        return tuple(e for e in executors if e.id in held or backend.isExecutorActive(e.id))

    def last_batch(self) -> int:
        """Return the number of the last complete batch; -1 before the first one of this query."""
        progress = self._query.lastProgress()
        return -1 if progress is None else int(progress.batchId())

    def progress(self) -> dict[str, Any]:
        """Return Spark's progress of the last complete batch; empty before the first."""
        progress = self._query.lastProgress()
        found: dict[str, Any] = {} if progress is None else json.loads(progress.json())
        return found

    def location(self, task: TaskId) -> str | None:
        """Return the executor that ran a task last, or its current hint; None if neither exists."""
        found = self._coordinator.getLocation(self._providers[task]).toString()
        match = _LOCATION.fullmatch(found)
        return None if match is None else match[2]

    def provider(self, task: TaskId) -> Any:
        """Return Spark's id of a task's state store."""
        return self._providers[task]

    def state_of(self, batch: int) -> LastState:
        """Return the state that a complete batch has left, of the first stage that has tasks."""
        return LastState(self._location, self._operator, batch)

    def tell(self, task: TaskId, executor: Executor) -> None:
        """Hint Spark to prefer an executor for a task, from the next planned batch on."""
        self._coordinator.reportActiveInstance(
            self._providers[task], executor.host, executor.id, self._nothing
        )

    def offer_cores(self) -> None:
        """Let Spark's scheduler offer free cores to waiting tasks now; it does so every second."""
        self._context.schedulerBackend().reviveOffers()

    def set_locality_wait(self, milliseconds: int) -> None:
        """Set how long Spark waits for a task's executor, for the stages that start from now on."""
        for key in (LOCALITY_WAIT, _OURS):
            self._context.conf().set(key, f"{milliseconds}ms")

    def has_locality_wait(self) -> bool:
        """Return whether the user has given Spark such a wait, as to ``spark-submit``."""
        conf = self._context.conf()
        ours = conf.get(_OURS, "")
        return any(conf.get(key, ours) != ours for key in _WAITS)

    def _executor_ids(self) -> str:
        ids: str = self._context.getExecutorIds().mkString(",")
        return ids

    def _listed(self, ids: frozenset[str]) -> tuple[Executor, ...]:
        summaries = self._context.statusStore().executorList(True)
        found = []
        for index in range(summaries.size()):
            summary = summaries.apply(index)
            if summary.id() in ids:
                host, _, port = summary.hostPort().rpartition(":")
                # An executor has no port until its block manager has registered.
                known = (host, int(port)) if host else (port, 0)
                found.append(
                    Executor(
                        id=summary.id(), host=known[0], port=known[1], cores=summary.totalCores()
                    )
                )
        return tuple(found)
