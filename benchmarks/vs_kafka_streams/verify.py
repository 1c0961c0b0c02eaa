"""Comparison of both sides' output, read by a read_committed consumer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from benchmarks.vs_kafka_streams.errors import BenchmarkError
from benchmarks.vs_kafka_streams.preload import end_offsets
from benchmarks.vs_kafka_streams.rounds import drain
from benchmarks.vs_kafka_streams.sides import Side
from benchmarks.vs_kafka_streams.workloads import WORKLOADS, Job

_SHOWN = 3

Results = Counter[object]


def verify(job: Job, sides: Sequence[Side], folder: Path) -> int:
    """Drain with both sides; return how many final results were compared.

    The final result of a key is the last record of it, if that has a value: how many deletions are
    written of what has come and gone depends on when caches are flushed. Where a workload has no
    final results, every record is compared.

    Raises:
        BenchmarkError: The results differ; the first few differences are in the message.
    """
    one, other = (results(job, _told(job, side), folder) for side in sides)
    if one != other:
        lines = [
            f"only {side.name} has {found!r}"
            for side, more in zip(sides, (one - other, other - one), strict=True)
            for found in sorted(more, key=repr)[:_SHOWN]
        ]
        raise BenchmarkError(f"the results of {job.workload} differ", detail="; ".join(lines) + ".")
    return one.total()


def _told(job: Job, side: Side) -> Side:
    if side.name != "kafka_streams":
        return side
    return replace(side, config={**side.config, **WORKLOADS[job.workload].verify_with})


def results(job: Job, side: Side, folder: Path) -> Results:
    """What the output topic of `side` says in the end.

    A result is a tuple of partition, key, value, timestamp and headers.
    """
    topic = drain(job, side, folder, timed=False).output_topic
    workload = WORKLOADS[job.workload]
    records = [
        (
            *(m.partition(), m.key(), m.value()),
            *(0 if workload.times_vary else m.timestamp()[1], tuple(m.headers() or ())),
        )
        for m in read(job.bootstrap_servers, topic)
    ]
    if workload.every_record:
        return Counter(records)
    final = {(record[0], record[1]): record for record in records}
    return Counter(record for record in final.values() if record[2] is not None)


def read(bootstrap_servers: str, topic: str) -> Iterator[Message]:
    """Every committed record of `topic` up to where it ends now."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap_servers,
            "group.id": "verify",
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    ends = end_offsets(bootstrap_servers, topic)
    consumer.assign([TopicPartition(topic, p, 0) for p, end in enumerate(ends) if end])
    left = sum(1 for end in ends if end)
    try:
        while left:
            message = consumer.poll(30)
            if message is None:
                raise BenchmarkError(f'topic "{topic}" cannot be read to its end')
            error = message.error()
            if error is None:
                yield message
            elif error.code() == KafkaError._PARTITION_EOF:
                left -= 1
            else:
                raise KafkaException(error)
    finally:
        consumer.close()
