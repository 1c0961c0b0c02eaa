"""What workers measure arrives at the driver, added up, for callers and for observers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests.spark.support import Playground, eventually
from millstream import (
    Grouped,
    KafkaStreams,
    Serdes,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)
from millstream.core.durations import to_millis

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

RECORDS = [(b"a", b"v", time, 0) for time in (1, 2, 12, 40, 3)] + [(b"b", b"", 50, 1)]


def windowed_counts(source: str, target: str) -> Topology:
    builder = StreamsBuilder()
    windows = TimeWindows.ofSizeWithNoGrace(to_millis(10, "size"))
    (
        builder.stream(source)
        .groupByKey(Grouped.with_(Serdes.String(), Serdes.String()))
        .windowedBy(windows)
        .count()
        .suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()))
        .toStream()
        .map(lambda key, count: (key.key(), str(count)))
        .to(target)
    )
    return builder.build()


def values(streams: KafkaStreams, name: str, **tags: str) -> Iterator[Any]:
    wanted = {key.replace("_", "-"): value for key, value in tags.items()}
    for found, metric in streams.metrics().items():
        if found.name() == name and wanted.items() <= found.tags().items():
            yield metric.metricValue()


def test_metrics_of_all_workers_are_added_up(spark: SparkSession, play: Playground) -> None:
    source, target = play.topic("in", 2), play.topic("out", 1)
    play.produce(source, RECORDS)
    config = play.config(metrics_recording_level="DEBUG", metrics_sample_window_ms=3_600_000)
    with KafkaStreams(windowed_counts(source, target), config, spark=spark) as streams:
        streams.start()
        eventually(lambda: sum(values(streams, "records-consumed-total", topic=source)), 6.0)
        assert sum(values(streams, "records-produced-total", topic=target)) == 2.0
        assert list(values(streams, "dropped-records-total", task_id="0_0")) == [1.0]
        assert list(values(streams, "late-record-drop-total", task_id="0_0")) == [1.0]
        assert list(values(streams, "record-lateness-max", task_id="0_0")) == [37.0, 37.0]
        assert sum(values(streams, "bytes-consumed-total")) == 5 * 2 + 1 + 6 * (20 + len(source))
        assert max(values(streams, "suppression-buffer-count-current", task_id="0_1")) == 1.0
        assert sum(values(streams, "suppression-emit-total", client_id=thread(play))) == 2.0
        assert list(values(streams, "alive-stream-threads")) == [1]
        node = "KSTREAM-SOURCE-0000000000"
        assert sum(values(streams, "process-total", processor_node_id=node)) == 6.0


def thread(play: Playground) -> str:
    return f"{play.name}-StreamThread-1"
