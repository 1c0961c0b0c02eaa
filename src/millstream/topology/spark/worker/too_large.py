"""Error text for a record larger than the producer or the topic takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError

from millstream.core.errors import RecordTooLargeException, StreamsException
from millstream.topology.spark.clients.settings import code_of
from millstream.topology.spark.wire import to_list

PRODUCER_LIMIT = 1_000_000
"""librdkafka's default."""

Unsent = tuple[str, int]
"""Topic of a record, and its size in bytes: key and value."""


def is_too_large(error: BaseException) -> bool:
    """Return whether Kafka or its client has rejected a record because of its size."""
    return code_of(error) == KafkaError.MSG_SIZE_TOO_LARGE


def largest(topic: str, columns: Mapping[str, Any]) -> Unsent:
    """Return the largest record of a chunk; the client's error does not name the record."""
    pairs = zip(to_list(columns["keys"]), to_list(columns["values"]), strict=True)
    return topic, max(len(key or b"") + len(value or b"") for key, value in pairs)


def too_large(problem: str, unsent: Unsent, settings: Mapping[str, Any]) -> StreamsException:
    """Return the error that names topic, size and settings."""
    topic, size = unsent
    limit = int(settings.get("message.max.bytes") or PRODUCER_LIMIT)
    what = f'a record of {size:,} bytes is too large for topic "{topic}"'
    detail = f"{problem}. The producer sends at most {limit:,} bytes."
    hint = (
        "Raise producer.max.request.size, and the topic's max.message.bytes, which is 1,048,588 "
        "unless it was set."
    )
    failure = StreamsException(what, detail=detail, hint=hint)
    failure.__cause__ = RecordTooLargeException(what, detail=detail, hint=hint)
    return failure
