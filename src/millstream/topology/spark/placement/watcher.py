"""Watcher on the driver: observes a query between its batches and moves its tasks."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from millstream.core.assignment import AssignmentConfigs
from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import STEER_TASKS
from millstream.core.errors import ConfigException
from millstream.core.plan import Plan
from millstream.core.processor import TaskId
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.choose import chosen_assignor
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.job import Job
from millstream.topology.spark.placement.facts import ClusterFacts, Executor, TaskPlace
from millstream.topology.spark.placement.internals import SparkInternals
from millstream.topology.spark.placement.locality_wait import LocalityWait
from millstream.topology.spark.placement.processed import processed_records
from millstream.topology.spark.placement.record import LOCAL, PlacementRecord, write_record
from millstream.topology.spark.placement.sample import sample_of
from millstream.topology.spark.placement.scheduling import Scheduling
from millstream.topology.spark.placement.standbys import StandbyWatch
from millstream.topology.spark.placement.steering import Steering
from millstream.topology.spark.placement.warming import Warming
from millstream.topology.spark.state.standby_files import ExecutorReport

log = logging.getLogger(__name__)

DEFAULT_ASSIGNOR = "sticky"
DRIVER = "driver"
_POLL_S = 0.1
_OFFERS_S = 1.5
"""How long after a loss Spark is asked to offer cores; a new executor joins later as a rule."""
_SHARE_OF_LOOKING = 20
"""Observation takes at most one part in this many of the driver's time."""


def steering_assignor(config: StreamsConfig) -> Assignor | None:
    """Return the assignor that places tasks; None if Spark does.

    Raises:
        ConfigException: There is no such assignor, or an entry is not supported on Spark.
    """
    assignor = chosen_assignor(config, DEFAULT_ASSIGNOR)
    if config.getBoolean(STEER_TASKS):
        return assignor
    if (replicas := config.getInt("num.standby.replicas")) > 0:
        raise ConfigException(
            f"Invalid value {replicas} for configuration num.standby.replicas: "
            f"{STEER_TASKS} is false, so that no task would be led to its standby",
            hint="Leave out one of the two entries.",
        )
    return None


class PlacementWatcher:
    """Placement of an application's tasks.

    Steering never fails a query: an error is logged once, and Spark places the tasks itself.

    Args:
        config: The application's configuration.
        directory: Directory of the placement file.
        session: The query's session.
        plan: The topology; source patterns are already resolved to topics.
        layout: Its stages.
        assignor: The task assignor; None if Spark decides.
        job: What its workers know, with the place of standby copies; None without any.
    """

    def __init__(
        self,
        config: StreamsConfig,
        directory: Path,
        session: SparkSession,
        plan: Plan,
        layout: Layout,
        assignor: Assignor | None,
        job: Job | None = None,
    ) -> None:
        self._application_id = config.getString("application.id")
        self._directory = directory
        self._session = session
        self._layout = layout
        self._tasks = tuple(task for stage in layout.stages for task in stage.task_ids())
        # Spark numbers the operators from the end of the line.
        last = len(layout.stages) - 1
        self._operators = {stage.subtopology: last - stage.index for stage in layout.stages}
        self._assignor = assignor
        self._remark = ""
        self._wait = LocalityWait(config)
        configs = AssignmentConfigs.of(config)
        stateful = _stateful(plan, layout, self._tasks)
        self._job: Job | None = None
        self._connector: Mapping[str, str] = {}
        self._progress: Mapping[str, Any] = {}
        self._warming = Warming(session)
        self._standbys: StandbyWatch | None = None
        if job is not None and job.standbys:
            self._standbys = StandbyWatch(Path(job.standbys), job.instance)
        learns = self._standbys is not None
        self._steering = Steering(self._tasks, stateful, assignor, configs, learns=learns)
        self._local = (session.sparkContext.master or "").split("[")[0] == "local"
        self._written: Any = None
        self._facts = ClusterFacts(batch=-1, executors=(), located={})
        self._watched: SparkInternals | None = None
        self._scheduling: Scheduling | None = None
        self._looking = threading.Lock()
        self._due = 0.0
        self._lost = -_OFFERS_S
        """When an executor was lost last, by the monotonic clock."""

    def executors(self) -> list[Executor]:
        """Return the executors; none in local mode, where the driver runs everything."""
        return [] if self._local else self._steering.executors

    def places(self) -> list[TaskPlace]:
        """Return the place of every task."""
        if not self._local:
            places = self._steering.places()
            if self._standbys is None:
                return places
            copies = self._standbys.by_task({executor.id for executor in self.executors()})
            return [replace(place, standbys=copies.get(place.task, ())) for place in places]
        return [TaskPlace(task=t, executor=DRIVER, wanted=None, moved=None) for t in self._tasks]

    def located(self) -> dict[TaskId, str]:
        """Return the executor of each task that has run."""
        return {place.task: place.executor for place in self.places() if place.executor}

    def standbys(self) -> list[ExecutorReport]:
        """Return what executors have reported of their standby copies; nothing without any."""
        if self._standbys is None:
            return []
        present = {executor.id for executor in self.executors()}
        return [each for each in self._standbys.reports() if each.executor in present]

    def watch(
        self,
        query: StreamingQuery,
        job: Job | None = None,
        connector: Mapping[str, str] | None = None,
    ) -> None:
        """Start the watching thread for a query.

        Args:
            query: The query.
            job: What its workers know, for those that are started ahead; None to start none.
            connector: Options of its Kafka source.
        """
        self._job, self._connector = job, dict(connector or {})
        self._remark = "" if self._assignor is not None else f"{STEER_TASKS} is false"
        if self._local:
            self._remark = LOCAL
            self._write()
            return
        scheduling: Scheduling | None = None
        try:
            internals = SparkInternals(self._session, query, self._operators, self._tasks)
            scheduling = Scheduling(self._session, internals)
            if self._wait.given or internals.has_locality_wait():
                scheduling.keep_no_places()
            with self._looking:
                self._watched, self._scheduling = internals, scheduling
                self._steering.restarted()
                # If possible before the first batch is planned.
                self._look(internals)
        except Exception as error:  # noqa: BLE001 - another version of Spark may raise anything
            if scheduling is not None:
                scheduling.close()
            self._give_up(f"this version of Spark takes no placement hints: {error!r}")
            return
        threading.Thread(
            target=self._watch,
            args=(query, internals, scheduling),
            name="millstream-placement",
            daemon=True,
        ).start()

    def _watch(
        self, query: StreamingQuery, internals: SparkInternals, scheduling: Scheduling
    ) -> None:
        try:
            while query.isActive:
                # A lost executor's tasks are repeated at once, and a new one gets tasks at once.
                time.sleep(_POLL_S)
                with self._looking:
                    if self._watched is not internals:
                        return
                    self._poll(internals)
        except Exception as error:  # noqa: BLE001 - never fails a query
            with suppress(Exception):
                if query.isActive:
                    self._give_up(f"steering ended: {error!r}")
        finally:
            # Also where Spark's session has ended.
            with suppress(Exception):
                scheduling.close()

    def _poll(self, internals: SparkInternals) -> None:
        """Observe if there may be changes and the share of time allows it."""
        began = time.monotonic()
        changed = internals.has_new_executors()
        if began - self._lost < _OFFERS_S:
            # The lost task may start elsewhere after ``spark.locality.wait``, at the next offer.
            internals.offer_cores()
        if not changed and began < self._due:
            return
        if changed or internals.last_batch() != self._facts.batch:
            self._look(internals)
        elif awaited := self._steering.awaited():
            located, cold = _located(internals, awaited), self._warming.cold()
            self._steer(internals, replace(self._facts, located=located, cold=cold))
        self._due = began + (time.monotonic() - began) * _SHARE_OF_LOOKING

    def _look(self, internals: SparkInternals) -> None:
        known = self._facts.executors
        executors = internals.executors(
            self._scheduling.held() if self._scheduling else frozenset()
        )
        self._progress = internals.progress()
        if {each.id for each in known} - {each.id for each in executors}:
            self._lost = time.monotonic()
        # At once, before Spark gives a task to a core that is free.
        self._warm([each for each in executors if each not in known])
        progress = self._progress
        self._facts = ClusterFacts(
            batch=int(progress.get("batchId", -1)),
            executors=executors,
            located=_located(internals, self._tasks),
            processed=processed_records(self._layout, progress),
            copies=self._caught_up(),
            cold=self._warming.cold(),
            fresh=self._warming.fresh(int(progress.get("batchId", -1))),
            now_ms=int(time.time() * 1000),
        )
        wait = self._wait.after(progress, cold=bool(self._facts.cold))
        if wait is not None and not internals.has_locality_wait():
            internals.set_locality_wait(wait)
        self._steer(internals, self._facts)

    def _caught_up(self) -> dict[str, frozenset[TaskId]]:
        if self._standbys is None:
            return {}
        self._standbys.look()
        return self._standbys.caught_up()

    def _steer(self, internals: SparkInternals, facts: ClusterFacts) -> None:
        orders = self._steering.look(facts)
        by_id = {executor.id: executor for executor in facts.executors}
        for task, executor in orders.items():
            internals.tell(task, by_id[executor])
        if self._standbys is not None:
            if self._scheduling is not None:
                self._scheduling.tell_copies(self._standbys.nearest(facts))
            self._standbys.tell(self._steering.copies())
            silent = self._standbys.silent()
            self._warm([each for each in facts.executors if each.id in silent])
            # As early as can be: later it would hold up a batch in which a task moves.
            if facts.batch >= 0 and not facts.fresh and not self._steering.awaited():
                self._warming.load(facts.executors)
        self._write()

    def _warm(self, executors: Iterable[Executor]) -> None:
        """Start the workers of executors, but not before the first batch starts them everywhere."""
        if self._job is None or self._assignor is None or self._facts.batch < 0:
            return
        state = None if self._watched is None else self._watched.state_of(self._facts.batch)
        self._warming.prepare(self._job, sample_of(self._connector, self._progress), state)
        scheduling = self._scheduling
        if scheduling is not None:
            scheduling.hold_new_executors()
        for executor in executors:
            self._warming.begin(executor, scheduling)

    def _give_up(self, remark: str) -> None:
        self._remark = remark
        self._write()
        log.warning(
            "tasks run where Spark puts them application=%s: %s", self._application_id, remark
        )

    def _write(self) -> None:
        """Write the placement file if anything but the batch has changed."""
        shown = (tuple(self.executors()), tuple(self.places()), self._remark)
        if shown == self._written:
            return
        record = PlacementRecord(
            application_id=self._application_id,
            assignor=None if self._assignor is None or self._remark else self._assignor.name,
            remark=self._remark,
            batch=self._facts.batch,
            written_ms=int(time.time() * 1000),
            executors=shown[0],
            tasks=shown[1],
        )
        try:
            write_record(self._directory, record)
            self._written = shown
        except OSError as error:
            log.warning("placement not noted application=%s: %s", self._application_id, error)


def _located(internals: SparkInternals, tasks: Iterable[TaskId]) -> dict[TaskId, str]:
    return {task: place for task in tasks if (place := internals.location(task))}


def _stateful(plan: Plan, layout: Layout, tasks: tuple[TaskId, ...]) -> frozenset[TaskId]:
    with_stores = {part.id for part in plan.subtopologies if part.stores}
    with_stores |= {stage.subtopology for stage in layout.stages if stage.has_globals}
    return frozenset(task for task in tasks if task.subtopology() in with_stores)
