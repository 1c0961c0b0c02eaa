"""Reading of ranges of topics as the rows of Spark's Kafka source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from confluent_kafka import Message

from millstream.topology.spark.backfill.slices import Cut, Place
from millstream.topology.spark.clients.messages import MessageClient
from millstream.topology.spark.wire import binary_column
from millstream.topology.spark.worker.pack import SOURCE_COLUMNS

_HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


class TopicClient(MessageClient):
    """Reads records and offsets of topics."""

    def records(self, place: Place, start: int, stop: int) -> Iterator[pa.RecordBatch]:
        """Yield the records of a place from an offset to another one, in chunks.

        Where retention has deleted the first of them, it begins with the oldest record.

        Raises:
            StreamsException: The broker refuses, or does not have the records any more.
        """
        for messages in self.messages(place, start, stop):
            yield record_batch(place, messages)


def record_batch(place: Place, messages: Sequence[Message]) -> pa.RecordBatch:
    """Return messages of one place in the columns of Spark's Kafka source."""
    count = len(messages)
    headers: list[Any] = [message.headers() for message in messages]
    columns = [
        pa.repeat(pa.scalar(place[0], pa.string()), count),
        pa.repeat(pa.scalar(place[1], pa.int32()), count),
        pa.array([message.offset() for message in messages], pa.int64()),
        pa.array([message.timestamp()[1] for message in messages], pa.int64()),
        binary_column([message.key() for message in messages]),
        binary_column([message.value() for message in messages]),
        _headers(headers) if any(headers) else pa.nulls(count, _HEADERS),
    ]
    return pa.RecordBatch.from_arrays(columns, names=list(SOURCE_COLUMNS))


def _headers(all_headers: Sequence[Any]) -> pa.Array:
    plain = [
        [{"key": key, "value": value} for key, value in own] if own else None for own in all_headers
    ]
    return pa.array(plain, _HEADERS)


def clipped(found: Cut, ends: Cut) -> dict[Place, int]:
    """Return offsets found by time; the end where there is none."""
    return {place: found.get(place, end) for place, end in ends.items()}
