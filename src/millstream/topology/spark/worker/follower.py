"""Thread of a stage's worker that keeps standby copies of tasks, as the driver's plan says."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from millstream.plugins.registry import store_class
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.job import Job
from millstream.topology.spark.state.slots import DirectoryLock, first_free
from millstream.topology.spark.state.standby_files import ExecutorReport, StandbyFiles
from millstream.topology.spark.worker.executor_id import executor_id
from millstream.topology.spark.worker.handover import Handover
from millstream.topology.spark.worker.standby_copy import StandbyCopy
from millstream.topology.spark.worker.task_host import SparkTaskHost

log = logging.getLogger(__name__)

POLL_S = 0.1
_LOOKS = 50
"""How often to look for a moment without a batch before a copy begins anew."""

HostMaker = Callable[[int, DirectoryLock], SparkTaskHost]
"""Makes the host of a partition's task, with stores in a locked directory."""
Leaver = Callable[[int], SparkTaskHost | None]
"""Ends a partition's task in this worker and returns its host, which has a locked directory of its
own; None if there is none."""


class Follower:
    """Standby copies of one stage's tasks in this worker; one worker of an executor keeps them.

    Args:
        job: Facts about the application.
        stage: The stage.
        make_host: Makes the host of a copy.
        leave: Ends a task that ran in this worker; its copy goes on with the same stores.
    """

    def __init__(
        self,
        job: Job,
        stage: Stage,
        make_host: HostMaker,
        leave: Leaver = lambda _: None,
    ) -> None:
        self.files = StandbyFiles(Path(job.standbys))
        self._instance = job.instance
        self._stage = stage
        self._make_host = make_host
        self._leave = leave
        self._runs = False
        """Whether a batch runs in this worker."""
        self._looked: dict[str, int] = {}
        """Copies that wait for the end of a batch, with the number of looks."""
        self._root = Path(job.state_dir) / job.application_id / "standbys" / job.checkpoint_id
        self._names = {repr(task): task for task in stage.task_ids()}
        self._copies: dict[str, StandbyCopy] = {}
        self._done: set[str] = set()
        """Tasks that were taken from here and that the plan still has."""
        self._changing = threading.Lock()
        self._reported: ExecutorReport | None = None
        self._reported_at = 0.0
        self._executor = executor_id()
        self._durable = all(store_class(kind).traits.durable for kind in job.kinds.values())
        self._ended = threading.Event()
        if self._executor is None:
            return
        self._handover = Handover(self._root, self._executor)
        # One worker of the executor is enough.
        self._alone = DirectoryLock(self._root / "executors" / f"{self._executor}.{stage.index}")
        self._thread = threading.Thread(target=self._run, name="millstream-standbys", daemon=True)
        self._thread.start()

    def take(self, partition: int, *, new: bool = False) -> SparkTaskHost | None:
        """Return the host of a task's copy, for the task that now runs here; None if there is none.

        The directory of the copy stays locked by this process. Until ``rest`` no task is ended.

        Args:
            partition: The task's partition.
            new: Whether this worker has no stores of the task: it may ask another worker of the
                executor for the copy.
        """
        name = repr(self._stage.task_ids()[partition])
        with self._changing:
            self._runs = True
            copy = self._copies.pop(name, None)
            if copy is not None:
                self._done.add(name)
        if copy is not None:
            return copy.take()
        if not new or not self._is_elsewhere(name):
            return None
        place = self._handover.ask(name)
        return None if place is None else self._make_host(partition, place)

    def rest(self) -> None:
        """Note that the batch of the task that was asked for has ended."""
        with self._changing:
            self._runs = False

    def partitions(self) -> set[int]:
        """Return the partitions of the tasks that it has copies of."""
        with self._changing:
            return {self._names[name].partition() for name in self._copies}

    def close(self) -> None:
        """End the thread and close the copies."""
        self._ended.set()
        with self._changing:
            for copy in self._copies.values():
                copy.stop()
        if self._executor is not None:
            self._thread.join(10)

    def _run(self) -> None:
        try:
            while not self._ended.is_set():
                if self._alone.acquire():
                    self._look()
                self._ended.wait(POLL_S)
        except Exception:
            log.exception("standby copies are not kept any more in this worker")
        finally:
            with self._changing:
                copies, self._copies = self._copies, {}
            for copy in copies.values():
                copy.close()
            self._alone.release()

    def _look(self) -> None:
        plan = self.files.plan()
        wanted: frozenset[str] = frozenset()
        if plan.instance == self._instance:
            wanted = plan.of(self._executor) & self._names.keys()
        with self._changing:
            self._done &= wanted
            gone = [self._copies.pop(name) for name in self._copies.keys() - wanted]
            new = wanted - self._copies.keys() - self._done
        self._looked = {name: looks for name, looks in self._looked.items() if name in new}
        for copy in gone:
            copy.close()
        for name in sorted(new):
            self._begin(name)
        for name, copy in list(self._copies.items()):
            if self._handover.wanted(name):
                self._give(name)
            else:
                copy.follow()
        self._report()

    def _give(self, name: str) -> None:
        """Give a copy to the worker of this executor that now runs the task."""
        with self._changing:
            copy = self._copies.pop(name, None)
            self._done.add(name)
        host = None if copy is None else copy.take()
        if host is not None and host.own_place is not None:
            self._handover.give(name, host.own_place, host.close)

    def _is_elsewhere(self, name: str) -> bool:
        """Return whether another worker of this executor has a copy of a task on disk."""
        if self._executor is None or not self._durable:
            return False
        plan = self.files.plan()
        if plan.instance != self._instance or name not in plan.of(self._executor):
            return False
        reports = self.files.reports(self._instance)
        mine = (report.copies for report in reports if report.executor == self._executor)
        return any(copy.task == name and copy.ready for copies in mine for copy in copies)

    def _begin(self, name: str) -> None:
        """Begin a copy where the task left its stores here, else anew.

        The task may have run here up to the last batch. It is ended between batches only, as the
        user's code that closes it must not run beside that of another task.
        """
        task = self._names[name]
        with self._changing:
            self._looked[name] = self._looked.get(name, 0) + 1
            if self._runs and self._looked[name] < _LOOKS:
                return
            del self._looked[name]
            host = None if self._runs else self._leave(task.partition())
            if host is None:
                host = self._make_host(task.partition(), first_free(self._root / name))
            mirror = self.files.mirror(task)
            self._copies[name] = StandbyCopy(name, host, mirror, self._report_on_the_way)

    def _report_on_the_way(self) -> None:
        """Report, but not more often than between the rounds of following."""
        if time.monotonic() - self._reported_at >= POLL_S:
            self._report()

    def _report(self) -> None:
        with self._changing:
            copies = list(self._copies.values())
        assert self._executor is not None
        report = ExecutorReport(
            instance=self._instance,
            executor=self._executor,
            copies=tuple(copy.report() for copy in copies),
        )
        self._reported_at = time.monotonic()
        if report != self._reported:
            try:
                self.files.write_report(self._stage.subtopology, report)
                self._reported = report
            except OSError as error:
                log.info("cannot report standby copies error=%s", error)
