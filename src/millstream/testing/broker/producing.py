"""Writing of test records to a topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, groupby
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Producer

from millstream.core.errors import ClassCastException
from millstream.core.headers import Header, Headers
from millstream.core.keyvalue import KeyValue
from millstream.core.partitioning import default_partition
from millstream.core.serdes import Serde, serializer_call
from millstream.core.wording import a_kind
from millstream.testing.broker.errors import ProduceError
from millstream.testing.broker.halves import half
from millstream.testing.broker.waiting import Deadline
from millstream.testing.given import listed
from millstream.testing.record import TestRecord
from millstream.topology.spark.clients.connecting import all_topics

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Target:
    """Where records go, and how they become bytes."""

    topic: str
    key_serde: Serde[Any] | None
    value_serde: Serde[Any] | None
    partition: int | None


@dataclass(frozen=True)
class _Sent:
    key: bytes | None
    value: bytes | None
    partition: int
    timestamp: int | None
    headers: Sequence[tuple[str, bytes | None]]


def produce(settings: Settings, target: Target, records: Iterable[Any], limit: Deadline) -> None:
    """Write records, and wait for the acknowledgement of each."""
    topics = all_topics(settings, limit.left_s())
    if target.topic not in topics:
        raise ProduceError(
            f'cannot write to topic "{target.topic}": it does not exist',
            hint="Create it with create_topics.",
        )
    partitions = len(topics[target.topic].partitions)
    sent = list(_serialized(target, partitions, listed(records, "records")))
    try:
        # librdkafka takes a time of 0 for no time, and writes the present one.
        for at_zero, run in groupby(sent, lambda record: record.timestamp == 0):
            write = _write_at_zero if at_zero else _write
            write(settings, target.topic, list(run), limit)
    except KafkaException as error:
        raise _refused(target.topic, error.args[0]) from error


def _serialized(target: Target, partitions: int, records: Iterable[Any]) -> Iterator[_Sent]:
    key_bytes = serializer_call(half(target.key_serde, "serializer", "key_serde"))
    value_bytes = serializer_call(half(target.value_serde, "serializer", "value_serde"))
    in_turn = cycle(range(partitions))
    for each in records:
        record = _as_record(each)
        headers = record.headers().copy()
        key = key_bytes(target.topic, headers, record.key())
        value = value_bytes(target.topic, headers, record.value())
        if (partition := target.partition) is None:
            partition = next(in_turn) if key is None else default_partition(key, partitions)
        own = [(header.key(), header.value()) for header in headers]
        yield _Sent(key, value, partition, record.timestamp(), own)


def _as_record(given: Any) -> TestRecord[Any, Any]:
    if isinstance(given, TestRecord):
        return given
    if isinstance(given, KeyValue) or (isinstance(given, tuple) and len(given) == 2):
        return TestRecord(*given)
    raise ClassCastException(
        f"produce cannot take {a_kind(given)} as a record",
        hint="Give KeyValue(key, value), (key, value) or TestRecord(key, value, time).",
    )


def _write(settings: Settings, topic: str, records: Sequence[_Sent], limit: Deadline) -> None:
    failures: list[KafkaError] = []

    def note(error: KafkaError | None, message: Any) -> None:
        del message
        if error is not None:
            failures.append(error)

    wanted_ms = max(1, int(limit.left_s() * 1000))
    own = {"enable.idempotence": True, "linger.ms": 2, "delivery.timeout.ms": wanted_ms}
    own["request.timeout.ms"] = min(wanted_ms, 30_000)
    producer = Producer({**settings, **own})
    for record in records:
        now: dict[str, Any] = {} if record.timestamp is None else {"timestamp": record.timestamp}
        while True:
            try:
                producer.produce(
                    topic,
                    record.value,
                    record.key,
                    record.partition,
                    on_delivery=note,
                    headers=list(record.headers),
                    **now,
                )
                break
            except BufferError:
                # The client's queue is full; what is delivered leaves it.
                producer.poll(0.1)
    waiting = producer.flush(limit.left_s() + 1)
    if failures:
        raise _refused(topic, failures[0], len(failures))
    if waiting:
        raise ProduceError(
            f'{waiting} records for topic "{topic}" were not acknowledged within {limit.text}'
        )


def _write_at_zero(
    settings: Settings, topic: str, records: Sequence[_Sent], limit: Deadline
) -> None:
    del limit  # this client has one of its own
    # Slow to import, and needed for records at time 0 only.
    import pyarrow as pa

    from millstream.topology.spark.arrow_headers import headers_column
    from millstream.topology.spark.wire import binary_column
    from millstream.topology.spark.worker.zero_time import ZeroTimeProducer, can_write

    own = [Headers(Header(*each) for each in record.headers) for record in records]
    columns = {
        "keys": binary_column([each.key for each in records]),
        "values": binary_column([each.value for each in records]),
        "timestamps": pa.array([0] * len(records), pa.int64()),
        "partitions": pa.array([each.partition for each in records], pa.int32()),
    }
    if (headers := headers_column(own)) is not None:
        columns["headers"] = headers
    if not can_write(settings, [columns]):
        raise ProduceError(
            f'cannot write a record at time 0 to topic "{topic}"',
            detail="The client that can write this time takes no header whose value is None, and "
            "not every setting of TLS and SASL.",
            hint="Give the record another time.",
        )
    producer = ZeroTimeProducer(settings, None)
    try:
        producer.write([(topic, columns)])
    finally:
        producer.close()


def _refused(topic: str, error: KafkaError, count: int = 1) -> ProduceError:
    what = "a record" if count == 1 else f"{count} records"
    return ProduceError(f'{what} could not be written to topic "{topic}"', detail=error.str())
