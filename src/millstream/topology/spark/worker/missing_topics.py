"""Topics that records wait for because the broker does not have them.

librdkafka and kafka-python wait for them without a word. Kafka's producer warns each second, and
gives up after a minute.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from confluent_kafka import Consumer, KafkaError, Producer
from confluent_kafka import KafkaException as ClientException

from millstream.topology.spark.clients.deadlines import in_time

log = logging.getLogger(__name__)

LOOK_S = 2.0
"""How long records wait before the broker is asked about their topics."""
PATIENCE_S = 15.0
"""How long a topic may be missing. Spark tries a task four times: a minute, as Kafka's producer."""
_PAUSE_S = 0.1
_MISSING = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC)


class MissingTopicError(ClientException):
    """A topic to write to does not exist, or never will: its name is not legal."""

    def __init__(self, error: KafkaError, topic: str) -> None:
        super().__init__(error)
        self.topic = topic


def flush(
    producer: Producer, topics: Iterable[str], check: Callable[[], object], timeout_s: float
) -> None:
    """Wait until a producer has sent its records; ask the broker for topics they wait for.

    Args:
        producer: The producer.
        topics: The topics of its records.
        check: Raises if a record has failed.
        timeout_s: How long the broker may take for one record or more: a quota of the broker may
            make all of them take longer.

    Raises:
        MissingTopicError: A topic's name is not legal, or the topic has been missing for too long.
        ClientException: The broker does not answer.
        TimeoutException: A call of the client did not return; the worker ends.
    """
    asked, give_up = sorted(topics), time.monotonic() + timeout_s
    since: dict[str, float] = {}
    before = len(producer)
    while left := in_time("flush", lambda: producer.flush(LOOK_S)):
        check()
        if left < before:
            before, give_up = left, time.monotonic() + timeout_s
        if time.monotonic() > give_up:
            raise ClientException(KafkaError(KafkaError._TIMED_OUT, f"{left} records not sent"))
        with suppress(_NotAnsweredError):
            for topic in asked:
                _look(producer, topic, since)
    check()


def await_topics(producer: Producer, topics: Iterable[str]) -> None:
    """Wait until the broker has topics, for a client that cannot be asked what it waits for.

    Args:
        producer: Asks the broker, which may create a topic then.
        topics: The topics.

    Raises:
        MissingTopicError: A topic's name is not legal, or the topic has been missing for too long.
    """
    missing, since = sorted(topics), dict[str, float]()
    told_from = time.monotonic() + LOOK_S
    # What the broker does not answer is left to the client that writes.
    with suppress(_NotAnsweredError):
        while missing := [topic for topic in missing if _is_missing(producer, topic)]:
            for topic in missing if time.monotonic() > told_from else ():
                _wait(topic, since)
            time.sleep(_PAUSE_S)


def gone(client: Consumer, topics: Iterable[str], waited_s: float) -> list[str]:
    """Return which topics the broker does not have; none if it does not answer.

    Args:
        client: Asks the broker, which creates no topic then.
        topics: The topics.
        waited_s: How long they have been missing: the broker may not know a new one yet.
    """
    if waited_s < PATIENCE_S:
        return []
    with suppress(_NotAnsweredError):
        return [topic for topic in sorted(topics) if _is_missing(client, topic)]
    return []


def _look(producer: Producer, topic: str, since: dict[str, float]) -> None:
    if _is_missing(producer, topic):
        _wait(topic, since)
    else:
        since.pop(topic, None)


def _is_missing(producer: Producer | Consumer, topic: str) -> bool:
    error = _error_of(producer, topic)
    if error is not None and error.code() == KafkaError.TOPIC_EXCEPTION:
        raise MissingTopicError(error, topic)
    return error is not None and error.code() in _MISSING


def _wait(topic: str, since: dict[str, float]) -> None:
    if topic not in since:
        since[topic] = time.monotonic()
        said = 'topic "%s" to write to does not exist; its records wait until it is created'
        log.warning(said, topic)
    elif time.monotonic() - since[topic] > PATIENCE_S:
        raise MissingTopicError(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART), topic)


def _error_of(producer: Producer | Consumer, topic: str) -> KafkaError | None:
    try:
        found = producer.list_topics(topic, LOOK_S).topics.get(topic)
    except ClientException as error:
        raise _NotAnsweredError from error
    return None if found is None else found.error


class _NotAnsweredError(Exception):
    """The broker does not answer; the flush goes on to wait for it."""
