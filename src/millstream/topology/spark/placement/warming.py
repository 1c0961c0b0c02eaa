"""Start of Python workers on an executor that runs no task yet, outside of any batch."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Any

from pyspark import RDD
from pyspark.sql import SparkSession

from millstream.topology.spark.job import Job
from millstream.topology.spark.placement.facts import Executor
from millstream.topology.spark.placement.first_load import LastState
from millstream.topology.spark.placement.sample import Sample
from millstream.topology.spark.placement.scheduling import Scheduling
from millstream.topology.spark.placement.warming_job import placed, prepared, warm

log = logging.getLogger(__name__)

AGAIN_S = 30.0
"""How long an executor without workers is left alone, in seconds."""
PATIENCE_S = 120.0
"""How long tasks stay away from an executor whose workers do not get ready."""
_OFFER_S = 30.0
"""How long to wait until a new executor takes tasks, in seconds."""
_WHOLE_BATCH = 2
"""Batches until one is complete that began after a certain moment in another one."""
_LOOK_S = 0.01
_ATTEMPTS = 3
"""How often state is loaded that was deleted meanwhile, or changed."""


class Warming:
    """Executors whose workers are started ahead, each core in a thread of its own.

    Args:
        session: The query's session.
    """

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._job: Job | None = None
        self._start: Future[RDD[Any]] = Future()
        self._running: dict[str, tuple[list[threading.Thread], float]] = {}
        """Executor -> the last start, a thread for each core, and when it was."""
        self._fresh: dict[str, int] = {}
        """Executors whose start was seen to end -> the last complete batch then."""
        self._state: LastState | None = None
        self._loaded: set[str] = set()
        """Executors that have loaded state, or were asked to."""
        self._loading: threading.Thread | None = None

    def prepare(
        self, job: Job, sample: Sample | None = None, state: LastState | None = None
    ) -> None:
        """Plan the start of a job's workers, in a thread: Spark may take a second for that.

        A new executor is then asked to start them before Spark has other tasks for it.

        Args:
            job: What the workers know.
            sample: Records to read on the executor.
            state: State to load on executors, of the last batch; None to load none.
        """
        self._state = state
        if job is not self._job:
            self._job, self._start = job, Future()
            _thread(self._plan, job, sample, self._start)

    def begin(self, executor: Executor, scheduling: Scheduling | None = None) -> None:
        """Start the workers of an executor, unless that was done a moment ago.

        Args:
            executor: The executor.
            scheduling: What holds it back from other tasks until then; None if nothing does.
        """
        now = time.monotonic()
        threads, since = self._running.get(executor.id, ([], now - AGAIN_S))
        if self._job is None or now - since < AGAIN_S or _alive(threads):
            return
        if scheduling is not None:
            scheduling.hold(executor)
        cores = range(max(1, executor.cores))
        threads = [_thread(self._warm, self._start, executor, scheduling) for _ in cores]
        if scheduling is not None:
            threads.append(_thread(self._admit, executor, scheduling, tuple(threads)))
        self._running[executor.id] = (threads, now)

    def load(self, executors: Iterable[Executor]) -> None:
        """Load and commit state on an executor that has not done so, one at a time, in a thread.

        The first time takes a JVM half a second longer than the next ones. A lost executor's task
        would wait for it.
        """
        if self._loading is not None and self._loading.is_alive():
            return
        # One that starts needs the machine's cores, if it is on the same one.
        if self.cold():
            return
        for executor in executors:
            if executor.id not in self._loaded:
                self._loading = _thread(self._load, executor)
                return

    def cold(self) -> frozenset[str]:
        """Return the executors whose workers are being started, but for those that never end."""
        now = time.monotonic()
        return frozenset(
            executor
            for executor, (threads, since) in self._running.items()
            if _alive(threads) and now - since < PATIENCE_S
        )

    def fresh(self, batch: int) -> frozenset[str]:
        """Return the executors that have not run a whole batch since their workers were started.

        Args:
            batch: The last complete batch.
        """
        for executor in self._running.keys() - self.cold():
            self._fresh.setdefault(executor, batch)
        for executor in self.cold():
            self._fresh.pop(executor, None)
        # A new generation of the checkpoint counts its batches anew.
        return frozenset(e for e, at in self._fresh.items() if at <= batch < at + _WHOLE_BATCH)

    def _admit(
        self, executor: Executor, scheduling: Scheduling, threads: tuple[threading.Thread, ...]
    ) -> None:
        """Let an executor take tasks: the warming job, the load of state, then those of batches."""
        try:
            if scheduling.admit(executor):
                self._load(executor, scheduling)
            for each in threads:
                each.join(PATIENCE_S)
            self._fetch(executor, scheduling)
        finally:
            scheduling.warmed(executor)

    def _plan(self, job: Job, sample: Sample | None, start: Future[RDD[Any]]) -> None:
        try:
            start.set_result(prepared(self._session, job, sample))
        except Exception as error:  # noqa: BLE001 - another version of Spark may raise anything
            if sample is not None:
                log.info("new executors do not read ahead topic=%s error=%r", sample.topic, error)
                self._plan(job, None, start)
                return
            start.set_exception(error)
            log.info("no workers are started ahead error=%r", error)

    def _warm(
        self, start: Future[RDD[Any]], executor: Executor, scheduling: Scheduling | None
    ) -> None:
        if start.exception() is not None:
            if scheduling is not None:
                scheduling.release(executor)
            return
        started = scheduling is not None and scheduling.started(executor)
        if not started and not takes_tasks(self._session, executor):
            return
        with nullcontext() if scheduling is None else scheduling.warming(executor):
            ran_there = warm(start.result(), executor)
        # Where it ran elsewhere, a load would, too.
        if ran_there:
            self._load(executor)

    def _load(self, executor: Executor, scheduling: Scheduling | None = None) -> None:
        if executor.id in self._loaded:
            return
        self._loaded.add(executor.id)
        for _ in range(_ATTEMPTS):
            # The last batch's when it is looked at: Spark deletes that of older ones.
            state = self._state
            if state is None:
                return
            try:
                with state.loading(self._session) as load:
                    self._run(load, executor, scheduling)
                return
            except Exception as error:  # noqa: BLE001 - another version of Spark may raise anything
                log.info("no state loaded ahead executor=%s error=%r", executor.id, error)

    def _fetch(self, executor: Executor, scheduling: Scheduling) -> None:
        """Read there what tasks have written for it, as a batch does: the first time takes longer.

        The writing tasks run on any executor, also on this one.
        """
        try:
            written = self._session.range(0, 2, 1, 2).repartition(1).rdd
            there: Any = placed(written, executor)
            with scheduling.warming(executor):
                there._jrdd.count()
        except Exception as error:  # noqa: BLE001 - the executor may be gone, or the query ended
            log.debug("nothing was read ahead executor=%s error=%r", executor.id, error)

    def _run(self, load: RDD[Any], executor: Executor, scheduling: Scheduling | None) -> None:
        there: Any = placed(load, executor)
        with nullcontext() if scheduling is None else scheduling.warming(executor):
            if scheduling is not None:
                _thread(scheduling.follow, executor)
            # Without Python: this is for the JVM.
            there._jrdd.count()


def takes_tasks(session: SparkSession, executor: Executor) -> bool:
    """Wait until Spark's scheduler has offered an executor tasks; return whether it has.

    Spark lists an executor a second before that, in which the executor starts. To prefer its place
    has no effect then: the job would run elsewhere, at once.
    """
    context: Any = session._jsc
    scheduler = context.sc().taskScheduler()
    give_up = time.monotonic() + _OFFER_S
    while time.monotonic() < give_up:
        if scheduler.isExecutorAlive(executor.id):
            return True
        time.sleep(_LOOK_S)
    return False


def _thread(call: Callable[..., None], *arguments: Any) -> threading.Thread:
    thread = threading.Thread(target=call, args=arguments, name="millstream-warm", daemon=True)
    thread.start()
    return thread


def _alive(threads: Iterable[threading.Thread]) -> bool:
    return any(thread.is_alive() for thread in threads)
