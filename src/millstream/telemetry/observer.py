"""Observer that gives an application's metrics and batches to OpenTelemetry."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from millstream.core.errors import MillstreamError
from millstream.core.metrics import MetricName
from millstream.plugins.observers import Measured, Observer

if TYPE_CHECKING:
    from millstream.topology.spark.driver.view import ApplicationView

SCOPE = "millstream"
_METRICS_S = 10.0
_BATCHES = 60
_NS = 1_000_000
_REFUSED = re.compile(r"[^a-z0-9_./]")
_LONGEST = 255
"""Characters of the longest name that OpenTelemetry takes."""


class TelemetryObserver(Observer):
    """Metrics at most every ten seconds; a span for each batch, with a child for each part.

    ``millstream.observer.names = opentelemetry`` switches it on. It uses the providers that the
    process has set up, for instance by ``opentelemetry-instrument``; without any it does nothing.
    Metrics are named as Kafka's clients name them in OTLP (KIP-714):
    ``org.apache.kafka.stream.thread.process.rate``.

    Raises:
        MillstreamError: The extra ``otel`` is not installed.
    """

    name = "opentelemetry"

    def __init__(
        self,
        application_id: str,
        options: Mapping[str, Any],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(application_id, options)
        try:
            # An application without this observer needs no OpenTelemetry.
            from opentelemetry import metrics, trace
        except ModuleNotFoundError as error:
            raise MillstreamError(
                f"cannot observe {application_id} by OpenTelemetry",
                detail=f"The module {error.name} is not installed.",
                hint="pip install 'millstream[otel]', or leave the observer opentelemetry out.",
            ) from error
        self._trace = trace
        self._tracer = trace.get_tracer(SCOPE)
        self._meter = metrics.get_meter(SCOPE)
        self._gauges: dict[str, Any] = {}
        self._clock = clock
        self._due = 0.0
        self._view: ApplicationView | None = None
        self._batch = -1

    def attached(self, streams: Any) -> None:
        """Take the application, whose progress has the parts of a batch."""
        from millstream.topology.spark.driver.view import ApplicationView

        self._view = ApplicationView(streams)
        self._view.time_parts()

    def batch_done(self, metrics: Measured) -> None:
        """Send the spans of new batches, and the metrics if they are due."""
        if self._view is not None:
            for report in self._view.recent_batches(self._batch, _BATCHES):
                self._batch = int(report["batchId"])
                self.span(report, self._view.part_times(self._batch))
        if self._clock() >= self._due:
            self._due = self._clock() + _METRICS_S
            for name, metric in metrics.items():
                self.record(name, metric.metricValue())

    def failed(self, error: Exception) -> None:
        """Send a span for the failure."""
        with self._tracer.start_as_current_span("millstream failure", attributes=self._who()) as it:
            it.record_exception(error)
            it.set_status(self._trace.StatusCode.ERROR, str(error).partition("\n")[0])

    def record(self, name: MetricName, value: Any) -> None:
        """Set the gauge of a metric, if its value is a number."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            return
        named = telemetry_name(name)
        if named not in self._gauges:
            self._gauges[named] = self._meter.create_gauge(named)
        tags = {tag.replace("-", "_"): text for tag, text in name.tags().items()}
        self._gauges[named].set(value, tags)

    def span(self, report: Mapping[str, Any], times: Mapping[str, float] | None = None) -> None:
        """Send the spans of a batch, from Spark's progress.

        The parts follow one another from the batch's start, each as long as it has taken;
        ``times`` are those that workers have measured.
        """
        from millstream.page.batches import row_of

        row = row_of(report, times or {})
        if row["started"] is None or "addBatch" not in (report.get("durationMs") or {}):
            return
        facts = {"millstream.batch": row["id"], "millstream.records": row["records"]}
        at = row["started"] * _NS
        whole = self._tracer.start_span("batch", start_time=at, attributes=self._who() | facts)
        inside = self._trace.set_span_in_context(whole)
        for part in row["parts"]:
            span = self._tracer.start_span(part["name"], context=inside, start_time=at)
            at += part["ms"] * _NS
            span.end(end_time=at)
        whole.end(end_time=(row["started"] + row["total_ms"]) * _NS)

    def _who(self) -> dict[str, Any]:
        return {"service.name": self.application_id, "messaging.system": "kafka"}


def telemetry_name(name: MetricName) -> str:
    """Return the name of a metric in OTLP.

    A character that OpenTelemetry does not take, as in a sensor of the program, becomes ``_``.

    Example:
        >>> telemetry_name(MetricName("process-rate", "stream-thread-metrics"))
        'org.apache.kafka.stream.thread.process.rate'
    """
    group = name.group().removesuffix("-metrics")
    named = f"org.apache.kafka.{group}.{name.name()}".replace("-", ".").lower()
    return _REFUSED.sub("_", named)[:_LONGEST]
