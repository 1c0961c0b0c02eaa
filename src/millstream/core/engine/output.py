"""Records that leave a task: one of them, or a run as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import Any, NamedTuple

from millstream.core.headers import Headers


class Sent(NamedTuple):
    """A record as it leaves the topology."""

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: Headers | None
    partition: int | None = None
    """None asks for Kafka's default partitioner."""


new_sent: Callable[[tuple[Any, ...]], Sent] = partial(tuple.__new__, Sent)
"""Makes a ``Sent`` of all its fields in less time than the class does: for single records."""


@dataclass(frozen=True, slots=True)
class SentChunk:
    """A run of records of one topic as they leave the topology, in order.

    Columns have one length. ``headers`` is None when no record has any; ``partitions`` is None when
    all records ask for Kafka's default partitioner, and so does a None inside.
    """

    topic: str
    keys: Sequence[bytes | None]
    values: Sequence[bytes | None]
    timestamps: Sequence[int]
    headers: Sequence[Headers | None] | None = None
    partitions: Sequence[int | None] | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def records(self) -> Iterator[Sent]:
        """Yield the records; their headers are copies."""
        count = len(self)
        columns = (
            self.keys,
            self.values,
            self.timestamps,
            self.headers or [None] * count,
            self.partitions or [None] * count,
        )
        for key, value, timestamp, headers, partition in zip(*columns, strict=True):
            copied = headers.copy() if headers else None
            yield new_sent((self.topic, key, value, timestamp, copied, partition))

    def slice(self, start: int, stop: int) -> SentChunk:
        """Return the records from ``start`` (inclusive) to ``stop`` (exclusive)."""
        return SentChunk(
            self.topic,
            self.keys[start:stop],
            self.values[start:stop],
            self.timestamps[start:stop],
            None if self.headers is None else self.headers[start:stop],
            None if self.partitions is None else self.partitions[start:stop],
        )

    def without(self, left_out: Sequence[bool]) -> SentChunk:
        """Return the records whose entry in ``left_out`` is false."""
        if not any(left_out):
            return self
        keep = [not each for each in left_out]
        return SentChunk(
            self.topic,
            list(compress(self.keys, keep)),
            list(compress(self.values, keep)),
            list(compress(self.timestamps, keep)),
            None if self.headers is None else list(compress(self.headers, keep)),
            None if self.partitions is None else list(compress(self.partitions, keep)),
        )
