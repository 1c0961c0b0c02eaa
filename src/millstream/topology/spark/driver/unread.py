"""Unread records of topics with more partitions than before, and where their keys belong now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka import KafkaException as ClientException

from millstream.core.config import StreamsConfig
from millstream.core.errors import StreamsException
from millstream.topology.savepoints.subscriptions import PartitionOf
from millstream.topology.spark.clients.consumers import connected
from millstream.topology.spark.clients.settings import consumer_settings

TIMEOUT_S = 10.0
_SILENCE_S = 60.0
_RECORDS = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class GrownTopic:
    """A source topic whose number of partitions has changed."""

    topic: str
    partitions: int
    """How many it has now."""
    positions: Mapping[int, int]
    """Partition -> offset of the next record to read; of those that it had before."""
    place: PartitionOf
    """Where keys belong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadRecords:
    """Records of one topic that the application has not read yet."""

    topic: str
    records: int
    misplaced: int
    """Those in partitions where their keys do not belong any more."""


def unread_records(config: StreamsConfig, topics: list[GrownTopic]) -> list[UnreadRecords]:
    """Read the keys of all unread records in the former partitions of topics, and count them.

    Raises:
        StreamsException: The broker refuses or does not answer.
    """
    found = []
    settings = consumer_settings(config, config.getString("application.id"))
    for topic in topics:
        problem = f'cannot read the unread records of topic "{topic.topic}"'
        records = misplaced = 0
        with connected({**settings, "enable.partition.eof": True}, problem) as consumer:
            for partition, key in _keys(consumer, topic, problem):
                records += 1
                if key is not None and topic.place(key, topic.partitions) != partition:
                    misplaced += 1
        found.append(UnreadRecords(topic=topic.topic, records=records, misplaced=misplaced))
    return found


def _keys(
    consumer: Consumer, topic: GrownTopic, problem: str
) -> Iterator[tuple[int, bytes | None]]:
    """Yield the partition and the key of each record up to the end."""
    waiting, places = set[int](), []
    for partition, position in sorted(topic.positions.items()):
        bounds = consumer.get_watermark_offsets(TopicPartition(topic.topic, partition), TIMEOUT_S)
        start = max(position, bounds[0])
        if start < bounds[1]:
            waiting.add(partition)
            places.append(TopicPartition(topic.topic, partition, start))
    if places:
        consumer.assign(places)
    while waiting:
        messages: list[Any] = consumer.consume(_RECORDS, _SILENCE_S)
        if not messages:
            raise StreamsException(problem, detail=f"Nothing came within {_SILENCE_S:.0f} s.")
        for message in messages:
            error = message.error()
            if error is None:
                yield message.partition(), message.key()
            elif error.code() == KafkaError._PARTITION_EOF:
                waiting.discard(message.partition())
            else:
                raise ClientException(error)
