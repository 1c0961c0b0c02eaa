"""Writer for batches with records at event time 0.

librdkafka would replace 0 by the present time. The other client writes 0, at a tenth of the speed,
so only batches with such a record use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from confluent_kafka import TopicPartition

from millstream.topology.spark.arrow_headers import headers_list
from millstream.topology.spark.clients.deadlines import LIMIT_S, in_time
from millstream.topology.spark.clients.python_client import (
    as_client_exception,
    can_connect,
    python_settings,
)
from millstream.topology.spark.wire import to_list

if TYPE_CHECKING:
    from kafka import KafkaProducer

Columns = Mapping[str, pa.Array]

_DELIVERY_TIMEOUT_S = 60
_SIZE = "message.max.bytes"


def has_zero_time(columns: Columns) -> bool:
    """Return whether a chunk has a record with event time 0."""
    return bool((columns["timestamps"].to_numpy(zero_copy_only=False) == 0).any())


def can_write(settings: Mapping[str, Any], chunks: Sequence[Columns]) -> bool:
    """Return whether the client can connect with these settings and send all of these records."""
    return can_connect(settings) and not any(_has_null_header(columns) for columns in chunks)


class ZeroTimeProducer:
    """A producer that keeps event times of 0.

    Args:
        settings: A producer's settings, by librdkafka's names.
        transactional_id: Its transactional id; None without transactions.

    Raises:
        ClientException: No broker answers, or it refuses the transactional id.
    """

    def __init__(self, settings: Mapping[str, Any], transactional_id: str | None) -> None:
        # Imported here: few workers need it, and the import is slow.
        from kafka import KafkaProducer, errors
        from kafka.serializer import Serializer

        Serializer.register(_NullSerializer)
        null_serializer: Any = _NullSerializer()

        self._failure: type[Exception] = errors.KafkaError
        own = python_settings(settings)
        if _SIZE in settings:
            own["max_request_size"] = settings[_SIZE]
        self._transactional = transactional_id is not None
        try:
            self._producer: KafkaProducer = in_time(
                "connect",
                lambda: KafkaProducer(
                    **own,
                    transactional_id=transactional_id,
                    acks="all",
                    delivery_timeout_ms=_DELIVERY_TIMEOUT_S * 1000,
                    value_serializer=null_serializer,
                ),
            )
            if self._transactional:
                in_time("init_transactions", self._producer.init_transactions)
        except self._failure as error:
            raise as_client_exception(error) from error

    def write(self, outputs: Sequence[tuple[str, Columns]]) -> None:
        """Send chunks and wait until the broker has them; not within a transaction.

        Raises:
            ClientException: Kafka refuses a request or does not answer.
        """
        try:
            self._send(outputs)
        except self._failure as error:
            raise as_client_exception(error) from error

    def write_transaction(
        self,
        outputs: Sequence[tuple[str, Columns]],
        offsets: Sequence[TopicPartition],
        group: str,
    ) -> None:
        """Send chunks and commit offsets in one transaction.

        Raises:
            ClientException: Kafka refuses a request or does not answer.
        """
        from kafka.structs import OffsetAndMetadata
        from kafka.structs import TopicPartition as Place

        committed = {
            Place(each.topic, each.partition): OffsetAndMetadata(
                each.offset, each.metadata or "", -1
            )
            for each in offsets
        }
        producer = self._producer
        try:
            producer.begin_transaction()
            try:
                in_time(
                    "send_offsets_to_transaction",
                    lambda: producer.send_offsets_to_transaction(committed, group),
                )
                self._send(outputs)
                in_time("commit_transaction", producer.commit_transaction)
            except self._failure:
                # If it fails, the next producer's initialisation aborts the transaction.
                with suppress(self._failure):
                    in_time("abort_transaction", producer.abort_transaction)
                raise
        except self._failure as error:
            raise as_client_exception(error) from error

    def close(self) -> None:
        """Disconnect."""
        self._producer.close(timeout=1)

    def _send(self, outputs: Sequence[tuple[str, Columns]]) -> None:
        sent = []
        for topic, columns in outputs:
            count = len(columns["keys"])
            headers = headers_list(columns.get("headers")) or [None] * count
            partitions = [None] * count
            if "partitions" in columns:
                partitions = columns["partitions"].to_pylist()
            for key, value, time, partition, own in zip(
                to_list(columns["keys"]),
                to_list(columns["values"]),
                to_list(columns["timestamps"]),
                partitions,
                headers,
                strict=True,
            ):
                plain: Any = [(header.key(), header.value()) for header in own or ()]
                content = _NULL if value is None else value
                try:
                    sent.append(self._producer.send(topic, content, key, plain, partition, time))
                except self._failure:
                    # The client says only that an earlier record has failed.
                    for each in sent:
                        if each.failed():
                            raise each.exception from None
                    raise

        def wait() -> None:
            # After its delivery timeout each record is sent or has failed. The client's own flush
            # fails where it splits a batch that is too large for the topic.
            for each in sent:
                each.get(_DELIVERY_TIMEOUT_S + LIMIT_S)

        in_time("flush", wait, _DELIVERY_TIMEOUT_S + LIMIT_S)


class _Null(bytes):
    """Placeholder for a null value where the client requires bytes."""


_NULL = _Null()


class _NullSerializer:
    """Serializer that restores null: the client refuses records without key and value."""

    def serialize(self, topic: str, headers: Any, data: bytes) -> bytes | None:
        """Return a record's value."""
        return None if data is _NULL else data


def _has_null_header(columns: Columns) -> bool:
    headers = headers_list(columns.get("headers")) or ()
    return any(header.value() is None for own in headers for header in own or ())
