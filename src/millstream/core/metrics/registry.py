"""Registry of the metrics of a task, or of a whole application."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from millstream.core.errors import IllegalArgumentException
from millstream.core.metrics.families import Tags
from millstream.core.metrics.families import family as family_of
from millstream.core.metrics.names import Metric, MetricName, RecordingLevel
from millstream.core.metrics.sensor import Sensor
from millstream.core.metrics.stats import MetricConfig, Stat, Tally
from millstream.core.readable import Readable

Key = tuple[str, Tags]


class Drained(NamedTuple):
    """Values that one sensor of a task recorded in a batch; None if it only exists."""

    family: str
    tags: Tags
    tally: Tally | None
    stats: dict[MetricName, Stat] | None = None
    """Statistics of a sensor that a user has added; ``family`` is its name."""


class Metrics(Readable):
    """Sensors by family and tags, created at first use.

    Args:
        clock: Returns the wall clock, epoch milliseconds.
        level: The recording level.
        config: Number and duration of samples.

    Example:
        >>> metrics = Metrics()
        >>> metrics.sensor("dropped-records", (("task-id", "0_0"),)).record()
        >>> {name.name(): metric.metricValue() for name, metric in metrics.asMap().items()}
        {'dropped-records-rate': 0.03333333333333333, 'dropped-records-total': 1.0}
    """

    def __init__(
        self,
        clock: Callable[[], int] = lambda: 0,
        level: RecordingLevel = RecordingLevel.INFO,
        config: MetricConfig | None = None,
    ) -> None:
        self.clock = clock
        self.level = level
        self.config = config or MetricConfig()
        self.before_reading: list[Callable[[], Any]] = []
        """Called before metrics are read."""
        self._sensors: dict[Key, Sensor] = {}
        self._own: dict[str, Sensor] = {}
        self._gauges: dict[MetricName, Metric] = {}
        self._declared: list[Callable[[], Iterable[Key]]] = []

    def records(self, level: RecordingLevel) -> bool:
        """Tell whether sensors of a level record anything."""
        return level <= self.level

    def sensor(self, family: str, tags: Tags) -> Sensor:
        """Return the sensor of a family with those tags, created at first use."""
        found = self._sensors.get((family, tags))
        if found is None:
            spec = family_of(family)
            found = Sensor(self, family, active=spec.level <= self.level)
            for name, make in spec.metrics.items():
                found.stats[MetricName(name, spec.group, tags)] = make()
            self._sensors[family, tags] = found
        return found

    def declare(self, sensors: Callable[[], Iterable[Key]]) -> None:
        """Add a function that returns sensors that exist before they record anything."""
        self._declared.append(sensors)

    def gauge(self, name: MetricName, value: Any) -> None:
        """Set a metric to a value, or to a callable that returns it at each reading."""
        self._gauges[name] = Metric(name, value if callable(value) else lambda: value)

    def refuse_known(self, name: MetricName) -> None:
        """Refuse a name for one more metric, if there is a metric of that name.

        Raises:
            IllegalArgumentException: There is.
        """
        sensors = (*self._sensors.values(), *self._own.values())
        if name in self._gauges or any(name in sensor.stats for sensor in sensors):
            raise IllegalArgumentException(
                f"A metric named '{name}' already exists, can't register another one.",
                hint="Give it another name, group or tag.",
            )

    def asMap(self) -> dict[MetricName, Metric]:
        """Return all metrics by name."""
        self._look()
        sensors = [*self._sensors.values(), *self._own.values()]
        found = {
            name: Metric(name, self._measure(stat))
            for s in sensors
            for name, stat in s.stats.items()
        }
        return found | self._gauges

    def values(self) -> dict[MetricName, Any]:
        """Return the current values of all metrics: faster than asking each ``Metric`` for its own.

        Example:
            >>> metrics = Metrics()
            >>> metrics.gauge(MetricName("state", "stream-metrics"), "RUNNING")
            >>> list(metrics.values().values())
            ['RUNNING']
        """
        self._look()
        now_ms = self.clock()
        sensors = [*self._sensors.values(), *self._own.values()]
        found: dict[MetricName, Any] = {
            name: stat.measure(self.config, now_ms)
            for sensor in sensors
            for name, stat in sensor.stats.items()
        }
        return found | {name: metric.metricValue() for name, metric in self._gauges.items()}

    def settle(self) -> None:
        """Give recorded values to the statistics; call it before the clock advances."""
        for before in self.before_reading:
            before()
        now_ms = self.clock()
        for sensor in (*self._sensors.values(), *self._own.values()):
            tally = sensor.taken()
            if tally is not None:
                sensor.take_in(tally, now_ms)

    def drained(self) -> list[Drained]:
        """Return the values recorded since the last call, for ``take_in`` in another process.

        The first call also returns sensors without values.
        """
        for before in self.before_reading:
            before()
        drained = []
        if self._declared:
            declared, self._declared = self._declared, []
            drained = [Drained(*key, None) for sensors in declared for key in sensors()]
        for (family, tags), sensor in self._sensors.items():
            tally = sensor.taken()
            if tally is not None:
                drained.append(Drained(family, tags, tally))
        # The statistics of these sensors stay empty here: all values are returned.
        own = ((name, sensor.taken(), sensor.stats) for name, sensor in self._own.items())
        drained += [Drained(name, (), tally, stats) for name, tally, stats in own if tally]
        return drained

    def take_in(self, drained: Iterable[Drained], now_ms: int) -> None:
        """Add the values that a task in another process recorded, with the time ``now_ms``."""
        for family, tags, tally, stats in drained:
            sensor = self.sensor(family, tags) if stats is None else self._added(family, stats)
            if tally is not None:
                sensor.take_in(tally, now_ms)

    def __iter__(self) -> Iterator[Metric]:
        return iter(self.asMap().values())

    def _added(self, name: str, stats: dict[MetricName, Stat]) -> Sensor:
        found = self._own.get(name)
        if found is None:
            found = self._own[name] = Sensor(self, name, active=True)
        found.stats = stats | found.stats
        return found

    def _look(self) -> None:
        for sensors in self._declared:
            for key in sensors():
                self.sensor(*key)
        self.settle()

    def _measure(self, stat: Any) -> Callable[[], float]:
        def measure() -> float:
            self.settle()
            value: float = stat.measure(self.config, self.clock())
            return value

        return measure
