"""Runs of records as columns: how the engine moves many records with few steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

from millstream.core.headers import Headers
from millstream.core.metrics.measured import Measured
from millstream.core.records import Change, Record, adopt_record


@dataclass(slots=True)
class RawChunk:
    """Records of one topic partition as they came from outside, in offset order.

    Columns have one length. ``headers`` is None when no record has any; inside, None stands for a
    record without headers. Nobody changes a chunk after handing it on.
    """

    topic: str
    partition: int
    offsets: Sequence[int]
    timestamps: Sequence[int]
    keys: list[bytes | None]
    values: list[bytes | None]
    headers: list[Headers | None] | None = None
    measured: Measured | None = None
    """What the host knows of it, for metrics; None if nothing."""

    def __len__(self) -> int:
        return len(self.keys)

    def slice(self, start: int, stop: int) -> RawChunk:
        """Return the records from ``start`` (inclusive) to ``stop`` (exclusive)."""
        return RawChunk(
            self.topic,
            self.partition,
            self.offsets[start:stop],
            self.timestamps[start:stop],
            self.keys[start:stop],
            self.values[start:stop],
            None if self.headers is None else self.headers[start:stop],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LastOfEachKey:
    """A run of records of one topic partition, of which only each key's last one is at hand.

    No record of it has headers or a null key.
    """

    last: RawChunk
    """Those, in the order of their offsets; ``measured`` is of the whole run."""
    count: int
    """Of the whole run."""
    first_ms: int
    in_order: bool
    """No record of the run is older than one before it."""
    longest: int
    """Bytes of the longest value of the run."""


@dataclass(slots=True)
class Chunk:
    """A run of records between two nodes, in forward order, from one source partition.

    ``offsets`` say, for each record, which source record it descends from (flatMap repeats them,
    filter leaves some out). ``olds`` is None on a stream; on a table it is the column of old
    values and ``values`` that of new ones (``sends_old`` in a Change's terms: an unknown old value
    is None), so a table's chunk always has it.
    """

    topic: str | None
    partition: int
    offsets: Sequence[int]
    timestamps: Sequence[int]
    keys: list[Any]
    values: list[Any]
    headers: list[Headers | None] | None = None
    olds: list[Any] | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def replace(self, *, keys: list[Any] | None = None, values: list[Any] | None = None) -> Chunk:
        """Return the same records with another column of keys or of values."""
        return Chunk(
            self.topic,
            self.partition,
            self.offsets,
            self.timestamps,
            self.keys if keys is None else keys,
            self.values if values is None else values,
            self.headers,
            self.olds,
        )

    def at(self, timestamps: Sequence[int]) -> Chunk:
        """Return the same records with other event times."""
        moved = self.replace()
        moved.timestamps = timestamps
        return moved

    def select(self, keep: list[Any]) -> Chunk:
        """Return the records whose entry in ``keep`` is true."""
        return Chunk(
            self.topic,
            self.partition,
            list(compress(self.offsets, keep)),
            list(compress(self.timestamps, keep)),
            list(compress(self.keys, keep)),
            list(compress(self.values, keep)),
            None if self.headers is None else list(compress(self.headers, keep)),
            None if self.olds is None else list(compress(self.olds, keep)),
        )

    def take(self, indices: Sequence[int]) -> Chunk:
        """Return the records at ``indices``, which may repeat and be in any order."""
        return Chunk(
            self.topic,
            self.partition,
            [self.offsets[i] for i in indices],
            [self.timestamps[i] for i in indices],
            [self.keys[i] for i in indices],
            [self.values[i] for i in indices],
            None if self.headers is None else [self.headers[i] for i in indices],
            None if self.olds is None else [self.olds[i] for i in indices],
        )

    def slice(self, start: int, stop: int) -> Chunk:
        """Return the records from ``start`` (inclusive) to ``stop`` (exclusive)."""
        if start == 0 and stop >= len(self):
            return self
        return Chunk(
            self.topic,
            self.partition,
            self.offsets[start:stop],
            self.timestamps[start:stop],
            self.keys[start:stop],
            self.values[start:stop],
            None if self.headers is None else self.headers[start:stop],
            None if self.olds is None else self.olds[start:stop],
        )

    def record(self, index: int) -> Record[Any, Any]:
        """Return one record as an object; a table's value becomes a ``Change``."""
        value = self.values[index]
        if self.olds is not None:
            value = Change(value, self.olds[index])
        headers = None if self.headers is None else self.headers[index]
        return adopt_record(self.keys[index], value, self.timestamps[index], headers)

    def __iter__(self) -> Iterator[Record[Any, Any]]:
        return (self.record(index) for index in range(len(self)))
