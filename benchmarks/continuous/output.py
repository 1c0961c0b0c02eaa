"""The transactions of one task: records, changes of stores and offsets, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import Producer, TopicPartition

from millstream.core.engine.output import SentChunk
from millstream.topology.spark.clients.deadlines import close_in_background, in_time

_TIMEOUT_S = 30.0
_SETTINGS = {
    # What is sent leaves at the commit at the latest, which does not wait for this.
    "linger.ms": 5,
    # A successor has to wait for nothing: it ends what its predecessor began.
    "transaction.timeout.ms": 10_000,
}


class Output:
    """The producer of one task; its first call ends what an earlier one has left open.

    After an error it cannot be used again: whether a transaction was committed is then known only
    to the broker. The next producer of the same id asks it.

    Args:
        settings: Settings of the application's producers.
        transactional_id: The task's.

    Raises:
        KafkaException: The broker refuses or does not answer.
    """

    def __init__(self, settings: Mapping[str, Any], transactional_id: str) -> None:
        own = {**settings, **_SETTINGS, "transactional.id": transactional_id}
        self._producer = Producer(own)
        self._open = False
        in_time("init_transactions", lambda: self._producer.init_transactions(_TIMEOUT_S))

    def send(self, chunk: SentChunk) -> None:
        """Send records as part of the current transaction.

        Raises:
            KafkaException: An earlier record cannot be written.
        """
        self._begin()
        produce, topic = self._producer.produce, chunk.topic
        count = len(chunk)
        partitions: Sequence[int | None] = chunk.partitions or (-1,) * count
        rows = zip(chunk.values, chunk.keys, partitions, chunk.timestamps, strict=True)
        if chunk.headers is None:
            for value, key, partition, timestamp in rows:
                place = -1 if partition is None else partition
                try:
                    produce(topic, value, key, place, None, None, timestamp)
                except BufferError:
                    self._later(topic, value, key, place, None, None, timestamp)
            return
        for (value, key, partition, timestamp), headers in zip(rows, chunk.headers, strict=True):
            plain = [(header.key(), header.value()) for header in headers or ()]
            place = -1 if partition is None else partition
            self._later(topic, value, key, place, None, None, timestamp, plain)

    def commit(self, offsets: list[TopicPartition], group: Any) -> None:
        """Commit the transaction, with offsets if there are any.

        Raises:
            KafkaException: It was aborted, or its end is not known.
        """
        self._begin()
        producer = self._producer
        if offsets:
            in_time(
                "send_offsets_to_transaction",
                lambda: producer.send_offsets_to_transaction(offsets, group, _TIMEOUT_S),
            )
        in_time("commit_transaction", lambda: producer.commit_transaction(_TIMEOUT_S))
        self._open = False

    def close(self) -> None:
        """Let go of the producer; a transaction that is open is aborted by the next one."""
        close_in_background(self._producer)

    def _begin(self) -> None:
        if not self._open:
            self._producer.begin_transaction()
            self._open = True

    def _later(self, *record: Any) -> None:
        """Send a record once the queue has room for it."""
        while True:
            try:
                self._producer.produce(*record)
            except BufferError:
                self._producer.poll(0.05)
            else:
                return
