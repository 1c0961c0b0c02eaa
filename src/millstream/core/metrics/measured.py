"""Counts, sizes and times of the records that a task consumes from and sends to topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from millstream.core.headers import Headers

# As Kafka counts: a record's time, offset and partition.
_FIXED_BYTES = 8 + 8 + 4

NULL_BYTES = -1
"""Size of a null key or value in consumed records, as in Kafka; in sent records it is 0."""


@dataclass(slots=True)
class Measured:
    """Number of records, bytes as Kafka counts them, and event times in milliseconds."""

    records: int = 0
    bytes: int = 0
    first_ms: int = 1 << 63
    last_ms: int = -(1 << 63)
    sum_ms: int = 0

    @classmethod
    def of_times(cls, times: Sequence[int]) -> Measured:
        """Return the event times of records, which may be none; their bytes are not measured."""
        if not times:
            return cls()
        return cls(len(times), 0, min(times), max(times), sum(times))

    def add(self, other: Measured) -> None:
        """Add the measures of other records."""
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
    """Return the measures of at least one record; a null key or value has ``null_bytes``."""
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
        topic: The records' topic.
        content_bytes: Size of all keys and values.
        times: Number of records; their smallest, largest and summed timestamp.
        extra_bytes: Size of the headers.
    """
    count, first, last, total = times
    size = content_bytes + extra_bytes + count * (_FIXED_BYTES + len(topic.encode()))
    return Measured(count, size, first, last, total)


def headers_bytes(headers: Iterable[Headers | None] | None) -> int:
    """Return the size of headers."""
    return sum(
        len(header.key().encode()) + len(header.value() or b"")
        for each in headers or ()
        for header in each or ()
    )


class Measures:
    """Measures of sent records, by topic, since the last call of ``taken``."""

    __slots__ = ("_topics",)

    def __init__(self) -> None:
        self._topics: dict[str, Measured] = {}

    def add(self, topic: str, sent: Measured) -> None:
        """Add measures of a topic."""
        self._topics.setdefault(topic, Measured()).add(sent)

    def taken(self) -> dict[str, Measured]:
        """Return the measures since the last call."""
        topics, self._topics = self._topics, {}
        return topics
