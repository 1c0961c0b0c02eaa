"""Error texts for output that cannot be written, as records that the topic does not take."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from confluent_kafka import KafkaError
from confluent_kafka import KafkaException as ClientException

from millstream.core.errors import (
    MissingSourceTopicException,
    RecordTooLargeException,
    StreamsException,
)
from millstream.topology.spark.arrow_headers import header_pairs
from millstream.topology.spark.clients.connecting import ConnectionErrors
from millstream.topology.spark.clients.rights import Right, kind_of
from millstream.topology.spark.clients.settings import PRODUCER_DEFAULTS, code_of, kafka_error
from millstream.topology.spark.job import Job
from millstream.topology.spark.wire import decode_chunk, to_list

log = logging.getLogger(__name__)


class Unsent(NamedTuple):
    """What is known of a record that was not sent."""

    topic: str
    size: int
    """In bytes: key, value and headers."""


class Deliveries:
    """``on_delivery`` and ``throttle_cb`` of a producer: keeps the first failure."""

    def __init__(self) -> None:
        self.failed: KafkaError | None = None
        self.unsent: Unsent | None = None
        """The first record that was not sent."""
        self.held_back_s = 0.0
        """The longest pause that a quota of the broker has made."""

    def throttled(self, event: Any) -> None:
        """Note a pause; tell of the first one that a reader of the log would notice."""
        if event.throttle_time >= _TOLD_S > self.held_back_s:
            log.warning(_HELD_BACK.format(event.throttle_time))
        self.held_back_s = max(self.held_back_s, event.throttle_time)

    def __call__(self, error: KafkaError | None, message: Any) -> None:
        # Records are purged because of another error, which the call that it fails raises.
        if error is None or error.code() in _PURGED or self.failed is not None:
            return
        self.failed = error
        if self.unsent is None:
            size = _size(message.key(), message.value(), message.headers())
            self.unsent = Unsent(message.topic(), size)


@dataclass(frozen=True, slots=True)
class _Words:
    which: str
    hint: str


_WORDS: Mapping[int | None, _Words] = {
    KafkaError.INVALID_TIMESTAMP: _Words(
        " with such an event time",
        "The topic's message.timestamp.after.max.ms and message.timestamp.before.max.ms say how "
        "far from the broker's clock event times may be. Change them, or give the records other "
        "times: a timestamp extractor of the source, or withTimestamp() in a processor.",
    ),
    KafkaError.INVALID_RECORD: _Words(
        "",
        "A topic with cleanup.policy=compact takes no record without a key: give each a key, or "
        "leave out those without one before the sink.",
    ),
}
_TOLD_S = 1.0
"""A pause that is told while the batch is written."""
_TOO_LATE = (KafkaError._MSG_TIMED_OUT, KafkaError._TIMED_OUT)
_HELD_BACK = (
    "The broker holds the producer back, for up to {:.1f} s a request: a quota for bytes or "
    "requests (producer_byte_rate, request_percentage) is too small for a batch."
)
_HELD_BACK_HINT = (
    "Raise the quota, or give a batch more time: producer.transaction.timeout.ms and "
    "producer.delivery.timeout.ms. A smaller millstream.max.records.per.batch makes later batches "
    "smaller, but not the one that has begun."
)
_BAD_NAME = (
    "A name has 1 to 249 letters, digits, '.', '_' and '-', and is not '.' or '..'. The topic "
    "extractor of the sink has made this one."
)

_PURGED = (KafkaError._PURGE_QUEUE, KafkaError._PURGE_INFLIGHT)
_NO_TOPIC = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC)


def is_too_large(error: BaseException) -> bool:
    """Return whether Kafka or its client has rejected a record because of its size."""
    return code_of(error) == KafkaError.MSG_SIZE_TOO_LARGE


def largest(outputs: Iterable[tuple[str, Any]]) -> Unsent | None:
    """Return the largest record of topics and chunks: a client's own refusal names none."""
    found = None
    for topic, blob in outputs:
        columns = decode_chunk(blob)
        keys, values = to_list(columns["keys"]), to_list(columns["values"])
        headers = header_pairs(columns.get("headers")) or [()] * len(keys)
        size = max(map(_size, keys, values, headers), default=0)
        if found is None or size > found.size:
            found = Unsent(topic, size)
    return found


def _size(key: bytes | None, value: bytes | None, headers: Iterable[Any] | None) -> int:
    of_headers = sum(len(name) + len(content or b"") for name, content in headers or ())
    return len(key or b"") + len(value or b"") + of_headers


def times_of(topic: str, outputs: Iterable[tuple[str, Any]]) -> tuple[int, int] | None:
    """Return the first and the last event time of the records for a topic; None for no records.

    Args:
        topic: The topic.
        outputs: Topics and chunks for them.
    """
    blobs = [blob for name, blob in outputs if name == topic]
    times = [time for blob in blobs for time in to_list(decode_chunk(blob)["timestamps"])]
    return (min(times), max(times)) if times else None


def refused_record(
    problem: str,
    error: BaseException,
    unsent: Unsent,
    settings: Mapping[str, Any],
    outputs: Iterable[tuple[str, Any]],
) -> StreamsException | None:
    """Return the error that names what the topic does not take, or the topic that is not there.

    None for other failures.

    Args:
        problem: What was attempted.
        error: The client's error.
        unsent: The record.
        settings: The producer's settings.
        outputs: Topics and chunks of the batch; the client does not tell a record's time.
    """
    if is_too_large(error):
        return _too_large(problem, unsent, settings)
    if code_of(error) in _NO_TOPIC:
        return _no_topic(problem, error, unsent)
    if code_of(error) == KafkaError.TOPIC_EXCEPTION:
        said = kafka_error(problem, error, hint=_BAD_NAME)
        failure = StreamsException(
            f'"{unsent.topic}" cannot be the name of a topic to write to',
            detail=f"{problem}. {said.detail}.",
            hint=_BAD_NAME,
        )
        failure.__cause__ = said.__cause__
        return failure
    words = _WORDS.get(code_of(error))
    if words is None:
        return None
    said, times = kafka_error(problem, error), times_of(unsent.topic, outputs)
    when = "" if times is None else " In this batch they are from {} to {} ms.".format(*times)
    failure = StreamsException(
        f'topic "{unsent.topic}" does not take a record{words.which}',
        detail=f"{problem}. {said.detail}.{when if words.which else ''}",
        hint=words.hint,
    )
    failure.__cause__ = said.__cause__
    return failure


def _no_topic(problem: str, error: BaseException, unsent: Unsent) -> StreamsException:
    said = kafka_error(problem, error)
    failure = StreamsException(
        f'topic "{unsent.topic}" to write to does not exist',
        detail=f"{problem}. {said.detail}. The topic was deleted, or a topic extractor named one "
        "that the broker does not create.",
        hint="Create the topic, then start the application again: it writes the batch anew, and "
        "nothing is lost.",
    )
    failure.__cause__ = said.__cause__
    return failure


def lost_topic(application_id: str, topic: str, own: str) -> StreamsException:
    """Return the error for a topic whose offsets a batch cannot commit.

    Args:
        application_id: The application.
        topic: The topic that is gone.
        own: The internal topic of the sinks' tokens.
    """
    detail = "The batch cannot commit its offsets."
    if topic != own:
        return MissingSourceTopicException(
            f'topic "{topic}" that application "{application_id}" reads was deleted while it runs',
            detail=detail,
            hint="Create it anew, call cleanUp() and start again; stores begin empty then. Or "
            "start a program that does not read it.",
        )
    return StreamsException(
        f'internal topic "{topic}" of application "{application_id}" was deleted while it runs',
        detail=f"{detail} The topic has no records, only committed offsets.",
        hint="Start the application again: it creates the topic and goes on where it was.",
    )


def _too_large(problem: str, unsent: Unsent, settings: Mapping[str, Any]) -> StreamsException:
    limit = int(settings.get("message.max.bytes") or PRODUCER_DEFAULTS["message.max.bytes"])
    what = f'a record of {unsent.size:,} bytes is too large for topic "{unsent.topic}"'
    detail = f"{problem}. The producer sends at most {limit:,} bytes"
    detail += ", and the broker takes less for this topic." if unsent.size < limit else "."
    hint = (
        "Raise producer.max.request.size, and the topic's max.message.bytes, which is 1,048,588 "
        "unless it was set. Or make such records smaller, or leave them out, before the sink: "
        "production.exception.handler is asked only for what a serializer refuses."
    )
    failure = StreamsException(what, detail=detail, hint=hint)
    failure.__cause__ = RecordTooLargeException(what, detail=detail, hint=hint)
    return failure


def not_written(
    job: Job,
    partition: int,
    error: ClientException,
    outputs: Sequence[tuple[str, Any]],
    heard: ConnectionErrors,
    sent: Deliveries,
) -> StreamsException:
    """Return the error for a sink partition that cannot write its output.

    Args:
        job: The application.
        partition: The sink's partition.
        error: The client's error.
        outputs: Topics and chunks of the batch.
        heard: Errors of the client's connections.
        sent: What is known of the records.
    """
    name, unsent = job.application_id, sent.unsent
    if unsent is None and is_too_large(error):
        unsent = largest(outputs)
    problem = f'sink partition {partition} of application "{name}" cannot write its output'
    if unsent is not None:
        refused = refused_record(problem, error, unsent, job.producer, outputs)
        if refused is not None:
            return refused
    topics = sorted({topic for topic, _ in outputs}) if unsent is None else [unsent.topic]
    failure = heard.failure(problem) or kafka_error(
        problem,
        error,
        hint="Check that the broker answers and that the topics exist; "
        "then start the application again.",
        needed=(
            Right("Write", "topic", topics[0] if len(topics) == 1 else ""),
            Right("Read", "group", name),
            Right("Write", "transactional-id", f"{name}-*"),
        ),
    )
    if sent.held_back_s and code_of(error) in _TOO_LATE:
        failure.detail += f". {_HELD_BACK.format(sent.held_back_s)}"
        failure.hint = _HELD_BACK_HINT
    if unsent is not None or kind_of(code_of(error)) == "topic":
        failure.more += (("topic" if len(topics) == 1 else "topics", ", ".join(topics)),)
    return failure
