"""Sensor: records the values of one or several metrics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from millstream.core.errors import ClassCastException
from millstream.core.metrics.names import MetricName, RecordingLevel
from millstream.core.metrics.stats import Stat, Tally
from millstream.core.readable import Readable
from millstream.core.wording import a_kind

if TYPE_CHECKING:
    from millstream.core.metrics.registry import Metrics


class Sensor(Readable):
    """Sums up values until the clock advances or metrics are read.

    The cost of a value does not depend on the number of statistics. ``Metrics`` creates sensors.

    Source: ``org.apache.kafka.common.metrics.Sensor``.
    """

    __slots__ = ("_metrics", "_name", "active", "count", "high", "last", "low", "stats", "total")

    _shown = ("_name",)

    total: float
    low: float
    high: float
    last: float

    RecordingLevel: ClassVar[type[RecordingLevel]] = RecordingLevel

    def __init__(self, metrics: Metrics, name: str, *, active: bool) -> None:
        self._metrics = metrics
        self._name = name
        self.active = active
        """Whether the sensor records, by its level."""
        self.stats: dict[MetricName, Stat] = {}
        self.count = 0
        self._clear()

    def name(self) -> str:
        """Return the name."""
        return self._name

    def shouldRecord(self) -> bool:
        """Tell whether the configured recording level includes this sensor."""
        return self.active

    def hasMetrics(self) -> bool:
        """Tell whether the sensor has statistics."""
        return bool(self.stats)

    def add(self, metricName: MetricName, stat: Stat) -> bool:
        """Add a statistic of the values, as a metric of that name.

        Raises:
            ClassCastException: It is none of ``millstream.core.metrics.stats``, or derived of one.
            IllegalArgumentException: Another sensor has a metric of that name.
        """
        if not isinstance(stat, Stat):
            raise ClassCastException(
                f"the statistic of a sensor cannot be {a_kind(stat)}",
                detail=f'The sensor is "{self._name}".',
                hint="Give one of millstream.core.metrics.stats, such as Avg().",
            )
        if metricName not in self.stats:
            self._metrics.refuse_known(metricName)
            self.stats[metricName] = stat
        return True

    def record(self, value: float = 1.0, timeMs: int | None = None) -> None:
        """Record one value; ``timeMs`` is ignored, the task's clock is used."""
        del timeMs
        if not self.active:
            return
        self.count += 1
        self.total += value
        self.last = value
        self.low = min(self.low, value)
        self.high = max(self.high, value)

    def record_many(self, count: int, total: float, low: float, high: float) -> None:
        """Record many values, given their sum, minimum and maximum."""
        if self.active and count:
            self.count += count
            self.total += total
            self.last = high
            self.low = min(self.low, low)
            self.high = max(self.high, high)

    def taken(self) -> Tally | None:
        """Return the values since the last call; None if there are none."""
        if not self.count:
            return None
        tally = Tally(self.count, self.total, self.low, self.high, self.last)
        self._clear()
        return tally

    def take_in(self, tally: Tally, now_ms: int) -> None:
        """Give values to the statistics."""
        config = self._metrics.config
        for stat in self.stats.values():
            stat.record(config, tally, now_ms)

    def _clear(self) -> None:
        self.count = 0
        self.total = self.last = 0.0
        self.low, self.high = math.inf, -math.inf
