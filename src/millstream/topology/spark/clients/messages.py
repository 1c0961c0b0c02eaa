"""Reading of ranges of topics, and of their offsets, by librdkafka."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition
from confluent_kafka import KafkaException as ClientException

from millstream.core.errors import StreamsException
from millstream.topology.spark.clients.consumers import checked
from millstream.topology.spark.clients.settings import is_transient, raise_kafka_error

log = logging.getLogger(__name__)

Place = tuple[str, int]
"""Topic and partition."""
Offsets = Mapping[Place, int]

CHUNK = 16_384
"""Records of a chunk: as many as Spark's own source gives."""
_TIMEOUT_S = 10.0
_WAIT_S = 0.05
_READING: dict[str, Any] = {
    "enable.partition.eof": True,
    "auto.offset.reset": "error",
    "fetch.wait.max.ms": 10,
    "fetch.message.max.bytes": 16 << 20,
    "queued.min.messages": 4 * CHUNK,
}


class MessageClient:
    """Reads records and offsets of topics.

    Args:
        settings: The settings of the consumer, with its isolation level.
        patience_s: How long to wait for a broker that does not answer.
    """

    def __init__(self, settings: Mapping[str, Any], patience_s: float) -> None:
        self._consumer = Consumer({**settings, **_READING})
        self._settings = settings
        self._patience_s = max(patience_s, _TIMEOUT_S)

    def close(self) -> None:
        """Close the consumer."""
        self._consumer.close()

    def bounds(self, places: Iterable[Place]) -> dict[Place, tuple[int, int]]:
        """Return each place's first offset and its end, as the application may read it.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        try:
            return {place: self._bounds(place) for place in places}
        except ClientException as error:
            raise_kafka_error("cannot read the offsets of topics", error)

    def has_open_records(self, ends: Offsets) -> bool:
        """Return whether there are records behind ends, of transactions that are still open.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        return bool(self.open_ends(ends))

    def open_ends(self, ends: Offsets) -> dict[Place, int]:
        """Return the ends of the places that go on behind ends, open transactions included.

        A transaction's markers are written a moment after its commit.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        if self._settings.get("isolation.level") != "read_committed":
            return {}
        seeing_all = MessageClient({**self._settings, "isolation.level": "read_uncommitted"}, 0)
        try:
            found = seeing_all.bounds(ends)
            return {place: end for place, (_, end) in found.items() if end > ends[place]}
        finally:
            seeing_all.close()

    def at_time(self, places: Iterable[Place], time_ms: int) -> dict[Place, int]:
        """Return each place's first offset at or after a time; none where there is no such record.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        asked = [TopicPartition(*place, time_ms) for place in places]
        give_up = time.monotonic() + self._patience_s
        while True:
            try:
                found = checked(self._consumer.offsets_for_times(asked, _TIMEOUT_S))
                return {(p.topic, p.partition): p.offset for p in found if p.offset >= 0}
            except ClientException as error:
                if not is_transient(error) or time.monotonic() > give_up:
                    raise_kafka_error("cannot look offsets up by time", error)

    def messages(self, place: Place, start: int, stop: int) -> Iterator[list[Message]]:
        """Yield the records of a place from an offset to another one, in chunks.

        Where retention has deleted the first of them, it begins with the oldest record.

        Raises:
            StreamsException: The broker refuses, or does not have the records any more.
        """
        try:
            yield from self._messages(place, start, stop)
        except ClientException as error:
            where = f'partition {place[1]} of topic "{place[0]}"'
            raise_kafka_error(f"cannot read {where} from offset {start} to {stop}", error)

    def _messages(self, place: Place, start: int, stop: int) -> Iterator[list[Message]]:
        oldest, _ = self._bounds(place)
        if oldest > start:
            log.warning(
                "records are gone, as retention deletes them topic=%s partition=%d from=%d to=%d",
                *place,
                start,
                min(oldest, stop),
            )
            start = oldest
        if start >= stop:
            return
        self._consumer.assign([TopicPartition(*place, start)])
        try:
            yield from self._until(place, start, stop)
        finally:
            self._consumer.unassign()

    def _until(self, place: Place, at: int, stop: int) -> Iterator[list[Message]]:
        give_up = time.monotonic() + self._patience_s
        while at < stop:
            messages: list[Any] = self._consumer.consume(min(CHUNK, stop - at), _WAIT_S)
            good = [message for message in messages if message.error() is None]
            for message in messages:
                if message.error() is not None:
                    at = max(at, _end_of(message))
            if good:
                at = max(at, good[-1].offset() + 1)
                if at > stop:
                    good = [message for message in good if message.offset() < stop]
                give_up = time.monotonic() + self._patience_s
            elif time.monotonic() > give_up:
                self._shrunk(place, at, stop)
            if good:
                yield good

    def _bounds(self, place: Place) -> tuple[int, int]:
        found = self._consumer.get_watermark_offsets(TopicPartition(*place), _TIMEOUT_S)
        if found is None:
            raise ClientException(KafkaError(KafkaError._TIMED_OUT, "No answer"))
        return found

    def _shrunk(self, place: Place, at: int, stop: int) -> None:
        _, end = self._bounds(place)
        raise StreamsException(
            f'cannot read partition {place[1]} of topic "{place[0]}" up to offset {stop}',
            detail=f"No record has come after offset {at}; the topic ends at {end} now.",
            hint="Was the topic deleted and created again, or the broker restored from a backup?",
        )


def _end_of(message: Any) -> int:
    """Return the end of a partition that an event tells of.

    Raises:
        ClientException: It is an error.
    """
    error = message.error()
    if error.code() == KafkaError._PARTITION_EOF:
        return int(message.offset())
    if is_transient(error):
        return -1
    raise ClientException(error)
