"""Savepoints of several partitions, made of those of test drivers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from millstream import Grouped, Materialized, Produced, Serdes, StreamsBuilder, Topology
from millstream.testing import TopologyTestDriver
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.writer import SavepointWriter

CONFIG = {
    "application.id": "app",
    "default.key.serde": Serdes.String(),
    "default.value.serde": Serdes.String(),
}

SECOND = timedelta(seconds=1)
STRINGS = Grouped.with_(Serdes.String(), Serdes.String())

Sent = tuple[str, str, str, int]
"""Topic, key, value, time."""


def pipe(driver: TopologyTestDriver, records: Iterable[Sent]) -> None:
    text = Serdes.String().serializer()
    for topic, key, value, time in records:
        driver.createInputTopic(topic, text, text).pipeInput(key, value, time)


def output(driver: TopologyTestDriver, topic: str = "out", value: Any = None) -> list[Any]:
    reader = Serdes.String().deserializer()
    value = reader if value is None else value.deserializer()
    found = driver.createOutputTopic(topic, reader, value).readRecordsToList()
    return [(each.key(), each.value(), each.timestamp()) for each in found]


def saved(topology: Topology, root: Path, *partitions: Sequence[Sent], config: Any = None) -> Path:
    """Return a savepoint of tasks that have read these records, one sub-topology's each."""
    points = []
    for number, records in enumerate(partitions):
        with TopologyTestDriver(topology, {**CONFIG, **(config or {})}, 0) as driver:
            pipe(driver, records)
            driver.savepoint(root / f"partition-{number}")
        points.append(Savepoint(root / f"partition-{number}"))
    first = points[0].manifest
    with SavepointWriter(root / "point") as writer:
        for number, point in enumerate(points):
            for store in first.stores:
                writer.add(store, number, point.entries(store, 0))
        joined = replace(
            first,
            tasks=dict.fromkeys(first.tasks, len(points)),
            positions={
                topic: {n: of[topic][0] for n, of in enumerate(positions(points)) if topic in of}
                for topic in {topic for of in positions(points) for topic in of}
            },
            snapshots={
                f"{name.partition('_')[0]}_{n}": data
                for n, point in enumerate(points)
                for name, data in point.manifest.snapshots.items()
            },
        )
        writer.finish(joined)
    return root / "point"


def positions(points: Iterable[Savepoint]) -> list[Mapping[str, Mapping[int, int]]]:
    return [point.manifest.positions for point in points]


def counts(value: Any = None) -> Topology:
    """Return a topology that counts the values of each key in a store."""
    builder = StreamsBuilder()
    stored = Materialized.as_("counts").withValueSerde(value or Serdes.Long())
    counted = builder.stream("in").groupByKey().count(stored)
    counted.toStream().to("out", Produced.valueSerde(value or Serdes.Long()))
    return builder.build()
