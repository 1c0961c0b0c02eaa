"""The producer of records at time 0 names what has failed, whenever it hears of it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from confluent_kafka import KafkaException
from kafka.errors import KafkaError, MessageSizeTooLargeError
from kafka.future import Future

from millstream.topology.spark.worker.zero_time import ZeroTimeProducer


class StoppedClient:
    """Stands for a client that hears of the first record's failure before the next is sent."""

    def __init__(self, first: Future) -> None:
        self._first = first
        self._sent = 0

    def send(self, *record: Any) -> Any:
        self._sent += 1
        if self._sent == 1:
            return self._first
        raise KafkaError("Cannot perform send because at least one previous request has failed")


def new_producer(first: Future) -> ZeroTimeProducer:
    producer = object.__new__(ZeroTimeProducer)
    producer._failure = KafkaError
    producer._producer = StoppedClient(first)
    return producer


COLUMNS = {
    "keys": pa.array([b"a", b"b"]),
    "values": pa.array([b"x", b"y"]),
    "timestamps": pa.array([0, 0]),
}


def test_a_refused_send_says_why_an_earlier_record_has_failed() -> None:
    failed = Future()
    failed.failure(MessageSizeTooLargeError("too large"))
    with pytest.raises(KafkaException, match="too large") as caught:
        new_producer(failed).write([("out", COLUMNS)])
    assert caught.value.args[0].code() == MessageSizeTooLargeError.errno


def test_a_refused_send_is_raised_where_no_record_has_failed() -> None:
    with pytest.raises(KafkaException, match="at least one previous"):
        new_producer(Future()).write([("out", COLUMNS)])
