"""Input of the benchmark: warm-up records, then measured records, all written before a run."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from benchmarks.vs_kafka_streams.records import InputRecord, record, row
from benchmarks.vs_kafka_streams.workloads import PARTITIONS, Workload


def create_topic(bootstrap_servers: str, topic: str) -> None:
    """Create `topic` with two partitions and no retention limit; the old timestamps outlive it."""
    admin = AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 3})
    new = NewTopic(topic, PARTITIONS, 1, config={"retention.ms": "-1"})
    admin.create_topics([new])[topic].result(30)


def preload(
    bootstrap_servers: str, topics: Sequence[str], workload: Workload, first: int, count: int
) -> list[tuple[int, ...]]:
    """Append records number `first` to `first + count - 1`; return where each topic ends then."""
    rng = random.Random(first)
    _append(
        bootstrap_servers,
        topics,
        (record(workload, number, rng) for number in range(first, first + count)),
    )
    return [end_offsets(bootstrap_servers, topic) for topic in topics]


def preload_rows(bootstrap_servers: str, topics: Sequence[str], count: int) -> None:
    """Fill the second topic, as a table that is there before all else."""
    _append(bootstrap_servers, topics, map(row, range(count)))


def _append(bootstrap_servers: str, topics: Sequence[str], records: Iterable[InputRecord]) -> None:
    producer = Producer(
        {
            "bootstrap.servers": bootstrap_servers,
            "partitioner": "murmur2",
            "enable.idempotence": True,
            "log_level": 3,
            "linger.ms": 20,
            "batch.size": 1_000_000,
            "queue.buffering.max.messages": 10_000_000,
            "queue.buffering.max.kbytes": 2_000_000,
        }
    )
    for made in records:
        _produce(producer, topics[made.topic], made)
    if producer.flush(120):
        raise KafkaException("the preloaded records were not acknowledged within 120 s")


def _produce(producer: Producer, topic: str, made: InputRecord) -> None:
    while True:
        try:
            return producer.produce(
                topic, made.value, made.key, timestamp=made.timestamp, headers=made.headers or None
            )
        except BufferError:  # the queue is full; what is acknowledged leaves it
            producer.poll(1)


def end_offsets(bootstrap_servers: str, topic: str) -> tuple[int, ...]:
    """The end offset of each partition of `topic`, in order."""
    consumer = Consumer({"bootstrap.servers": bootstrap_servers, "group.id": "preload"})
    try:
        return tuple(
            consumer.get_watermark_offsets(TopicPartition(topic, p), timeout=30)[1]
            for p in range(PARTITIONS)
        )
    finally:
        consumer.close()
