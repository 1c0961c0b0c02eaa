"""Sensors of a store's metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from millstream.core.metrics.families import Tags
from millstream.core.metrics.registry import Key
from millstream.core.metrics.sensor import Sensor

if TYPE_CHECKING:
    from millstream.core.metrics.task_metrics import TaskMetrics

SUPPRESSION = "in-memory-suppression"
_WINDOWED = ("window", "session")


class StoreMetrics:
    """Sensors of one store.

    Args:
        task: The sensors of its task.
        store: The store's name.
        scope: The first part of the tag's name ``<scope>-state-id``.
        operations: Names of the store's operations.
    """

    def __init__(
        self, task: TaskMetrics, store: str, scope: str, operations: tuple[str, ...]
    ) -> None:
        self.debug = task.debug
        self.nanos = task.nanos
        self._task = task
        self._store = store
        self._scope = scope
        self._operations = operations
        self._tags: Tags = task.tags((f"{scope}-state-id", store))
        self.cached = False
        """Whether the store has a record cache."""

    def operation(self, name: str) -> Sensor:
        """Return the sensor of an operation; it records nanoseconds."""
        return self._sensor(f"store:{name}")

    def open_iterators(self) -> Sensor:
        """Return the sensor that records 1 for an iterator that is opened, -1 for one closed."""
        return self._sensor("open-iterators")

    def iterator_duration(self) -> Sensor:
        """Return the sensor for the time that iterators were open, in nanoseconds."""
        return self._sensor("iterator-duration")

    def hit_ratio(self) -> Sensor:
        """Return the sensor for the record cache's share of hits."""
        return self._task.metrics.sensor(*self._hits())

    def expired(self) -> None:
        """Count a record that the store dropped because it was late."""
        self._task.metrics.sensor(*self._expired()).record()

    def buffer(self) -> tuple[tuple[Sensor, Sensor], tuple[Sensor, Sensor]]:
        """Return the sensors of a suppression buffer: for its size, and for its count."""
        sensor = self._task.metrics.sensor
        (size, count), (kip_size, kip_count) = self._buffer()
        return (sensor(*size), sensor(*kip_size)), (sensor(*count), sensor(*kip_count))

    def declared(self) -> Iterator[Key]:
        """Yield the keys of all its sensors."""
        if self._scope == SUPPRESSION:
            for keys in self._buffer():
                yield from keys
            return
        operations = (*self._operations, "commit", "flush", "restore")
        yield from ((f"store:{name}", self._tags) for name in operations)
        yield from ((name, self._tags) for name in ("open-iterators", "iterator-duration"))
        if any(kind in self._scope for kind in _WINDOWED):
            yield self._expired()
        if self.cached:
            yield self._hits()
            yield "cache-size", self._task.tags()

    def _sensor(self, family: str) -> Sensor:
        return self._task.metrics.sensor(family, self._tags)

    def _hits(self) -> Key:
        return "hit-ratio", self._task.tags(("record-cache-id", self._store))

    def _expired(self) -> Key:
        tags = self._task.tags((f"{self._scope}-state-id", self._store), kip=True)
        return f"kip-expired:{self._scope}", tags

    def _buffer(self) -> tuple[tuple[Key, Key], tuple[Key, Key]]:
        kip = self._task.tags(("buffer-id", self._store), kip=True)
        released = ("buffer-size", self._tags), ("buffer-count", self._tags)
        return released, (("kip-buffer-size", kip), ("kip-buffer-count", kip))
