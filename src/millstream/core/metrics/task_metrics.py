"""Sensors of a task's metrics, and of its nodes and topics."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from operator import sub
from typing import Any

from millstream.core.metrics.families import Tags
from millstream.core.metrics.measured import Measured
from millstream.core.metrics.names import RecordingLevel
from millstream.core.metrics.registry import Key
from millstream.core.metrics.sensor import Sensor
from millstream.core.metrics.store_metrics import StoreMetrics
from millstream.core.metrics.streams_metrics import StreamsMetrics

_MILLIS = 1e-6
_GLOBAL_FAMILIES: tuple[str, ...] = ("global-process",)
_FAMILIES = ("task-process", "task-punctuate", "record-lateness", "active-buffer-count")


class TaskMetrics:
    """Sensors of one task.

    Args:
        metrics: The registry of the sensors.
        task: The value of the tag ``task-id``.
        nanos: The clock of latencies.
        is_global: The task fills global stores; Kafka has fewer metrics for it.
        rolls_up: Also record thread metrics, which Kafka's test driver does not.
    """

    def __init__(
        self,
        metrics: StreamsMetrics,
        task: str,
        *,
        nanos: Callable[[], int] = time.perf_counter_ns,
        is_global: bool = False,
        rolls_up: bool = False,
    ) -> None:
        self.metrics = metrics
        self.nanos = nanos
        self.debug = metrics.records(RecordingLevel.DEBUG)
        """Whether metrics that cost time for each record are recorded."""
        self.is_global = is_global
        self._rolls_up = rolls_up
        self._task = task
        self._stores: dict[str, StoreMetrics] = {}
        self._nodes: list[Key] = []
        self._targets: dict[str, str] = {}
        self._consumed: dict[tuple[str, str], Measured] = {}
        self._accepted: dict[str, Measured] = {}
        self._refused: dict[tuple[str, str], int] = {}
        self._failing: set[str] = set()
        """Nodes that dead letters are counted for, which are no sinks."""
        own = self.tags()
        self._thread: Tags = own[:1]
        self._dropped = metrics.sensor("dropped-records", own)
        if rolls_up:
            metrics.sensor("task-created", self._thread).record()
        metrics.declare(self._declared)

    def tags(self, *more: tuple[str, str], kip: bool = False) -> Tags:
        """Return the task's tags and more; KIP-328 calls the thread ``client-id``."""
        thread = "client-id" if kip else "thread-id"
        return ((thread, self.metrics.thread), ("task-id", self._task), *more)

    def node_sensor(self, family: str, node: str) -> Sensor:
        """Return a sensor of a processor node."""
        key = family, self.tags(("processor-node-id", node), kip=family.startswith("kip-"))
        self._nodes.append(key)
        return self.metrics.sensor(*key)

    def store(self, name: str, scope: str, operations: Iterable[str]) -> StoreMetrics:
        """Return the sensors of a store.

        Args:
            name: The store's name.
            scope: Its supplier's ``metricsScope``.
            operations: Names of its operations, the first part of the metrics' names.
        """
        found = self._stores[name] = StoreMetrics(self, name, scope, tuple(operations))
        return found

    def reads(self, topic: str, source: str) -> None:
        """Note the source that reads a topic."""
        if not self.is_global:
            self._nodes += [*self._flow("consumed", source, topic), self._latency(source)]

    def writes(self, topic: str | None, sink: str) -> None:
        """Note a sink and its topic, if it has one; a topic's last sink counts, as in Kafka."""
        self._nodes.append(self._latency(sink))
        if topic is not None:
            self._targets[topic] = sink

    def sends(self, topic: str, node: str) -> None:
        """Note the node that sends to a topic that is known only now: the first one."""
        self._targets.setdefault(topic, node)

    def late(self, node: str) -> None:
        """Count a record whose window was already closed."""
        tags = self.tags(("processor-node-id", node), kip=True)
        self.metrics.sensor("kip-late", tags).record()

    def dropped(self, node: str, reason: str) -> None:
        """Count a record that is dropped by rule, and why; ``node`` may be a store."""
        self._dropped.record()
        self._told("drop-reason", node, reason)

    def dead_lettered(self, node: str, reason: str, topic: str) -> None:
        """Count a record that is sent to the dead letter queue ``topic``, and why."""
        self._told("dead-letters", node, reason)
        if topic not in self._targets:
            self.sends(topic, node)
            self._failing.add(node)

    def poisoned(self) -> None:
        """Count a record that is left out because it kills the worker process."""
        self.metrics.sensor("poisoned-records", self.tags()).record()

    def expired(self, store: str) -> None:
        """Count a record that a store dropped because it was late."""
        found = self._stores.get(store)
        if found is not None:
            found.expired()

    def consumed(self, source: str, topic: str, measured: Measured, ages: Measured) -> None:
        """Note records of a source until ``moved`` records them.

        ``ages`` has the times that the source's extractor gave those that it accepted.
        """
        flow = source, topic
        if ages.records:
            self._consumed.setdefault(flow, Measured()).add(measured)
            self._accepted.setdefault(source, Measured()).add(ages)
        else:
            self._refused[flow] = self._refused.get(flow, 0) + measured.records

    def moved(self, sent: dict[str, Measured]) -> None:
        """Record the records consumed since the last call, and those sent to topics."""
        if self.is_global:
            return
        consumed, self._consumed = self._consumed, {}
        refused, self._refused = self._refused, {}
        for (source, topic), measured in consumed.items():
            self._moved("consumed", source, topic, measured.records, measured.bytes)
        accepted, self._accepted = self._accepted, {}
        for source, ages in accepted.items():
            self._aged(source, ages)
        for (source, topic), records in refused.items():
            self._moved("consumed", source, topic, records, 0)
        for topic, measured in sent.items():
            node = self._targets.get(topic)
            if node is not None:
                self._moved("produced", node, topic, measured.records, measured.bytes)
                if node not in self._failing:
                    self._aged(node, measured)

    def unsent(self, sink: str, timestamp: int) -> None:
        """Record the age of a record that a sink has dropped: it has come to its end, too."""
        self._age(self.metrics.sensor(*self._latency(sink)), 1, timestamp, timestamp, timestamp)

    def ended(self, sensor: Sensor, timestamps: Sequence[int]) -> None:
        """Record the age of records at a terminal node."""
        count = len(timestamps)
        self._age(sensor, count, sum(timestamps), min(timestamps), max(timestamps))

    def began(self) -> int:
        """Return the clock's time if latencies are recorded, else 0."""
        return self.nanos() if self.debug else 0

    def processed(
        self, source: str, timestamps: Sequence[int], stream_time: int, began: int
    ) -> None:
        """Record a run of records, given the stream time before it and its start ``began``."""
        count, family = len(timestamps), "global-process" if self.is_global else "task-process"
        self._timed(family, self.tags(), count, began)
        node = self.tags(("processor-node-id", source))
        self.metrics.sensor("node-process", node).record_many(count, 0.0, 0.0, 0.0)
        if not self.is_global:
            late_by(self.metrics.sensor("record-lateness", self.tags()), timestamps, stream_time)

    def punctuated(self, began: int) -> None:
        """Record a call of a punctuator."""
        self._timed("task-punctuate", self.tags(), 1, began)
        if self._rolls_up:
            self._timed("thread-punctuate", self._thread, 1, began)

    def ran(self, count: int, began: int) -> None:
        """Record the number of records that a thread has processed since ``began``."""
        self._timed("thread-process", self._thread, count, began)

    def committed(self, began: int) -> None:
        """Record a commit of a thread."""
        self._timed("thread-commit", self._thread, 1, began)

    def closed(self) -> None:
        """Record that the task is closed."""
        self.metrics.sensor("task-closed", self._thread).record()

    def cache_size(self, used: int) -> None:
        """Record the size of the task's record caches, if it has one."""
        if any(store.cached for store in self._stores.values()):
            self.metrics.sensor("cache-size", self.tags()).record(used)

    def _timed(self, family: str, tags: Tags, count: int, began: int) -> None:
        millis = (self.nanos() - began) * _MILLIS
        each = millis / count if count else 0.0
        self.metrics.sensor(family, tags).record_many(count, millis, each, each)

    def _moved(self, how: str, node: str, topic: str, records: int, size: int) -> None:
        for key, amount in zip(self._flow(how, node, topic), (records, size), strict=True):
            self.metrics.sensor(*key).record_many(1, amount, amount, amount)

    def _flow(self, how: str, node: str, topic: str) -> list[Key]:
        tags = self.tags(("processor-node-id", node), ("topic", topic))
        return [(f"{what}-{how}", tags) for what in ("records", "bytes")]

    def _latency(self, node: str) -> Key:
        return "record-e2e-latency", self.tags(("processor-node-id", node))

    def _aged(self, node: str, measured: Measured) -> None:
        sensor = self.metrics.sensor(*self._latency(node))
        first, last = measured.first_ms, measured.last_ms
        self._age(sensor, measured.records, measured.sum_ms, first, last)

    def _age(self, sensor: Sensor, count: int, total: int, first: int, last: int) -> None:
        now_ms = self.metrics.clock()
        sensor.record_many(count, count * now_ms - total, now_ms - last, now_ms - first)

    def _told(self, family: str, node: str, reason: str) -> None:
        # No record is dropped for most reasons, so these are not declared.
        tags = self.tags(("processor-node-id", node), ("reason", reason))
        self.metrics.sensor(family, tags).record()

    def _declared(self) -> Iterator[Key]:
        own, families = self.tags(), _GLOBAL_FAMILIES if self.is_global else _FAMILIES
        yield from ((family, own) for family in (*families, "dropped-records"))
        yield "task-closed", self._thread
        yield from self._nodes
        for topic, node in self._targets.items():
            yield from self._flow("produced", node, topic)
        for store in self._stores.values():
            yield from store.declared()


def late_by(sensor: Sensor, timestamps: Sequence[int], stream_time: int) -> int:
    """Record the records' lateness behind stream time; return the stream time after them."""
    times = list(accumulate(timestamps, max, initial=stream_time))
    late: list[Any] = list(map(sub, times[1:], timestamps))
    sensor.record_many(len(late), sum(late), min(late), max(late))
    return times[-1]
