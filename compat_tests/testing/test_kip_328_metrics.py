"""The metrics of KIP-328, on the driver; what Kafka has of them is compared elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    Grouped,
    KTable,
    Materialized,
    Processor,
    Serdes,
    Stores,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
CONFIG = {
    "default.key.serde": TEXT,
    "default.value.serde": TEXT,
    "metrics.recording.level": "DEBUG",
    "statestore.cache.max.bytes": 0,
}


class Run:
    """A driver, and one metric of it at a time."""

    def __init__(self, topology: Topology, **config: Any) -> None:
        named = {key.replace("_", "."): value for key, value in config.items()}
        self.driver = TopologyTestDriver(topology, CONFIG | named, 0)

    def pipe(self, *records: tuple[str, int]) -> None:
        topic = self.driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for key, time in records:
            topic.pipeInput(key, "v", time)

    def values(self, *names: str, **tags: str) -> list[float]:
        wanted = {"client-id": "main", **{key.replace("_", "-"): tags[key] for key in tags}}
        metrics = self.driver.metrics().items()
        return [
            next(m.metricValue() for n, m in metrics if n.name() == name and n.tags() == wanted)
            for name in names
        ]


def windowed(builder: StreamsBuilder) -> KTable[Any, Any]:
    return (
        builder.stream("in")
        .groupByKey(Grouped.with_(TEXT, TEXT))
        .windowedBy(TimeWindows.ofSizeAndGrace(10, 5))
        .count(Materialized.as_("counts"))
    )


def limited(limit: Any) -> Topology:
    builder = StreamsBuilder()
    held = Suppressed.untilTimeLimit(10, limit).withName("held")
    builder.table("in").suppress(held).toStream().to("out")
    return builder.build()


def test_late_records_are_counted_and_how_late_all_were() -> None:
    builder = StreamsBuilder()
    windowed(builder)
    run = Run(builder.build())
    run.pipe(("a", 1), ("a", 20), ("a", 4), ("a", 12))
    node = {"task_id": "0_0", "processor_node_id": "KSTREAM-AGGREGATE-0000000001"}
    assert run.values("late-record-drop-total", **node) == [1.0]
    assert run.values("late-record-drop-rate", **node) == [1 / 30]
    assert run.values("record-lateness-avg", "record-lateness-max", **node) == [6.0, 16.0]


def test_a_window_that_the_store_has_forgotten_is_counted_there() -> None:
    builder = StreamsBuilder()
    builder.addStateStore(
        Stores.windowStoreBuilder(Stores.inMemoryWindowStore("w", 20, 10, False), TEXT, TEXT)
    )
    builder.stream("in").process(Putting, "w")
    run = Run(builder.build())
    run.pipe(("a", 100), ("a", 10))
    place = {"task_id": "0_0", "in_memory_window_state_id": "w"}
    assert run.values("expired-window-record-drop-total", **place) == [1.0]


class Putting(Processor[str, str, Any, Any]):
    """Puts each record into a window store."""

    def init(self, context: Any) -> None:
        self.store = context.getStateStore("w")

    def process(self, record: Any) -> None:
        self.store.put(record.key(), record.value(), record.timestamp())


def test_what_a_suppression_holds_replaces_and_lets_go() -> None:
    run = Run(limited(Suppressed.BufferConfig.maxRecords(2)))
    node = {"task_id": "0_0", "processor_node_id": "held"}
    buffer = {"task_id": "0_0", "buffer_id": "held-store"}
    run.pipe(("a", 0), ("a", 1), ("b", 2))
    assert run.values("intermediate-result-suppression-total", **node) == [1.0]
    assert run.values("suppression-emit-total", **node) == [0.0]
    assert run.values("suppression-buffer-count-current", **buffer) == [2.0]
    run.pipe(("c", 3))
    assert run.values("suppression-mem-buffer-evict-total", **node) == [1.0]
    run.pipe(("b", 15))
    assert run.values("suppression-emit-total", **node) == [3.0]
    assert run.values("suppression-buffer-count-current", **buffer) == [0.0]
    assert run.values("suppression-buffer-count-max", **buffer) == [3.0]
    assert run.values("suppression-buffer-size-current", **buffer) == [0.0]
    assert run.values("suppression-mem-buffer-evict-total", **node) == [1.0]


def test_how_much_overdue_updates_are() -> None:
    run = Run(limited(Suppressed.BufferConfig.unbounded()), metrics_recording_level="INFO")
    node = {"task_id": "0_0", "processor_node_id": "held"}
    run.pipe(("a", 0), ("b", 4), ("c", 16))
    name = "intermediate-result-suppression-overtime"
    assert run.values(f"{name}-min", f"{name}-avg", **node) == [2.0, 4.0]


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
def test_a_suppression_emits_the_same_whatever_is_recorded(level: str) -> None:
    run = Run(limited(Suppressed.BufferConfig.maxRecords(2)), metrics_recording_level=level)
    run.pipe(("a", 0), ("a", 1), ("b", 2), ("c", 3), ("b", 15))
    out = run.driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
    assert [(each.key(), each.timestamp()) for each in out.readRecordsToList()] == [
        ("a", 1),
        ("b", 15),
        ("c", 3),
    ]
