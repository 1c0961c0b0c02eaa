"""Names, groups and recording levels of metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from millstream.core.readable import Readable

Tags = Mapping[str, str] | Iterable[tuple[str, str]]


class RecordingLevel(IntEnum):
    """Amount of recording: each level includes the levels before it.

    Source: ``org.apache.kafka.common.metrics.Sensor.RecordingLevel``.
    """

    INFO = 0
    DEBUG = 1
    TRACE = 2


@dataclass(frozen=True, slots=True, init=False)
class MetricName:
    """A metric's name, group, description and tags.

    Two names are equal if they differ in nothing but the description and the order of the tags.

    Example:
        >>> MetricName("orders-total", "shop", "Orders so far", {"city": "Rome"}).tags()
        {'city': 'Rome'}

    Source: ``org.apache.kafka.common.MetricName``.
    """

    _name: str
    _group: str
    _tags: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    _own: frozenset[tuple[str, str]] = field(default=frozenset(), repr=False)
    _description: str = field(default="", compare=False, repr=False)

    def __init__(
        self,
        name: str,
        group: str,
        description: str | Tags = "",
        tags: Tags = (),
    ) -> None:
        """Take Kafka's arguments; the description may be left out, also before the tags."""
        text = description if isinstance(description, str) else ""
        own = tags if isinstance(description, str) else description
        if isinstance(own, Mapping):
            own = own.items()
        put = object.__setattr__
        put(self, "_name", name)
        put(self, "_group", group)
        put(self, "_tags", tuple(own))
        put(self, "_own", frozenset(self._tags))
        put(self, "_description", text)

    def name(self) -> str:
        """Return the name, for instance ``dropped-records-total``."""
        return self._name

    def group(self) -> str:
        """Return the group, for instance ``stream-task-metrics``."""
        return self._group

    def description(self) -> str:
        """Return the description that it was made with; those of millstream's metrics are empty."""
        return self._description

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
