"""Local stores brought to the committed offsets, from their changelog topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from millstream.core.state.changelog_format import ChangelogRecord, Header
from millstream.core.store import ByteStore
from millstream.core.working_copy import WorkingCopy
from millstream.topology.spark.logged_store import LoggedStore
from millstream.topology.spark.state.copies import UNFINISHED, empty

_AT_ONCE = 10_000
_PATIENCE_S = 30.0


class Restorer:
    """Restores the stores of one task.

    Args:
        stores: Store -> its changelog topic.
        partition: The task's partition.
        version: The committed offsets, as a store's version.
        consumer: Settings of the application's consumers.
    """

    def __init__(
        self,
        stores: Mapping[str, LoggedStore],
        partition: int,
        version: bytes,
        consumer: Mapping[str, Any],
    ) -> None:
        self._stores = stores
        self._partition = partition
        self._version = version
        self._settings = consumer
        self.summaries: dict[tuple[str, int], bytes] = {}
        """Store and partition -> what its changelog knows besides its rows."""
        self.read: dict[str, int] = {}
        """Store -> records of its changelog that were read; none of a copy that goes on."""

    def __call__(self, name: str, store: ByteStore) -> None:
        """Bring a store to the committed offsets.

        Its version tells whether it is there. A copy that is not misses the last transaction, whose
        end its writer did not live to see, or is of another machine's past: it is built anew.
        """
        if store.version() == self._version:
            return
        logged = self._stores[name]
        records = list(self._records(logged.topic))
        self.read[name] = len(records)
        # Tombstones and older values count for the summary as well.
        self.summaries[name, self._partition] = logged.format.summary_of_records(records)
        rows = logged.format.replayed(records)
        empty(WorkingCopy(store, name=name))
        while some := dict(islice(rows, _AT_ONCE)):
            store.write(some, UNFINISHED)
        store.write({}, self._version)

    def _records(self, topic: str) -> Iterator[ChangelogRecord]:
        """Yield the committed records of the task's changelog, to its end."""
        # A read_committed consumer stops at the first open transaction. There is none: the
        # transactional id has been initialised before.
        settings = {**self._settings, "enable.partition.eof": True, "auto.offset.reset": "earliest"}
        consumer = Consumer(settings)
        consumer.assign([TopicPartition(topic, self._partition, OFFSET_BEGINNING)])
        try:
            while True:
                # ``consume`` would wait for as many records as it is asked for.
                first = consumer.poll(_PATIENCE_S)
                if first is None:
                    raise KafkaException(KafkaError(KafkaError._TIMED_OUT, f"reading {topic}"))
                for message in (first, *consumer.consume(_AT_ONCE, 0)):
                    error = message.error()
                    if error is None:
                        yield _record(message)
                    elif error.code() == KafkaError._PARTITION_EOF:
                        return
                    else:
                        raise KafkaException(error)
        finally:
            consumer.close()


def _record(message: Message) -> ChangelogRecord:
    # A changelog has no record without a key.
    key = cast("bytes", message.key())
    headers = cast("Sequence[Header]", message.headers() or ())
    return ChangelogRecord(key, message.value(), message.timestamp()[1], headers)
