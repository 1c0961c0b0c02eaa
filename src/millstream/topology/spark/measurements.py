"""Metrics of an application on Spark: those of its workers and those of the driver."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.engine.settings import Recording
from millstream.core.metrics import Drained, Metric, MetricName, RecordingLevel
from millstream.topology.spark.progress import GROUP, progress_metrics
from millstream.topology.spark.reports import Reports

_WAITING = 64

Batch = tuple[int, list[Drained]]
"""The batch's wall clock in epoch milliseconds, and the metrics that one task recorded."""


def thread_name(application_id: str) -> str:
    """Return the tag ``thread-id`` of all tasks on workers."""
    return f"{application_id}-StreamThread-1"


class Measurements:
    """Sums the metrics of tasks over all batches.

    Args:
        config: The application's configuration.
        application_id: Its name.
        description: Text of its topology's description.
        deleted: Returns how many unread records the broker has deleted.
    """

    def __init__(
        self,
        config: StreamsConfig,
        application_id: str,
        description: str,
        deleted: Callable[[], int] = int,
    ) -> None:
        self.reports: Reports[Batch] = Reports(_WAITING, self._take_in_later)
        """Reports of workers; added up when metrics are read, or when too many wait."""
        self._application_id = application_id
        self._description = description
        self._deleted = deleted
        self._metrics = Recording.of(config).metrics(lambda: time.time_ns() // 1_000_000)
        self._taking = threading.Lock()
        self._aside = threading.Lock()

    def metrics(
        self, progress: Mapping[str, Any] | None, state: Any, failures: int
    ) -> dict[MetricName, Metric]:
        """Return all metrics, given Spark's progress of the last batch and the client's state."""
        with self._taking:
            self._take_in()
            self._note_client(state.name, failures)
            found = self._metrics.asMap()
        return found | progress_metrics(self._application_id, progress)

    def values(
        self, progress: Mapping[str, Any] | None, state: Any, failures: int
    ) -> dict[MetricName, Any]:
        """Return the values of all metrics, as ``metrics`` has them, measured at once."""
        with self._taking:
            self._take_in()
            self._note_client(state.name, failures)
            found = self._metrics.values()
        of_batch = progress_metrics(self._application_id, progress)
        return found | {name: metric.metricValue() for name, metric in of_batch.items()}

    def records(self, level: RecordingLevel) -> bool:
        """Tell whether metrics of a level are recorded."""
        return self._metrics.records(level)

    def _take_in(self) -> None:
        for clock_ms, drained in self.reports.taken():
            self._metrics.take_in(drained, clock_ms)

    def _take_in_later(self) -> None:
        # Reports arrive in a thread that must not block: Spark waits for it.
        if self._aside.acquire(blocking=False):
            threading.Thread(
                target=self._take_all_in, name="millstream-metrics", daemon=True
            ).start()

    def _take_all_in(self) -> None:
        try:
            with self._taking:
                self._take_in()
        finally:
            self._aside.release()
        # Those that came meanwhile have started no other thread.
        if len(self.reports) >= _WAITING:
            self._take_in_later()

    def _note_client(self, state: str, failures: int) -> None:
        alive = int(state in ("RUNNING", "REBALANCING"))
        values: dict[str, Any] = {
            "version": version("millstream"),
            "application-id": self._application_id,
            "topology-description": self._description,
            "recording-level": self._metrics.level.name,
            "state": state,
            "alive-stream-threads": alive,
            "failed-stream-threads": failures,
            "deleted-unread-records-total": self._deleted(),
        }
        tags = (("client-id", self._application_id),)
        gauge: Callable[[MetricName, Any], None] = self._metrics.gauge
        for name, value in values.items():
            gauge(MetricName(name, GROUP, tags), value)
