"""Changes of the stores that are asked for, as batches carry them to the driver."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark import SparkContext

from millstream.core.errors import ProcessorStateException
from millstream.core.working_copy import Changes
from millstream.topology.spark.job import Job
from millstream.topology.spark.reports import Reports
from millstream.topology.spark.state.carried import (
    ASKED,
    Asked,
    CarriedBatch,
    CarriedTask,
    asked_of,
    asked_to_text,
)
from millstream.topology.spark.state.manifest import ChangelogPosition, Manifest

log = logging.getLogger(__name__)

MOST_BYTES = 256 << 20
"""The most bytes of changes that wait for their batch's commit, or for a copy to be built."""


_OF_RESULTS = 4
"""Changes are at most one part in this many of what Spark accepts as results of a job."""


def with_changes(job: Job, context: SparkContext, carrying: Carrying) -> Job:
    """Return the facts of a query whose batches may carry changes to the driver.

    Args:
        job: The facts without that.
        context: Spark's context; it ends a job whose results exceed ``spark.driver.maxResultSize``.
        carrying: What takes the changes.
    """
    java: Any = context._jsc
    accepted = int(java.sc().conf().getSizeAsBytes("spark.driver.maxResultSize", "1g"))
    most = min(job.carried_bytes, accepted // _OF_RESULTS) if accepted else job.carried_bytes
    carried = context.accumulator([], carrying.reports)
    return replace(job, carried=carried, carried_bytes=most)


@dataclass(frozen=True, slots=True)
class TaskChanges:
    """What one task has changed in a batch, ready to be applied."""

    base: ChangelogPosition
    manifest: Manifest
    changes: dict[str, Changes]


@dataclass(slots=True)
class _Batch:
    """What has arrived of one batch."""

    asked: Asked | None = None
    """What it carries; None while its end has not arrived."""
    tasks: dict[tuple[int, int], CarriedTask | None] = field(default_factory=dict)
    """(Stage, partition) -> its report; None for several, of which one counts."""
    decoded: dict[tuple[int, int], TaskChanges | None] = field(default_factory=dict)


class Carrying:
    """Asks the workers of a query for changes, and keeps what arrives until it is applied.

    Thread-safe. What it returns of a batch is that of the attempts that Spark has accepted; whether
    Spark has committed the batch is for the caller to find out.
    """

    def __init__(self) -> None:
        self.reports: Reports[CarriedTask | CarriedBatch] = Reports(1, self._take)
        self.on_news: Callable[[], object] = lambda: None
        """Called in Spark's thread when a batch has reached its end; must not block."""
        self._lock = threading.Lock()
        self._run_id = ""
        self._sessions: list[Any] = []
        """Java sessions whose settings the batches have: that of all runs, and of this one."""
        self._text = ""
        self._setting = threading.Lock()
        """Held while the settings change, so that the last text is the one that stays."""
        self._batches: dict[int, _Batch] = {}
        self._newest = -1
        self._incomplete = -1
        """The last batch of which something has been forgotten; what arrives of it is not kept."""

    # -- the running query -------------------------------------------------------

    def starts(self, run_id: str) -> None:
        """Forget what an earlier run has reported: it may have failed."""
        with self._lock:
            self._run_id = run_id
            self._batches, self._incomplete, self._newest = {}, -1, -1

    def runs(self, session: Any, query: Any) -> None:
        """Use a query that has started.

        Args:
            session: The session of the application's queries.
            query: The query.
        """
        try:
            sessions = [
                session._jsparkSession,
                query._jsq.streamingQuery().sparkSessionForStream(),
            ]
        except Exception as error:  # noqa: BLE001 - another version of Spark may raise anything
            log.info(
                "batches carry no changes to the driver, queries read the checkpoint: %r", error
            )
            sessions = []
        with self._lock:
            self._sessions = sessions
        self._set()

    def ask(self, asked: Asked) -> None:
        """Have the batches that begin from now on carry the changes of some stores; of none."""
        text = asked_to_text(asked) if asked else ""
        with self._lock:
            if text == self._text:
                return
            self._text = text
            if not asked:
                self._forget()
                self._newest = -1
        self._set()

    def _set(self) -> None:
        with self._setting:
            with self._lock:
                text, sessions = self._text, self._sessions
            # The query or Spark may have ended; the next query has the settings set again.
            with suppress(Exception):
                for session in sessions:
                    if text:
                        session.conf().set(ASKED, text)
                    else:
                        session.conf().unset(ASKED)

    # -- what arrives ------------------------------------------------------------

    def newest(self) -> int:
        """Return the last batch that has reached its end and carried changes; -1 for none.

        None of an earlier run counts, nor any from before a time without questions.
        """
        return self._newest

    def carried(self, number: int, stage: int) -> frozenset[str] | None:
        """Return the stores of a stage whose changes a batch carries; None if it carries none."""
        with self._lock:
            batch = self._batches.get(number)
            return None if batch is None or batch.asked is None else batch.asked.get(stage)

    def changes(self, number: int, stage: int) -> dict[int, TaskChanges] | None:
        """Return the changes of the tasks that ran in a batch, by partition.

        None if some of it cannot be known: it carries none, they were too large, or Spark has
        accepted several attempts at a task.
        """
        with self._lock:
            batch = self._batches.get(number)
            if batch is None or batch.asked is None or stage not in batch.asked:
                return None
            keys = [key for key in batch.tasks if key[0] == stage]
        found = {}
        for key in keys:
            decoded = _decoded(batch, key)
            if decoded is None:
                return None
            found[key[1]] = decoded
        return found

    def forget_until(self, number: int) -> None:
        """Forget the batches up to a number, which no copy needs any more."""
        with self._lock:
            for each in [each for each in self._batches if each <= number]:
                del self._batches[each]

    def _take(self) -> None:
        ended = False
        with self._lock:
            for report in self.reports.taken():
                # A batch that failed may be repeated in the next run, and carry something else.
                if report.run_id != self._run_id or report.batch <= self._incomplete:
                    continue
                batch = self._batches.setdefault(report.batch, _Batch())
                if isinstance(report, CarriedBatch):
                    ended = ended or batch.asked is None
                    batch.asked = asked_of(report.asked)
                    self._newest = max(self._newest, report.batch)
                    continue
                key = (report.stage, report.partition)
                batch.tasks[key] = None if key in batch.tasks else report
            if sum(map(_size, self._batches.values())) > MOST_BYTES:
                self._forget()
        if ended:
            self.on_news()

    def _forget(self) -> None:
        # What is still to arrive of the last one would not be all of it.
        self._incomplete = max(self._batches, default=self._incomplete)
        self._batches = {}


def _size(batch: _Batch) -> int:
    return sum(each.size for each in batch.tasks.values() if each is not None)


def _decoded(batch: _Batch, key: tuple[int, int]) -> TaskChanges | None:
    report = batch.tasks[key]
    if report is None or report.segments is None:
        return None
    if key not in batch.decoded:
        try:
            batch.decoded[key] = TaskChanges(report.base, report.manifest(), report.changes())
        except ProcessorStateException as error:
            log.info("the changes that a batch carried are not used: %s", error)
            batch.decoded[key] = None
    return batch.decoded[key]
