"""Sensors and their statistics, by the clock."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest

from millstream import (
    ClassCastException,
    IllegalArgumentException,
    MetricName,
    NullPointerException,
    RecordingLevel,
    Sensor,
    StreamsMetrics,
)
from millstream.core.metrics.stats import Avg, CumulativeSum, Max, MetricConfig, Min, Rate, Value

TAGS = (("thread-id", "main"), ("task-id", "0_0"))
INFO = Sensor.RecordingLevel.INFO


class Clock:
    def __init__(self) -> None:
        self.ms = 1000

    def __call__(self) -> int:
        return self.ms


def numbers(metrics: StreamsMetrics) -> dict[str, float]:
    return {name.name(): metric.metricValue() for name, metric in metrics.metrics().items()}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def metrics(clock: Clock) -> StreamsMetrics:
    return StreamsMetrics(clock)


def advance(metrics: StreamsMetrics, clock: Clock, by_ms: int) -> None:
    metrics.settle()
    clock.ms += by_ms


def with_all(metrics: StreamsMetrics) -> Sensor:
    sensor = metrics.addSensor("own", INFO)
    stats = {"avg": Avg(), "max": Max(), "min": Min(), "sum": CumulativeSum(), "last": Value()}
    for name, stat in {**stats, "rate": Rate()}.items():
        assert sensor.add(MetricName(name, "own"), stat)
    return sensor


def test_the_order_of_its_tags_does_not_tell_names_apart() -> None:
    name = MetricName("dropped-records-total", "stream-task-metrics", TAGS)
    swapped = MetricName("dropped-records-total", "stream-task-metrics", "told", dict(TAGS[::-1]))
    assert {name: 1.0}[swapped] == 1.0
    assert list(swapped.tags()) == ["task-id", "thread-id"]
    assert {name: 1.0}[pickle.loads(pickle.dumps(swapped))] == 1.0
    assert name != MetricName("dropped-records-total", "stream-task-metrics", TAGS[:1])


def test_statistics_of_one_sample(metrics: StreamsMetrics) -> None:
    sensor = with_all(metrics)
    for value in (3.0, 9.0, 6.0):
        sensor.record(value)
    assert numbers(metrics) == {
        "avg": 6.0,
        "max": 9.0,
        "min": 3.0,
        "sum": 18.0,
        "last": 6.0,
        "rate": 18.0 / 30,
    }


def test_samples_older_than_two_windows_do_not_count(metrics: StreamsMetrics, clock: Clock) -> None:
    sensor = with_all(metrics)
    sensor.record(100.0)
    advance(metrics, clock, 31_000)
    sensor.record(2.0)
    assert numbers(metrics)["max"] == 100.0
    assert numbers(metrics)["rate"] == 102.0 / 31
    advance(metrics, clock, 30_000)
    assert numbers(metrics)["max"] == 2.0
    advance(metrics, clock, 30_000)
    found = numbers(metrics)
    assert all(math.isnan(found[name]) for name in ("max", "min", "avg"))
    assert (found["sum"], found["last"], found["rate"]) == (102.0, 2.0, 0.0)


def test_the_configuration_says_how_long_a_sample_is(clock: Clock) -> None:
    metrics = StreamsMetrics(clock, config=MetricConfig(samples=3, window_ms=1000))
    sensor = with_all(metrics)
    sensor.record(6.0)
    assert numbers(metrics)["rate"] == 3.0


def test_the_rate_of_a_single_sample_is_over_a_millisecond_at_least(clock: Clock) -> None:
    # Kafka 4.3.1's own Rate: 2000.0, then 400.0.
    metrics = StreamsMetrics(clock, config=MetricConfig(samples=1))
    looked = metrics.addRateTotalSensor("geo", "all", "look", INFO)
    for rate in (2000.0, 400.0):
        looked.record()
        looked.record()
        assert numbers(metrics)["look-rate"] == rate
        advance(metrics, clock, 10)


def test_samples_of_no_duration_have_a_rate_of_nothing(clock: Clock) -> None:
    # Kafka 4.3.1's Avg and Max are NaN, too; its Rate fails with "/ by zero".
    metrics = StreamsMetrics(clock, config=MetricConfig(window_ms=0))
    with_all(metrics).record(6.0)
    found = numbers(metrics)
    assert (found["rate"], found["sum"]) == (0.0, 6.0)
    assert math.isnan(found["avg"])


def test_many_values_at_once_are_the_same_as_one_by_one(metrics: StreamsMetrics) -> None:
    with_all(metrics).record_many(3, 18.0, 3.0, 9.0)
    found = numbers(metrics)
    assert [found[name] for name in ("avg", "max", "min", "sum")] == [6.0, 9.0, 3.0, 18.0]


def test_a_sensor_above_the_level_is_there_and_records_nothing(clock: Clock) -> None:
    metrics = StreamsMetrics(clock, RecordingLevel.INFO)
    sensor = metrics.sensor("node-process", TAGS)
    sensor.record()
    assert not sensor.shouldRecord()
    assert numbers(metrics) == {"process-rate": 0.0, "process-total": 0.0}


def test_rate_and_total_of_a_users_operation(metrics: StreamsMetrics) -> None:
    sensor = metrics.addLatencyRateTotalSensor("geo", "countries", "lookup", INFO, "zone", "north")
    sensor.record(4.0)
    sensor.record(8.0)
    found = {name.name(): metric.metricValue() for name, metric in metrics.metrics().items()}
    assert found == {
        "lookup-latency-avg": 6.0,
        "lookup-latency-max": 8.0,
        "lookup-rate": 2 / 30,
        "lookup-total": 2.0,
    }
    (name, *_) = metrics.metrics()
    assert name.group() == "stream-geo-metrics"
    assert name.tags() == {"thread-id": "main", "zone": "north", "geo-id": "countries"}


def test_a_child_records_for_its_parents(metrics: StreamsMetrics) -> None:
    parent = metrics.addSensor("parent", INFO)
    parent.add(MetricName("all", "own"), CumulativeSum())
    metrics.addSensor("child", INFO, parent).record(5.0)
    assert numbers(metrics) == {"all": 5.0}


def test_a_removed_sensor_takes_its_metrics_along(metrics: StreamsMetrics) -> None:
    metrics.removeSensor(with_all(metrics))
    assert metrics.metrics() == {}
    with pytest.raises(NullPointerException):
        metrics.removeSensor(None)  # type: ignore[arg-type]


def test_a_tag_without_value_is_refused(metrics: StreamsMetrics) -> None:
    with pytest.raises(IllegalArgumentException, match="key-value pairs"):
        metrics.addRateTotalSensor("a", "b", "c", INFO, "zone")


def test_what_tasks_have_recorded_is_added_up_elsewhere(clock: Clock) -> None:
    application = StreamsMetrics(clock)
    for size in (2.0, 3.0):
        task = StreamsMetrics(Clock())
        task.declare(lambda: [("task-closed", TAGS[:1])])
        task.sensor("bytes-consumed", TAGS).record(size)
        task.addRateTotalSensor("geo", "countries", "lookup", INFO).record()
        application.take_in(pickle.loads(pickle.dumps(task.drained())), 1000)  # noqa: S301 - its own bytes
        assert task.drained() == []
    found = numbers(application)
    assert found["bytes-consumed-total"] == 5.0
    assert found["lookup-total"] == 2.0
    assert found["task-closed-total"] == 0.0


def test_the_name_of_a_metric_has_a_description_and_tags_as_in_kafka() -> None:
    tags = {"city": "Rome"}
    full = MetricName("orders-total", "shop", "The total number of orders", tags)
    assert full.description() == "The total number of orders"
    assert full.tags() == tags
    bare = MetricName("orders-total", "shop", tags)
    assert (bare, bare.description()) == (full, "")
    assert hash(bare) == hash(full)
    assert pickle.loads(pickle.dumps(full)).description() == full.description()
    assert MetricName("orders-total", "shop").tags() == {}


def test_added_metrics_are_described_as_kafkas() -> None:
    metrics = StreamsMetrics()
    sensor = metrics.addLatencyRateTotalSensor("geo", "countries", "lookup", INFO)
    assert sensor.name() == "external.main.entity.countries.s.lookup"
    assert {name.name(): name.description() for name in metrics.metrics()} == {
        "lookup-rate": "The average number of lookup operations per second",
        "lookup-total": "The total number of lookup operations",
        "lookup-latency-avg": "The average latency of lookup",
        "lookup-latency-max": "The maximum latency of lookup",
    }


def test_two_sensors_have_no_metric_in_common() -> None:
    metrics = StreamsMetrics()
    one, other = metrics.addSensor("one", INFO), metrics.addSensor("other", INFO)
    name = MetricName("seen", "own")
    assert one.add(name, Avg())
    assert one.add(name, Max())
    with pytest.raises(IllegalArgumentException, match="already exists, can't register another"):
        other.add(name, Max())
    metrics.removeSensor(one)
    assert other.add(name, Max())


class Elsewhere:
    """A statistic by Kafka's interface, which is given each value."""

    def record(self, config: Any, value: float, timeMs: int) -> None:
        pass

    def measure(self, config: Any, now: int) -> float:
        return 1.0


def test_sensors_are_asked_for_with_what_they_need() -> None:
    metrics: Any = StreamsMetrics()
    with pytest.raises(NullPointerException, match="recordingLevel"):
        metrics.addSensor("own", None)
    with pytest.raises(ClassCastException, match="recordingLevel cannot be a str"):
        metrics.addRateTotalSensor("geo", "countries", "lookup", "INFO")
    with pytest.raises(ClassCastException, match="sensor cannot be a str"):
        metrics.removeSensor("own")
    with pytest.raises(ClassCastException, match="cannot be an Elsewhere"):
        metrics.addSensor("own", INFO).add(MetricName("seen", "own"), Elsewhere())
