"""Hands chunks of records to a producer, whose batches a topic may find too large."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from confluent_kafka import Producer

from millstream.topology.spark.arrow_headers import header_pairs
from millstream.topology.spark.wire import to_list
from millstream.topology.spark.worker.feedback import marked

_IN_FLIGHT = 500_000
_SMALL_BATCH = 16_384
"""Kafka's own batch.size."""
_CLIENTS_BATCH = 1_000_000
"""That of librdkafka."""


def smaller_batches(settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a producer's settings with smaller batches; None if they hold one record already.

    ``max.message.bytes`` of a topic limits batches, not records. Kafka's producer splits a batch
    that is refused for its size; librdkafka gives up all of its records.
    """
    if settings.get("batch.num.messages") == 1:
        return None
    if settings.get("batch.size", _CLIENTS_BATCH) > _SMALL_BATCH:
        return {**settings, "batch.size": _SMALL_BATCH}
    return {**settings, "batch.num.messages": 1}


def produce(
    producer: Producer,
    topic: str,
    columns: Mapping[str, Any],
    check: Callable[[], object],
    *,
    is_feedback: bool,
) -> None:
    """Hand the records of a chunk to a producer, which sends them in the background.

    Args:
        producer: The producer.
        topic: Their topic.
        columns: The chunk.
        check: Raises if a record has failed.
        is_feedback: Whether the topic leads back: there, an event time of 0 is marked.

    Raises:
        ClientException: The client refuses a record.
    """
    count = len(columns["keys"])
    _make_room(producer, count, check)
    send = producer.produce
    partitions = [-1] * count
    if "partitions" in columns:
        partitions = [-1 if p is None else p for p in columns["partitions"].to_pylist()]
    rows: Any = zip(
        to_list(columns["values"]),
        to_list(columns["keys"]),
        partitions,
        timestamps := to_list(columns["timestamps"]),
        strict=True,
    )
    headers = header_pairs(columns.get("headers"))
    marks = is_feedback and 0 in timestamps
    if headers is None and not marks:
        for value, key, partition, timestamp in rows:
            try:
                send(topic, value, key, partition, None, None, timestamp)
            except BufferError:
                _send_later(producer, check, topic, value, key, partition, None, None, timestamp)
        return
    each: Iterable[Any] = [[]] * count if headers is None else headers
    plain: Any
    for (value, key, partition, timestamp), plain in zip(rows, each, strict=True):
        if marks:
            plain = marked(timestamp, plain)
        record = (topic, value, key, partition, None, None, timestamp, plain)
        try:
            send(*record)
        except BufferError:
            _send_later(producer, check, *record)


def _send_later(producer: Producer, check: Callable[[], object], *record: Any) -> None:
    """Send a record when the queue has room for it; raise if a queued record has failed."""
    while True:
        producer.poll(0.05)
        check()
        try:
            return producer.produce(*record)
        except BufferError:
            continue


def _make_room(producer: Producer, count: int, check: Callable[[], object]) -> None:
    while len(producer) + count > max(_IN_FLIGHT, count):
        producer.poll(0.05)
        check()
    producer.poll(0)
