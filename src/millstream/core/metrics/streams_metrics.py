"""``StreamsMetrics``: metrics that users add in processors and stores."""

from __future__ import annotations

from typing import Any

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    NullPointerException,
)
from millstream.core.metrics.names import Metric, MetricName, RecordingLevel
from millstream.core.metrics.registry import Metrics
from millstream.core.metrics.sensor import Sensor
from millstream.core.metrics.stats import Avg, CumulativeCount, Max, count_rate
from millstream.core.wording import a_kind


class StreamsMetrics(Metrics):
    """The metrics of a task; a user's processor may add sensors.

    Example:
        >>> metrics = StreamsMetrics()
        >>> level = Sensor.RecordingLevel.INFO
        >>> lookups = metrics.addRateTotalSensor("geo", "countries", "lookup", level)
        >>> lookups.record()
        >>> [name.name() for name in metrics.metrics()]
        ['lookup-rate', 'lookup-total']

    Source: ``org.apache.kafka.streams.StreamsMetrics``.
    """

    thread = "main"
    """The value of the tag ``thread-id``."""

    def metrics(self) -> dict[MetricName, Metric]:
        """Return all metrics by name."""
        return self.asMap()

    def addLatencyRateTotalSensor(
        self,
        scopeName: str,
        entityName: str,
        operationName: str,
        recordingLevel: RecordingLevel,
        *tags: str,
    ) -> Sensor:
        """Return a sensor with average, maximum, rate and total of an operation.

        Args:
            scopeName: Part of the group ``stream-<scope>-metrics`` and of the tag ``<scope>-id``.
            entityName: The value of that tag.
            operationName: The first part of the metrics' names.
            recordingLevel: The lowest level at which the sensor records.
            *tags: More tags: key, value, key, value, and so on.

        Raises:
            NullPointerException: A name is None.
            IllegalArgumentException: A tag has no value.
        """
        sensor = self.addRateTotalSensor(
            scopeName, entityName, operationName, recordingLevel, *tags
        )
        group, own = _place(scopeName, entityName, self.thread, tags)
        for name, what, stat in (("avg", "average", Avg()), ("max", "maximum", Max())):
            told = f"The {what} latency of {operationName}"
            sensor.add(MetricName(f"{operationName}-latency-{name}", group, told, own), stat)
        return sensor

    def addRateTotalSensor(
        self,
        scopeName: str,
        entityName: str,
        operationName: str,
        recordingLevel: RecordingLevel,
        *tags: str,
    ) -> Sensor:
        """Return a sensor with rate and total of an operation; see ``addLatencyRateTotalSensor``.

        Raises:
            NullPointerException: A name is None.
            IllegalArgumentException: A tag has no value.
        """
        if scopeName is None or entityName is None or operationName is None:
            raise NullPointerException("scopeName, entityName and operationName cannot be null")
        group, own = _place(scopeName, entityName, self.thread, tags)
        sensor = self.addSensor(
            f"external.{self.thread}.entity.{entityName}.s.{operationName}", recordingLevel
        )
        rate = f"The average number of {operationName} operations per second"
        sensor.add(MetricName(f"{operationName}-rate", group, rate, own), count_rate())
        total = f"The total number of {operationName} operations"
        sensor.add(MetricName(f"{operationName}-total", group, total, own), CumulativeCount())
        return sensor

    def addSensor(self, name: str, recordingLevel: RecordingLevel, *parents: Sensor) -> Sensor:
        """Return the sensor of that name, created at first use; its parents record its values, too.

        Raises:
            NullPointerException: The name or the level is None.
            ClassCastException: The level is none of ``Sensor.RecordingLevel``.
        """
        if name is None:
            raise NullPointerException("name cannot be null")
        if recordingLevel is None:
            raise NullPointerException("recordingLevel cannot be null")
        if not isinstance(recordingLevel, RecordingLevel):
            raise ClassCastException(
                f"recordingLevel cannot be {a_kind(recordingLevel)}",
                detail=f'The sensor is "{name}".',
                hint="Give Sensor.RecordingLevel.INFO, or another of its values.",
            )
        found = self._own.get(name)
        if found is None:
            kind: Any = _Child if parents else Sensor
            found = self._own[name] = kind(self, name, active=self.records(recordingLevel))
            if isinstance(found, _Child):
                found.parents = parents
        return found

    def removeSensor(self, sensor: Sensor) -> None:
        """Remove a sensor that was added, with its metrics.

        Raises:
            NullPointerException: The sensor is None.
            ClassCastException: It is none.
        """
        if sensor is None:
            raise NullPointerException("sensor cannot be null")
        if not isinstance(sensor, Sensor):
            raise ClassCastException(
                f"sensor cannot be {a_kind(sensor)}", hint="Give what addSensor() has returned."
            )
        if self._own.get(sensor.name()) is sensor:
            del self._own[sensor.name()]


class _Child(Sensor):
    __slots__ = ("parents",)

    parents: tuple[Sensor, ...]

    def record(self, value: float = 1.0, timeMs: int | None = None) -> None:
        super().record(value, timeMs)
        if self.active:
            for parent in self.parents:
                parent.record(value, timeMs)


def _place(
    scope: str, entity: str, thread: str, tags: tuple[str, ...]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    if len(tags) % 2:
        raise IllegalArgumentException(
            "Tags needs to be specified in key-value pairs", detail=f"There are {len(tags)}."
        )
    more = tuple(zip(tags[::2], tags[1::2], strict=True))
    return f"stream-{scope}-metrics", (("thread-id", thread), *more, (f"{scope}-id", entity))
