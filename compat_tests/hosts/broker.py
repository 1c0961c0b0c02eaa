"""What a run on a real broker needs of it, over clients that all runs share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)

# Its stubs do not export it.
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]
from kafka import KafkaProducer

from compat_tests.conformance.hosts import RawRecord
from compat_tests.kafka.topics import create_topics

PATIENCE_S = 180
_CREATE_TIME = 1
_NO_LEADER_YET = (
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._NOENT,
)


class BrokerClient:
    """Topics of one partition: makes, fills, watches and reads them."""

    def __init__(self, servers: str) -> None:
        self.servers = servers
        self._admin = AdminClient({"bootstrap.servers": servers})
        self._producer = Producer({"bootstrap.servers": servers, "linger.ms": 0})
        self._producer_at_zero = KafkaProducer(bootstrap_servers=servers, acks="all")
        self._reader = Consumer(
            {
                "bootstrap.servers": servers,
                "group.id": "reader",
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "fetch.queue.backoff.ms": 5,
                "fetch.wait.max.ms": 20,
            }
        )
        self._reading = threading.Lock()

    def create(self, names: Iterable[str]) -> None:
        """Make topics of one partition."""
        create_topics(self.servers, list(names))

    def delete(self, names: Iterable[str]) -> None:
        """Have topics removed, whenever the broker finds time for it."""
        if topics := list(names):
            self._admin.delete_topics(topics)

    def produce(self, records: Sequence[RawRecord]) -> None:
        """Send records and wait until the broker has them."""
        # librdkafka takes a time of 0 for no time, and writes the present one; the other client
        # refuses null headers, and records with neither key nor value.
        for at_zero, run in groupby(records, lambda record: record.timestamp == 0):
            if at_zero:
                self._produce_at_zero(list(run))
                continue
            for record in run:
                self._producer.produce(
                    record.topic,
                    record.value,
                    record.key,
                    0,
                    timestamp=record.timestamp,
                    headers=list(record.headers),
                )
            assert self._producer.flush(PATIENCE_S) == 0

    def ends(self, topics: Iterable[str]) -> dict[str, int]:
        """Offsets after the last record."""
        places = {TopicPartition(topic, 0): _latest() for topic in topics}

        def ask() -> dict[str, int]:
            found = self._admin.list_offsets(places) if places else {}
            return {place.topic: each.result(PATIENCE_S).offset for place, each in found.items()}

        return _when_led(ask)

    def committed(self, group: str, topics: Iterable[str]) -> dict[str, int]:
        """A group's offsets, 0 where it has none."""
        places = [TopicPartition(topic, 0) for topic in topics]
        asked = ConsumerGroupTopicPartitions(group, places)
        answer = self._admin.list_consumer_group_offsets([asked])[group].result(PATIENCE_S)
        return {place.topic: max(place.offset, 0) for place in answer.topic_partitions}

    def commit(self, group: str, offsets: Mapping[str, int]) -> None:
        """Set a group's offsets, as an earlier run of it would have."""
        places = [TopicPartition(topic, 0, offset) for topic, offset in offsets.items()]
        wanted = ConsumerGroupTopicPartitions(group, places)
        self._admin.alter_consumer_group_offsets([wanted])[group].result(PATIENCE_S)

    def read(self, topics: Iterable[str]) -> dict[str, list[RawRecord]]:
        """All committed records by topic, in their order there."""
        ends = {topic: end for topic, end in self.ends(topics).items() if end}
        found: dict[str, list[RawRecord]] = {topic: [] for topic in topics}
        with self._reading:
            self._reader.assign([TopicPartition(topic, 0, 0) for topic in ends])
            while any(len(found[topic]) < end for topic, end in ends.items()):
                message = self._reader.poll(PATIENCE_S)
                assert message is not None, f"the broker does not give out all of {ends}"
                found[str(message.topic())].append(_raw(message))
            self._reader.unassign()
        return found

    def _produce_at_zero(self, records: Sequence[RawRecord]) -> None:
        sent = [
            self._producer_at_zero.send(
                record.topic,
                record.value,
                record.key,
                list(record.headers),
                partition=0,
                timestamp_ms=0,
            )
            for record in records
        ]
        for each in sent:
            each.get(PATIENCE_S)

    def close(self) -> None:
        """Close the clients."""
        self._producer_at_zero.close()
        self._reader.close()


def _when_led(ask: Callable[[], dict[str, int]]) -> dict[str, int]:
    """The answer, once the brokers know who leads a topic that was just made."""
    give_up = time.monotonic() + PATIENCE_S
    while True:
        try:
            return ask()
        except KafkaException as error:
            if not error.args[0].retriable() and error.args[0].code() not in _NO_LEADER_YET:
                raise
            if time.monotonic() > give_up:
                raise
            # No broker says when a leader is known.
            time.sleep(0.05)


def _latest() -> Any:
    # Its stubs leave it untyped.
    return OffsetSpec.latest()  # type: ignore[no-untyped-call]


def _raw(message: Any) -> RawRecord:
    kind, timestamp = message.timestamp()
    assert kind == _CREATE_TIME
    return RawRecord(
        topic=message.topic(),
        key=message.key(),
        value=message.value(),
        timestamp=timestamp,
        headers=tuple(message.headers() or ()),
    )
