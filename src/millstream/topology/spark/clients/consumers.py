"""Requests about a group's offsets, through consumers that read no records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka import KafkaException as ClientException

from millstream.topology.spark.clients.connecting import ConnectionErrors
from millstream.topology.spark.clients.deadlines import in_time
from millstream.topology.spark.clients.rights import Right, kind_of
from millstream.topology.spark.clients.settings import (
    code_of,
    raise_kafka_error,
    with_coordinator,
)

_REFUSAL_S = 5.0
"""How long a request waits before its client is asked whether it was refused."""


@contextmanager
def connected(settings: Mapping[str, Any], problem: str) -> Iterator[Consumer]:
    """Make a consumer, and close it at the end of the block.

    Raises:
        StreamsException: ``problem``: the broker refuses a request or the user, or does not answer.
    """
    heard = ConnectionErrors()
    consumer = Consumer({**settings, "error_cb": heard})
    try:
        yield consumer
    except ClientException as error:
        # A client that is not let in tries again until the request is out of time.
        in_time("poll", lambda: consumer.poll(0))
        if (refused := heard.failure(problem)) is not None:
            raise refused from refused.__cause__
        group = Right("Read", "group", str(settings.get("group.id", "")))
        raise_kafka_error(problem, error, [group, Right("Read", "topic")])
    finally:
        in_time("close", consumer.close)


def committed(
    consumer: Consumer, places: list[TopicPartition], patience_s: float, timeout_s: float
) -> list[TopicPartition]:
    """Return the committed offsets of partitions, in one request.

    Args:
        consumer: A member of the group.
        places: The partitions.
        patience_s: How long to wait for the group's coordinator.
        timeout_s: Timeout of the request.

    Raises:
        ClientException: The broker refuses, for one partition at least, or does not answer.
    """

    def ask() -> list[TopicPartition]:
        first = min(_REFUSAL_S, timeout_s)
        try:
            return in_time("committed", lambda: consumer.committed(places, first))
        except ClientException as error:
            if code_of(error) != KafkaError._TIMED_OUT:
                raise
            # A client that may not ask for the coordinator asks until the request is out of time.
            heard = in_time("poll", lambda: consumer.poll(0))
            refused = None if heard is None else heard.error()
            if refused is not None and kind_of(refused.code()) is not None:
                raise ClientException(refused) from error
            if timeout_s <= first:
                raise
        return in_time("committed", lambda: consumer.committed(places, timeout_s - first))

    return checked(with_coordinator(ask, patience_s))


def offsets_only(group: str, *, stable: bool = False) -> dict[str, Any]:
    """Return the settings of a consumer that only reads a group's offsets.

    Args:
        group: The group.
        stable: Whether it waits until the offsets of open transactions are decided.
    """
    return {
        "group.id": group,
        "enable.auto.commit": False,
        "isolation.level": "read_committed" if stable else "read_uncommitted",
    }


def all_committed(
    consumer: Consumer, timeout_s: float, also: Iterable[tuple[str, int]] = ()
) -> list[TopicPartition]:
    """Return every committed offset of the consumer's group, with its metadata.

    The consumer asks for the partitions of all topics. An admin client could ask for the whole
    group, but librdkafka 2.15 then crashes the process if the broker answers that the coordinator
    moves or is not ready, as a new broker does at first (librdkafka issue 5040).

    Args:
        consumer: A consumer with the group's id.
        timeout_s: How long to wait for the coordinator, and for each request.
        also: Topic and partition of others to ask for: of topics that have been deleted.

    Raises:
        ClientException: The broker refuses, for one partition at least, or does not answer.
    """
    topics = in_time("list_topics", lambda: consumer.list_topics(timeout=timeout_s)).topics
    places = {(name, number) for name, topic in topics.items() for number in topic.partitions}
    asked = [TopicPartition(*place) for place in sorted(places.union(also))]
    answers = committed(consumer, asked, timeout_s, timeout_s) if asked else []
    return [each for each in answers if each.offset >= 0]


def commit(consumer: Consumer, offsets: list[TopicPartition], patience_s: float) -> None:
    """Commit offsets, in one request; it takes as long as it likes.

    Raises:
        ClientException: The broker refuses, for one partition at least, or does not answer.
    """

    def send() -> None:
        done = in_time("commit", lambda: consumer.commit(offsets=offsets, asynchronous=False))
        checked(done or [])

    with_coordinator(send, patience_s)


def checked(answers: list[TopicPartition]) -> list[TopicPartition]:
    """Return the answers of one request for many partitions.

    Raises:
        ClientException: The broker refuses for at least one partition.
    """
    for each in answers:
        if each.error is not None:
            raise ClientException(each.error, each.topic)
    return answers
