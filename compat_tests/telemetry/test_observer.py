"""Spans and metrics that the observer of OpenTelemetry sends."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from compat_tests.page.test_snapshot import PROGRESS
from millstream.core.metrics import Metric, MetricName
from millstream.telemetry.observer import TelemetryObserver, telemetry_name

NAME = MetricName("process-rate", "stream-thread-metrics", (("thread-id", "t-1"),))


class Sent:
    """An observer whose spans and metrics stay in memory."""

    def __init__(self) -> None:
        self.now = 0.0
        self.spans = InMemorySpanExporter()
        self.reader = InMemoryMetricReader()
        self.observer = TelemetryObserver("app", {}, clock=lambda: self.now)
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.spans))
        # The process's own providers can be set once only.
        self.observer._tracer = provider.get_tracer("millstream")
        self.observer._meter = MeterProvider([self.reader]).get_meter("millstream")

    def points(self) -> dict[str, list[tuple[dict[str, Any], Any]]]:
        data = self.reader.get_metrics_data()
        found: dict[str, list[tuple[dict[str, Any], Any]]] = {}
        for resource in [] if data is None else data.resource_metrics:
            for metric in (m for scope in resource.scope_metrics for m in scope.metrics):
                points: Any = metric.data.data_points
                found[metric.name] = [(dict(point.attributes), point.value) for point in points]
        return found


@pytest.fixture
def sent() -> Sent:
    return Sent()


def test_a_batch_is_a_span_with_a_child_for_each_part(sent: Sent) -> None:
    sent.observer.span(PROGRESS)
    *parts, batch = sent.spans.get_finished_spans()
    assert batch.name == "batch"
    assert batch.attributes is not None
    assert (batch.attributes["service.name"], batch.attributes["millstream.batch"]) == ("app", 7)
    assert [part.name for part in parts] == [
        "read",
        "plan",
        "stage 0",
        "stage 1",
        "commit",
        "other",
    ]
    assert {part.parent and part.parent.span_id for part in parts} == {batch.context.span_id}
    assert batch.start_time == 1795435200250 * 1_000_000
    assert batch.end_time == batch.start_time + 3600 * 1_000_000
    for before, after in zip(parts, parts[1:], strict=False):
        assert before.end_time == after.start_time
    assert parts[-1].end_time == batch.end_time


def test_a_report_without_a_batch_is_no_span(sent: Sent) -> None:
    sent.observer.span({"batchId": 1, "durationMs": {"latestOffset": 3}})
    assert sent.spans.get_finished_spans() == ()


def test_metrics_are_sent_every_ten_seconds(sent: Sent) -> None:
    for at, value in ((0, 1.0), (5, 2.0), (10, 3.0)):
        sent.now = at
        text = MetricName("state", "stream-metrics")
        rate = partial(float, value)
        sent.observer.batch_done({NAME: Metric(NAME, rate), text: Metric(text, lambda: "RUNNING")})
        known = {0: 1.0, 5: 1.0, 10: 3.0}[at]
        found = sent.points()
        assert found == {telemetry_name(NAME): [({"thread_id": "t-1"}, known)]}


def test_a_failure_is_a_span_with_its_error(sent: Sent) -> None:
    sent.observer.failed(ValueError("broken\nfurther lines"))
    (span,) = sent.spans.get_finished_spans()
    assert span.status.description == "broken"
    assert [event.name for event in span.events] == ["exception"]


def test_a_name_that_opentelemetry_refuses_does_not_keep_back_the_other_metrics(sent: Sent) -> None:
    strange = [
        MetricName("look up (fast)-rate", "stream-lände-metrics"),
        MetricName(f"{'long' * 80}-rate", "stream-geo-metrics"),
    ]
    sent.observer.batch_done({name: Metric(name, lambda: 1.0) for name in (*strange, NAME)})
    assert [name[:60] for name in sorted(sent.points())] == [
        "org.apache.kafka.stream.geo.longlonglonglonglonglonglonglong",
        "org.apache.kafka.stream.l_nde.look_up__fast_.rate",
        telemetry_name(NAME),
    ]
