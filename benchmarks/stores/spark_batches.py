"""Benchmark of whole batches on Spark, with states of several sizes.

One application for each size, all in one session, fed in turns: whatever else the machine does
falls on all sizes alike.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from pyspark.sql import SparkSession

from millstream import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    Topology,
)
from millstream.testing.broker import EmbeddedBroker

CHANGED = 1_000
"""Keys that a batch changes."""
WARM_UP = 10
_POLL_S = 0.01
_PATIENCE_S = 300


def spark_batch_rows(store: str, sizes: Sequence[int], batches: int) -> list[dict[str, Any]]:
    """Return what a batch costs over a state of each number of keys."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="millstream-bench-")))
        servers = stack.enter_context(EmbeddedBroker()).bootstrap_servers
        applications = [_Application(servers, store, keys, folder) for keys in sizes]
        for each in applications:
            stack.enter_context(each.streams)
            each.fill()
        times: list[list[float]] = [[] for _ in sizes]
        for _ in range(WARM_UP + batches):
            for each, found in zip(applications, times, strict=True):
                found.append(each.change())
    return [_row(found[WARM_UP:]) for found in times]


class _Application:
    """Counts over one state; one partition, so one task."""

    def __init__(self, servers: str, store: str, keys: int, folder: Path) -> None:
        name = f"{store}-{keys}"
        self._topic = f"{name}-in"
        self._keys = keys
        self._random = Random(keys)
        self._seen = -1
        _create_topics(servers, self._topic, f"{name}-out")
        # A batch's records fit into one request: the broker appends them in one step, and Spark
        # never sees half of them.
        self._producer = Producer(
            {
                "bootstrap.servers": servers,
                "linger.ms": 1_000,
                "batch.size": 1_000_000,
                "batch.num.messages": CHANGED,
                "queue.buffering.max.messages": 2 * max(keys, CHANGED),
            }
        )
        config = {
            "application.id": name,
            "bootstrap.servers": servers,
            "state.dir": str(folder / name),
            "default.dsl.store": store,
            "commit.interval.ms": 100,
            "spark.master": "local[1]",
        }
        self.streams = KafkaStreams(
            _counting(self._topic, f"{name}-out"), config, spark=SparkSession.getActiveSession()
        )

    def fill(self) -> None:
        """Give every key a count."""
        self._send(range(self._keys))
        left = self._keys
        for records, _ in self._finished():
            left -= records
            if left <= 0:
                return

    def change(self) -> float:
        """Change some keys; return the milliseconds of the batch."""
        self._send(self._random.sample(range(self._keys), CHANGED))
        records, time_ms = next(self._finished())
        assert records == CHANGED
        return time_ms

    def _send(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._producer.produce(self._topic, b"v", b"key-%012d" % number)
            self._producer.poll(0)
        self._producer.flush()

    def _finished(self) -> Iterator[tuple[int, float]]:
        """Yield records and milliseconds of each batch that ends from now on."""
        limit = time.monotonic() + _PATIENCE_S
        while time.monotonic() < limit:
            found = {name.name(): each.metricValue() for name, each in self._measured()}
            if found.get("records") and found["batch-id"] != self._seen:
                self._seen = found["batch-id"]
                yield int(found["records"]), found["batch-time-ms"]
            time.sleep(_POLL_S)
        raise TimeoutError(f"no batch of {self._topic} ended within {_PATIENCE_S} s")

    def _measured(self) -> list[tuple[Any, Any]]:
        return list(self.streams.metrics().items())


def _create_topics(servers: str, *names: str) -> None:
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 3})
    for created in admin.create_topics([NewTopic(name, 1, 1) for name in names]).values():
        created.result(30)


def _counting(source: str, sink: str) -> Topology:
    text, number = Serdes.String(), Serdes.Long()
    builder = StreamsBuilder()
    counts = Materialized.as_("counts").withKeySerde(text).withValueSerde(number)
    stream = builder.stream(source, Consumed.with_(text, text))
    table = stream.groupByKey(Grouped.with_(text, text)).count(counts)
    table.toStream().to(sink, Produced.with_(text, number))
    return builder.build()


def _row(times: list[float]) -> dict[str, Any]:
    typical = median(times)
    return {"batch_ms": round(typical, 1), "worst_batch": round(max(times) / typical, 2)}
