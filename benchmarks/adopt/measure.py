"""Measurement of an adoption, by part."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition
from pyspark.sql import SparkSession

from benchmarks.adopt.topics import FIRST_TIME, SOURCE, TARGET, counts
from millstream import KafkaStreams
from millstream.core.config import StreamsConfig
from millstream.topology.spark.driver.session import new_session
from millstream.topology.spark.generations import generations
from millstream.topology.spark.migration import adopting
from millstream.topology.spark.migration.adoption import planned_adoption

_PATIENCE_S = 600


def measure(entries: dict[str, Any], updates: int) -> dict[str, float]:
    """Adopt the application and let it go on; return the seconds of each part.

    Args:
        entries: The application's configuration.
        updates: The count that each key has; that of the first one is checked afterwards.
    """
    found: dict[str, float] = {}
    config = StreamsConfig(entries)
    with _timed(found, "spark"):
        spark = new_session(config.merged(), config.getString("application.id"))
    with _timed(found, "adopt"):
        with _timed(found, "plan"):
            adoption = planned_adoption(counts(), config)
        with (
            _inside(found, "read", adopting, "adopted_state"),
            _inside(found, "write", generations, "write_seed"),
        ):
            adopting.adopt(config, adoption, spark)
    with _timed(found, "first batch"):
        _first_batch(entries, spark, updates)
    spark.stop()
    return found


def _first_batch(entries: dict[str, Any], spark: SparkSession, updates: int) -> None:
    servers = entries["bootstrap.servers"]
    producer = Producer({"bootstrap.servers": servers, "partitioner": "murmur2"})
    producer.produce(SOURCE, b"again", b"customer-%012d" % 1, timestamp=FIRST_TIME)
    producer.flush(30)
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "adopt-reader"})
    partitions = consumer.list_topics(TARGET).topics[TARGET].partitions
    consumer.assign([TopicPartition(TARGET, number, 0) for number in partitions])
    with KafkaStreams(counts(), entries, spark=spark) as streams:
        streams.start()
        message = consumer.poll(_PATIENCE_S)
        value = None if message is None else message.value()
        assert value is not None, "no result came"
        (count,) = struct.unpack(">q", value)
        assert count == updates + 1, f"the first result is {count}, and not {updates + 1}"
    consumer.close()


@contextmanager
def _timed(found: dict[str, float], name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    found[name] = found.get(name, 0.0) + time.perf_counter() - start


@contextmanager
def _inside(found: dict[str, float], name: str, module: Any, function: str) -> Iterator[None]:
    """Time the calls of a function of a module."""
    original: Callable[..., Any] = getattr(module, function)

    def timed(*arguments: Any, **named: Any) -> Any:
        with _timed(found, name):
            return original(*arguments, **named)

    setattr(module, function, timed)
    try:
        yield
    finally:
        setattr(module, function, original)
