"""Sums about records on a topic that a host knows without reading each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from millstream.core.headers import Headers

# What Kafka counts of a record besides key, value, topic and headers: time, offset, partition.
_FIXED_BYTES = 8 + 8 + 4

NULL_BYTES = -1
"""What a null key or value counts for in what is consumed, as in Kafka; in what is sent, 0."""


@dataclass(slots=True)
class Measured:
    """Records, their bytes as Kafka counts them, and their event times in milliseconds."""

    records: int = 0
    bytes: int = 0
    first_ms: int = 1 << 63
    last_ms: int = -(1 << 63)
    sum_ms: int = 0

    def add(self, other: Measured) -> None:
        """Take in what was known of other records."""
        self.records += other.records
        self.bytes += other.bytes
        self.first_ms = min(self.first_ms, other.first_ms)
        self.last_ms = max(self.last_ms, other.last_ms)
        self.sum_ms += other.sum_ms


def measured(
    topic: str,
    keys: Iterable[bytes | None],
    values: Iterable[bytes | None],
    timestamps: Sequence[int],
    headers: Iterable[Headers | None] | None,
    *,
    null_bytes: int = 0,
) -> Measured:
    """Return the measures of at least one record, by a look at each.

    A null key or value counts for ``null_bytes``.
    """
    count = len(timestamps)
    content = sum([null_bytes if part is None else len(part) for part in chain(keys, values)])
    size = content + count * (_FIXED_BYTES + len(topic.encode()))
    if headers is not None:
        size += headers_bytes(headers)
    return Measured(count, size, min(timestamps), max(timestamps), sum(timestamps))


def measured_column(
    topic: str, content_bytes: int, times: tuple[int, int, int, int], extra_bytes: int = 0
) -> Measured:
    """Return the measures of columns.

    Args:
        topic: Where they are.
        content_bytes: Of all keys and values.
        times: How many records, their first, last and summed time.
        extra_bytes: Of the headers.
    """
    count, first, last, total = times
    size = content_bytes + extra_bytes + count * (_FIXED_BYTES + len(topic.encode()))
    return Measured(count, size, first, last, total)


def headers_bytes(headers: Iterable[Headers | None] | None) -> int:
    """Return what headers count for."""
    return sum(
        len(header.key().encode()) + len(header.value() or b"")
        for each in headers or ()
        for header in each or ()
    )


class Measures:
    """Sums of what was sent, by topic, since the last call of ``taken``."""

    __slots__ = ("_topics",)

    def __init__(self) -> None:
        self._topics: dict[str, Measured] = {}

    def add(self, topic: str, sent: Measured) -> None:
        """Take in records."""
        self._topics.setdefault(topic, Measured()).add(sent)

    def taken(self) -> dict[str, Measured]:
        """Return what came in since the last call."""
        topics, self._topics = self._topics, {}
        return topics
