"""View of a ``KafkaStreams`` object for a live page and other onlookers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from millstream.core.metrics import MetricName, RecordingLevel
from millstream.core.plan import Plan
from millstream.topology.spark.checkpoint.store_notes import Notes, notes_of
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.driver.query import Report
from millstream.topology.spark.part_times import PartTimes
from millstream.topology.spark.placement.facts import Executor, TaskPlace

if TYPE_CHECKING:
    from millstream.topology.spark.driver.kafka_streams import KafkaStreams

Progress = Mapping[str, Any]


class ApplicationView:
    """An application as onlookers see it; from any thread, and without work for Spark or Kafka.

    What does not exist before the start, or after the end, is None or empty.

    Args:
        streams: The application.
    """

    def __init__(self, streams: KafkaStreams) -> None:
        self.streams = streams
        self._runner = streams._runner
        self._config = streams._config

    @property
    def id(self) -> str:
        """The application's id."""
        return self._runner.application_id

    @property
    def description(self) -> str:
        """The text of the topology."""
        return self._runner.description

    @property
    def plan(self) -> Plan:
        """The topology; after the start, source patterns are resolved to topics."""
        started = self._runner.started
        return self._runner.plan if started is None else started.plan

    @property
    def layout(self) -> Layout | None:
        """The stages; None before the start."""
        started = self._runner.started
        return None if started is None else started.job.layout

    def notes(self) -> Notes:
        """Return type and kind of each store."""
        return notes_of(self.plan, self._config)

    @property
    def exactly_once(self) -> bool:
        """Whether the application's guarantee is exactly once."""
        return self._config.exactly_once()

    @property
    def state_directory(self) -> str:
        """The directory of the application's local files."""
        return str(self._runner.state_dir)

    def state(self) -> str:
        """Return the name of the application's state."""
        return self.streams.state().name

    def failures(self) -> int:
        """Return how often the query has ended by a failure."""
        return self.streams._failures

    def waiting(self) -> str | None:
        """Return why nothing happens; None if something does, or it is not known."""
        state = self.streams.state()
        if self.spare_for():
            return f"waits for the end of the instance {self.spare_for()}"
        if self.streams.isPaused():
            return "paused"
        if self.streams._broker_wait.waits:
            return "Kafka does not answer"
        if self.streams._overdue.reason:
            return self.streams._overdue.reason
        if state.isRunningOrRebalancing() and not self.started():
            return "starts"
        return None

    def spare_for(self) -> str:
        """Return the instance whose end this one waits for; empty if there is none."""
        return self._runner.waiting_for

    def started(self) -> bool:
        """Return whether the query runs, or has run."""
        return self._runner.started is not None

    def master(self) -> str | None:
        """Return Spark's master; None before the start."""
        started = self._runner.started
        return None if started is None else started.session.sparkContext.master

    def values(self, progress: Progress | None) -> dict[MetricName, Any]:
        """Return the values of all metrics, given Spark's progress of the last batch."""
        measurements = self._runner.measurements
        return measurements.values(progress, self.streams.state(), self.failures())

    def detailed(self) -> bool:
        """Tell whether the application records what level DEBUG adds."""
        return self._runner.measurements.records(RecordingLevel.DEBUG)

    def last_report(self) -> Report | None:
        """Return number and time of Spark's last report; None before it, and after Spark."""
        try:
            return self._runner.last_report()
        except Exception:  # noqa: BLE001 - Spark may have ended, or be ending
            return None

    def last_progress(self) -> Progress | None:
        """Return Spark's progress of the last batch, if there is one and Spark runs."""
        try:
            return self._runner.last_progress()
        except Exception:  # noqa: BLE001 - as above
            return None

    def recent_batches(self, after: int, limit: int) -> list[dict[str, Any]]:
        """Return Spark's progress of batches behind one, oldest first; see ``QueryControl``."""
        try:
            return self._runner.recent_batches(after, limit)
        except Exception:  # noqa: BLE001 - as above
            return []

    def places(self) -> list[TaskPlace]:
        """Return the place of every task."""
        placement = self._runner.placement
        return [] if placement is None else placement.places()

    def executors(self) -> list[Executor]:
        """Return Spark's executors; none in local mode."""
        placement = self._runner.placement
        return [] if placement is None else placement.executors()

    def replay(self) -> tuple[int, int] | None:
        """Return how far a run over history is, and how far it goes, in offsets; else None."""
        backfill = self._runner.backfill
        if backfill is None or backfill.history is None:
            return None
        progress = self.last_progress() or {}
        ends, begin = backfill.history.ends, backfill.history.begin
        done = 0
        for source in progress.get("sources") or ():
            reached = source.get("endOffset")
            for topic, own in (reached if isinstance(reached, Mapping) else {}).items():
                first = begin.get(topic, {}) if topic in ends else {}
                done += sum(max(0, at - first.get(int(n), at)) for n, at in own.items())
        return done, backfill.passed()

    def moving(self) -> str:
        """Return what the state is from that is moved at the moment; empty if none is."""
        return self._runner.moving

    def time_parts(self) -> None:
        """Let workers report how long parts of a batch take; only before the start."""
        if self._runner.part_times is None:
            self._runner.part_times = PartTimes()

    def part_times(self, batch: int) -> dict[str, float]:
        """Return the milliseconds of the parts of a batch that Spark does not measure.

        Empty without ``time_parts``, and of a batch of long ago.
        """
        times = self._runner.part_times
        return {} if times is None else times.of(batch)

    @staticmethod
    def now_ms() -> int:
        """Return the wall clock, epoch milliseconds."""
        return time.time_ns() // 1_000_000
