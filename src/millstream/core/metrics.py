"""Counters and gauges of a task, under Kafka's names and tags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MetricName:
    """A metric's name, group and tags; see ``org.apache.kafka.common.MetricName``."""

    _name: str
    _group: str
    _tags: tuple[tuple[str, str], ...] = ()

    def name(self) -> str:
        """Return the name, for instance ``dropped-records-total``."""
        return self._name

    def group(self) -> str:
        """Return the group, for instance ``stream-task-metrics``."""
        return self._group

    def tags(self) -> dict[str, str]:
        """Return the tags, for instance ``task-id``."""
        return dict(self._tags)


@dataclass(slots=True)
class Metric:
    """One metric's value; see ``org.apache.kafka.common.Metric``."""

    _name: MetricName
    value: float = 0.0

    def metricName(self) -> MetricName:
        """Return the name."""
        return self._name

    def metricValue(self) -> float:
        """Return the value."""
        return self.value


class Metrics:
    """Everything a task counts.

    Example:
        >>> metrics = Metrics()
        >>> metrics.add("dropped-records-total", "stream-task-metrics", {"task-id": "0_0"})
        >>> [metric.metricValue() for metric in metrics]
        [1.0]
    """

    def __init__(self) -> None:
        self._metrics: dict[MetricName, Metric] = {}

    def metric(self, name: str, group: str, tags: dict[str, str]) -> Metric:
        """Return the metric of that name, made on first use."""
        key = MetricName(name, group, tuple(tags.items()))
        found = self._metrics.get(key)
        if found is None:
            found = self._metrics[key] = Metric(key)
        return found

    def add(self, name: str, group: str, tags: dict[str, str], amount: float = 1.0) -> None:
        """Add ``amount`` to a counter."""
        self.metric(name, group, tags).value += amount

    def asMap(self) -> dict[MetricName, Metric]:
        """Return all metrics by name."""
        return dict(self._metrics)

    def __iter__(self) -> Iterator[Metric]:
        return iter(self._metrics.values())
