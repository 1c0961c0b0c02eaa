"""Names, groups and recording levels of metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from millstream.core.readable import Readable


class RecordingLevel(IntEnum):
    """Amount of recording: each level includes the levels before it.

    Source: ``org.apache.kafka.common.metrics.Sensor.RecordingLevel``.
    """

    INFO = 0
    DEBUG = 1
    TRACE = 2


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


class Metric(Readable):
    """One metric; see ``org.apache.kafka.common.Metric``."""

    __slots__ = ("_measure", "_name")

    _shown = ("_name",)

    def __init__(self, name: MetricName, measure: Callable[[], Any]) -> None:
        self._name = name
        self._measure = measure

    def metricName(self) -> MetricName:
        """Return the name."""
        return self._name

    def metricValue(self) -> Any:
        """Return the current value: a float or a text; NaN if nothing was recorded."""
        return self._measure()
