"""The application of the soak, in a process of its own.

``python -m benchmarks.soak.program CONFIG``: CONFIG is JSON. Runs until its standard input ends,
then closes. A line of JSON on standard output, every few seconds, tells how far it is.
"""

from __future__ import annotations

import json
import sys
import threading
from contextlib import suppress
from typing import Any

from pyspark.sql import SparkSession

from millstream import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    QueryableStoreTypes,
    Serdes,
    StoreQueryParameters,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)
from millstream.topology.spark.progress import GROUP

SOURCE, COUNTS, WINDOWS = "soak-in", "soak-counts", "soak-windows"
STORE = "counts"
"""The store of the counts by key."""
_EVERY_S = 5.0
"""Seconds between two lines."""


def topology(windows: bool = True) -> Topology:
    """Return the program: counts by key; behind a repartition, counts by window.

    Args:
        windows: Whether it has the second part.
    """
    text, number = Serdes.String(), Serdes.Long()
    builder = StreamsBuilder()
    stream = builder.stream(SOURCE, Consumed.with_(text, text))
    counts = stream.groupByKey(Grouped.with_(text, text)).count(
        Materialized.as_(STORE).withKeySerde(text).withValueSerde(number)
    )
    counts.toStream().to(COUNTS, Produced.with_(text, number))
    if windows:
        unbounded = Suppressed.BufferConfig.unbounded()
        by_group = stream.groupBy(lambda key, _: "g" + key[-3:], Grouped.with_(text, text))
        windowed = by_group.windowedBy(TimeWindows.ofSizeAndGrace(30_000, 5_000)).count(
            Materialized.as_("windows").withRetention(60_000)
        )
        closed = windowed.suppress(Suppressed.untilWindowCloses(unbounded)).toStream()
        closed.selectKey(lambda windowed, _: windowed.key()).to(
            WINDOWS, Produced.with_(text, number)
        )
    return builder.build()


def main() -> None:
    """Run until standard input ends."""
    config = json.loads(sys.argv[1])
    own = {name: config.pop(f"soak.{name}") for name in ("windows", "queries")}
    streams = KafkaStreams(topology(own["windows"]), config)
    streams.start()
    stopping = threading.Event()
    reporter = threading.Thread(target=_report, args=(streams, stopping, own["queries"]))
    reporter.start()
    threading.Thread(target=_close_at_end_of_input, args=(streams, stopping), daemon=True).start()
    try:
        streams.wait()
    finally:
        # Otherwise it would keep the process of an application that has failed.
        stopping.set()
        reporter.join()
    SparkSession.builder.getOrCreate().stop()


def _report(streams: KafkaStreams, stopping: threading.Event, queries: bool) -> None:
    while not stopping.wait(_EVERY_S):
        # The application may close at any moment.
        with suppress(Exception):
            facts = _progress(streams)
            facts |= _heap()
            if queries:
                facts["queried"] = _query(streams)
            print(json.dumps(facts), flush=True)


def _progress(streams: KafkaStreams) -> dict[str, Any]:
    metrics = streams.metrics()
    found: dict[str, Any] = {"metrics": len(metrics)}
    names = {"batch-id": "batch", "batch-time-ms": "batch_ms", "records-lag": "lag"}
    for name, metric in metrics.items():
        if name.group() == GROUP and name.name() in names:
            found[names[name.name()]] = metric.metricValue()
        tags = dict(name.tags())
        if name.name() == "records-consumed-total" and tags.get("topic") == SOURCE:
            found["read"] = found.get("read", 0) + metric.metricValue()
    return found


def _query(streams: KafkaStreams) -> int:
    kind = QueryableStoreTypes.keyValueStore()
    store = streams.store(StoreQueryParameters.fromNameAndType(STORE, kind))
    return store.approximateNumEntries()


def _heap() -> dict[str, float]:
    """Return what the JVM's heap held after its last collections, and its loaded classes."""
    jvm: Any = SparkSession.builder.getOrCreate()._jvm
    factory = jvm.java.lang.management.ManagementFactory
    used = 0
    for pool in factory.getMemoryPoolMXBeans():
        after = pool.getCollectionUsage()
        used += 0 if after is None else after.getUsed()
    return {
        "heap_mb": used / 2**20,
        "heap_committed_mb": factory.getMemoryMXBean().getHeapMemoryUsage().getCommitted() / 2**20,
        "heap_used_mb": factory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 2**20,
        "classes": factory.getClassLoadingMXBean().getLoadedClassCount(),
    }


def _close_at_end_of_input(streams: KafkaStreams, stopping: threading.Event) -> None:
    sys.stdin.read()
    stopping.set()
    streams.close()


if __name__ == "__main__":
    main()
