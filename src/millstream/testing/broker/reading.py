"""Reading of a topic's committed records."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    TIMESTAMP_NOT_AVAILABLE,
    Consumer,
    KafkaError,
    TopicPartition,
)

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    SerializationException,
)
from millstream.core.headers import Header, Headers
from millstream.core.serdes import Serde, deserializer_call
from millstream.core.wording import a_kind
from millstream.testing.broker.errors import BrokerError, ReadTimeoutError
from millstream.testing.broker.halves import half
from millstream.testing.broker.waiting import Deadline
from millstream.testing.record import TestRecord
from millstream.testing.tables import RecordList
from millstream.topology.spark.clients.connecting import ConnectionErrors, all_topics

Settings = Mapping[str, Any]

_PAUSE_S = 0.1
_SHOWN_RECORDS = 3
_SHOWN_CHARACTERS = 200


@dataclass(frozen=True)
class Source:
    """What is read, and how its bytes become objects."""

    topic: str
    key_serde: Serde[Any] | None
    value_serde: Serde[Any] | None


def read(
    settings: Settings, source: Source, min_records: int, limit: Deadline
) -> list[TestRecord[Any, Any]]:
    """Return all records once there are enough."""
    if not isinstance(min_records, int) or isinstance(min_records, bool):
        raise ClassCastException(f"min_records cannot be {a_kind(min_records)}")
    if min_records < 0:
        raise IllegalArgumentException(f"min_records is {min_records}; it must be at least 0")
    to_record = _to_record(source)
    heard = ConnectionErrors()
    with _consumer(settings, heard) as consumer:
        found = _Found(consumer, heard)
        while not found.is_complete(min_records):
            if limit.is_over():
                raise _too_few(source, min_records, limit, found, to_record)
            if found.by_partition:
                found.take(min(_PAUSE_S, limit.left_s()))
            else:
                found.look_for(source.topic, settings, limit)
        return RecordList(to_record(each) for each in found.in_order())


class _Found:
    """The messages of a topic so far, and which partitions have no more."""

    def __init__(self, consumer: Consumer, heard: ConnectionErrors) -> None:
        self.by_partition: dict[int, list[Any]] = {}
        self._consumer = consumer
        self._at_end: set[int] = set()
        self._heard = heard

    def is_complete(self, min_records: int) -> bool:
        enough = sum(map(len, self.by_partition.values())) >= min_records
        return enough and len(self._at_end) == len(self.by_partition) > 0

    def look_for(self, topic: str, settings: Settings, limit: Deadline) -> None:
        """Begin to read, if the topic exists."""
        topics = all_topics(settings, limit.left_s())
        if topic not in topics:
            self._consumer.poll(min(_PAUSE_S, limit.left_s()))
            return
        self.by_partition = {number: [] for number in topics[topic].partitions}
        self._consumer.assign(
            [TopicPartition(topic, number, OFFSET_BEGINNING) for number in self.by_partition]
        )

    def take(self, patience_s: float) -> None:
        """Take what the broker has, or wait a moment for more."""
        for message in self._consumer.consume(1000, patience_s):
            error, partition = message.error(), message.partition() or 0
            if error is None:
                self.by_partition[partition].append(message)
                self._at_end.discard(partition)
            elif error.code() == KafkaError._PARTITION_EOF:
                self._at_end.add(partition)
            elif error.fatal() or not (error.retriable() or error.code() in _PASSING):
                raise BrokerError(f'cannot read topic "{message.topic()}"', detail=error.str())
        refused = self._heard.failure("cannot read from the broker")
        if refused is not None:
            raise refused from refused.__cause__

    def in_order(self) -> list[Any]:
        """Return the messages by partition and offset."""
        return [each for number in sorted(self.by_partition) for each in self.by_partition[number]]


_PASSING = (
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError._TRANSPORT,
    KafkaError._ALL_BROKERS_DOWN,
)
"""Errors of a moment, such as of a broker that restarts."""


@contextlib.contextmanager
def _consumer(settings: Settings, heard: ConnectionErrors) -> Iterator[Consumer]:
    own = {
        # Required, and not used: offsets are neither read nor committed.
        "group.id": "millstream-testing",
        "enable.auto.commit": False,
        "isolation.level": "read_committed",
        "enable.partition.eof": True,
        "fetch.wait.max.ms": 50,
        "error_cb": heard,
    }
    consumer = Consumer({**settings, **own})
    try:
        yield consumer
    finally:
        consumer.close()


def _to_record(source: Source) -> Any:
    to_key = deserializer_call(half(source.key_serde, "deserializer", "key_serde"))
    to_value = deserializer_call(half(source.value_serde, "deserializer", "value_serde"))

    def record(message: Any) -> TestRecord[Any, Any]:
        kind, timestamp = message.timestamp()
        headers = Headers(Header(name, data) for name, data in message.headers() or ())
        try:
            key = to_key(source.topic, headers, message.key())
            value = to_value(source.topic, headers, message.value())
        except Exception as error:
            raise SerializationException(
                f'cannot read a record of topic "{source.topic}"',
                error,
                detail=f"Partition {message.partition()}, offset {message.offset()}: "
                f"{type(error).__name__}: {error}",
                hint="Give the serdes that it was written with as key_serde and value_serde.",
            ) from error
        time = None if kind == TIMESTAMP_NOT_AVAILABLE else timestamp
        return TestRecord(key, value, headers, time)

    return record


def _too_few(
    source: Source, min_records: int, limit: Deadline, found: _Found, to_record: Any
) -> ReadTimeoutError:
    records = [to_record(each) for each in found.in_order()]
    count = f"{len(records)} record{'' if len(records) == 1 else 's'}"
    detail = "The topic does not exist." if not found.by_partition else ""
    if records:
        last = (repr(each)[:_SHOWN_CHARACTERS] for each in records[-_SHOWN_RECORDS:])
        detail = f"The last ones: {'; '.join(last)}"
    elif found.by_partition:
        detail = "Records of a transaction count when it is committed."
    error = ReadTimeoutError(
        f'topic "{source.topic}" has {count}, not {min_records}, after {limit.text}', detail=detail
    )
    error.records = records
    return error
