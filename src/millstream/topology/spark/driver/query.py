"""Control of an application's streaming query: start, hold, stop, failure and progress."""

from __future__ import annotations

import json
import logging
import threading
import time
import uuid
from dataclasses import replace
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from millstream.core.config import StreamsConfig
from millstream.topology.spark.clients.outages import answers
from millstream.topology.spark.clients.settings import client_settings
from millstream.topology.spark.damage import damage_reported, with_causes
from millstream.topology.spark.driver.connector import connector_needed
from millstream.topology.spark.driver.failed_attempts import missing_topics
from millstream.topology.spark.driver.jvm import ended_jvm
from millstream.topology.spark.driver.line import LineOptions, start_line
from millstream.topology.spark.driver.purge import Purger
from millstream.topology.spark.driver.segment_sizes import SegmentSizes
from millstream.topology.spark.driver.silent_broker import SilentBroker
from millstream.topology.spark.driver.source_clients import hastened
from millstream.topology.spark.driver.stopped_session import is_stopped
from millstream.topology.spark.driver.worker_deaths import Isolation
from millstream.topology.spark.job import Job
from millstream.topology.spark.placement.watcher import PlacementWatcher
from millstream.topology.spark.progress import with_records
from millstream.topology.spark.queries.carrying import Carrying

log = logging.getLogger(__name__)

_STOP_POLL_S = 0.005
_NO_END = (
    "Kafka does not answer; stopping without the end of the current batch, "
    "which the next start repeats"
)
_IDLE = ("Waiting for", "Stopped", "Terminated")
"""Beginnings of what Spark says of a query that has nothing to do."""
STOPPED = "the query was stopped from outside"
"""The failure of a query that has ended without an error."""


class StartCancelled(Exception):
    """The application was closed before its query was started."""


Report = tuple[int, str, bool]
"""Number and time of a report of Spark's, and whether it is of a batch."""


class QueryControl:
    """Starts and stops one query, any number of times.

    Args:
        config: The application's configuration.
    """

    def __init__(self, config: StreamsConfig) -> None:
        self._config = config
        self.isolation = Isolation(config)
        """Search for records that kill their worker."""
        self.carrying = Carrying()
        """What batches carry to the driver of stores that are asked for."""
        self.placement: PlacementWatcher | None = None
        """Placement of the tasks; None before the start."""
        self._query: StreamingQuery | None = None
        self._again: tuple[SparkSession, Job, LineOptions] | None = None
        self._changing = threading.RLock()
        """Held while the query is started or stopped."""
        self._held = False
        self._over = False
        """Whether the query must not be started again."""
        self._hurry = False
        """Whether stopping does not wait for the current batch."""
        self._progress: dict[str, Any] | None = None
        self._sizes: SegmentSizes | None = None

    def restart(self) -> None:
        """Start the query again from its checkpoint, unless it is held.

        Raises:
            StartCancelled: The application has been stopped.
        """
        self._run()

    def _run(self) -> None:
        assert self._again is not None
        session, job, options = self._again
        with self._changing:
            self._check_wanted()
            if not self._held:
                isolating = self.isolation.for_workers()
                again = replace(job, run_id=uuid.uuid4().hex, isolating=isolating)
                self._sizes = SegmentSizes(job.segments, job.layout.stages)
                self.carrying.starts(again.run_id)
                with damage_reported(), connector_needed():
                    self._query = start_line(session, again, options)
                self.carrying.runs(session, self._query)
                if self.placement is not None:
                    self.placement.watch(self._query, again, options.connector)
                if job.layout.feedback:
                    interval_ms = self._config.getLong("repartition.purge.interval.ms")
                    Purger(job.layout.feedback, interval_ms, job.client).watch(self._query)

    def no_more(self) -> None:
        """Refuse to start the query from now on."""
        self._over = True

    def hurry(self) -> None:
        """Stop waiting for the current batch; it is rolled back, and the next start repeats it."""
        self._hurry = True

    def halt(self) -> None:
        """Stop the query at once; it may be started again."""
        with self._changing:
            if self._query is not None:
                self._end(self._query)

    def stop(self, timeout_s: float | None) -> None:
        """Wait for the current batch, up to a time limit, and stop the query."""
        self.no_more()
        with self._changing:
            if self._query is not None:
                self._stop(self._query, timeout_s)

    def hold(self) -> None:
        """Stop the query after the current batch; if there is none yet, start none."""
        with self._changing:
            self._held = True
            self._progress = self.last_progress()
            # First, because the watching thread would take the query's end for a failure.
            query, self._query = self._query, None
            if query is not None:
                self._stop(query, None)

    def go_on(self) -> None:
        """Start the query again after ``hold``."""
        with self._changing:
            self._held = False
            if self._again is None or self._query is not None:
                return
            try:
                self.restart()
            except BaseException:
                self._held = True
                raise

    def failure(self) -> str | None:
        """Return the text of the error that ended the query; None while it is active."""
        query = self._query
        if query is None or query.isActive:
            return None
        error = query.exception()
        if error is None:
            return STOPPED
        reported: Any = query
        return with_causes(str(error), reported._jsq.exception().get())

    def batch_ended(self) -> bool:
        """Return whether the query has ended a batch since its last start."""
        try:
            return self._query is not None and self._query.lastProgress is not None
        except Exception:  # noqa: BLE001 - Spark may be gone
            return False

    def last_report(self) -> Report | None:
        """Return number and time of Spark's last report; None before the first. Cheap."""
        query: Any = self._query
        if query is None:
            last = self._progress
            return (
                None if last is None else (int(last["batchId"]), str(last.get("timestamp")), True)
            )
        report = query._jsq.lastProgress()
        if report is None:
            return None
        return int(report.batchId()), str(report.timestamp()), _is_batch(report)

    def busy_with(self) -> object:
        """Return what tells the batch that runs from others; None if none runs. Cheap."""
        query: Any = self._query
        if query is None:
            return None
        doing = str(query._jsq.status().message())
        return None if doing.startswith(_IDLE) else (self.last_report(), doing)

    def missing_topics(self) -> list[str]:
        """Return topics to write to that attempts at the running batch have not found."""
        return missing_topics(self._query)

    def reported_batch(self) -> int | None:
        """Return the last batch that the query has reported as committed; None for none. Cheap."""
        report = None if self._query is None else self.last_report()
        if report is None:
            return None
        number, _, is_batch = report
        # A report that there was nothing to do has the number of the next batch.
        last = number if is_batch else number - 1
        return last if last >= 0 else None

    def last_progress(self) -> dict[str, Any] | None:
        """Return Spark's progress of the last batch; None before the first has ended.

        If the JVM has ended, it is what was asked for last.
        """
        try:
            progress = None if self._query is None else self._query.lastProgress
        except (Py4JError, OSError):
            if ended_jvm() is None:
                raise
            return self._progress
        if progress is not None:
            self._progress = self._measured(progress.json)
        return self._progress

    def recent_progress(self) -> list[dict[str, Any]]:
        """Return Spark's progress of the last batches, oldest first."""
        query: Any = self._query
        if query is None:
            return []
        return [self._measured(each.json()) for each in query._jsq.recentProgress()]

    def recent_batches(self, after: int, limit: int) -> list[dict[str, Any]]:
        """Return Spark's progress of batches, oldest first; each takes some milliseconds.

        Args:
            after: Only of batches behind that one.
            limit: At most so many, the newest.
        """
        query: Any = self._query
        found: list[dict[str, Any]] = []
        for each in () if query is None else reversed(query._jsq.recentProgress()):
            if int(each.batchId()) <= after or len(found) == limit:
                break
            if _is_batch(each):
                found.append(self._measured(each.json()))
        return found[::-1]

    def _measured(self, report: str) -> dict[str, Any]:
        """Return a report of Spark's, with what Spark does not count or measure."""
        progress = with_records(json.loads(report))
        return progress if self._sizes is None else self._sizes.add_to(progress)

    def _check_wanted(self) -> None:
        if self._over:
            raise StartCancelled

    def _stop(self, query: StreamingQuery, timeout_s: float | None) -> None:
        give_up = None if timeout_s is None else time.monotonic() + timeout_s
        batch, settings = _batch_of(query), client_settings(self._config)
        broker = SilentBroker(lambda: answers(settings))
        while query.isActive and query.status["isTriggerActive"] and _batch_of(query) == batch:
            if self._hurry or (give_up is not None and time.monotonic() > give_up):
                break
            if broker.is_silent():
                log.warning("%s: %s", self._config.getString("application.id"), _NO_END)
                break
            time.sleep(_STOP_POLL_S)
        self._end(query)

    def _end(self, query: StreamingQuery) -> None:
        try:
            with hastened(query):
                query.stop()
        except Exception:
            # It has ended with its session, and Spark has nothing left to stop it with.
            if self._again is None or not is_stopped(self._again[0]):
                raise
            log.info("the session of the query was stopped before it")


def _is_batch(report: Any) -> bool:
    """Tell whether a report is of a batch; else there was nothing to do."""
    return bool(report.durationMs().containsKey("addBatch"))


def _batch_of(query: StreamingQuery) -> int:
    progress = query.lastProgress
    return -1 if progress is None else progress.batchId
