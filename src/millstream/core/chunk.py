"""Chunks: runs of records as columns, before and after deserialization."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, repeat
from typing import Any

from millstream.core.headers import Headers
from millstream.core.metrics.measured import Measured
from millstream.core.records import Change, Record, adopt_record


@dataclass(slots=True)
class RawChunk:
    """Serialized records of one topic partition, in offset order.

    All columns have the same length. ``headers`` is None if no record has headers; an entry of
    None is a record without headers. A chunk is not changed after it has been passed on.
    """

    topic: str
    partition: int
    offsets: Sequence[int]
    timestamps: Sequence[int]
    keys: list[bytes | None]
    values: list[bytes | None]
    headers: list[Headers | None] | None = None
    measured: Measured | None = None
    """Counts and sizes for metrics, if the host has them."""

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
    """The last record of each key in a run of records of one topic partition.

    No record of the run has headers or a null key.
    """

    last: RawChunk
    """The last records, in offset order; their ``measured`` is that of the whole run."""
    count: int
    """Number of records in the whole run."""
    least_ms: int
    latest_ms: int
    """Smallest and largest timestamp of the run."""
    in_order: bool
    """The timestamps of the run never decrease."""
    longest: int
    """Size of the run's longest value in bytes."""
    has_nulls: bool
    """Whether a value of the run is null."""
    counts: list[int]
    """For each of the last records, how many records of the run have its key."""
    latest: list[int]
    """For each of the last records, the largest timestamp of those records."""


Origin = tuple[str | None, int]
"""A topic, and a partition of it."""


class Waited(tuple[str | None, int]):
    """Origin of a record that has waited in a buffer, which keeps no bytes of its source record."""

    __slots__ = ()


@dataclass(slots=True)
class Chunk:
    """A run of records between two nodes, in forward order, from one source partition.

    ``offsets`` has the offset of each record's source record (flatMap repeats offsets, filter
    leaves some out). ``olds`` is None on a stream. On a table it is the column of old values
    (None if the old value is not known), and ``values`` is the column of new values.
    """

    topic: str | None
    partition: int
    offsets: Sequence[int]
    timestamps: Sequence[int]
    keys: list[Any]
    values: list[Any]
    headers: list[Headers | None] | None = None
    olds: list[Any] | None = None
    origins: list[Origin] | None = None
    """Topic and partition of each record, where they are not the same for all.

    Then ``topic`` and ``partition`` mean nothing. Nodes with stores never get such a chunk.
    """
    waited: bool = False
    """They have waited in a buffer, which keeps no bytes of their source records."""

    def __len__(self) -> int:
        return len(self.keys)

    def origin(self, index: int) -> Origin:
        """Return topic and partition of one record's source record."""
        if self.origins is not None:
            return self.origins[index]
        place = self.topic, self.partition
        return Waited(place) if self.waited else place

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
            self.origins,
            self.waited,
        )

    def at(self, timestamps: Sequence[int]) -> Chunk:
        """Return the same records with other event times."""
        moved = self.replace()
        moved.timestamps = timestamps
        return moved

    def select(self, keep: list[Any]) -> Chunk:
        """Return the records whose entry in ``keep`` is true."""
        return self._mapped(lambda column: list(compress(column, keep)))

    def take(self, indices: Sequence[int]) -> Chunk:
        """Return the records at ``indices``, which may repeat and be in any order."""
        return self._mapped(lambda column: [column[i] for i in indices])

    def slice(self, start: int, stop: int) -> Chunk:
        """Return the records from ``start`` (inclusive) to ``stop`` (exclusive)."""
        if start == 0 and stop >= len(self):
            return self
        return self._mapped(lambda column: column[start:stop])

    def _mapped(self, change: Callable[[Any], Any]) -> Chunk:
        """Return a chunk of the changed columns."""
        return Chunk(
            self.topic,
            self.partition,
            change(self.offsets),
            change(self.timestamps),
            change(self.keys),
            change(self.values),
            None if self.headers is None else change(self.headers),
            None if self.olds is None else change(self.olds),
            None if self.origins is None else change(self.origins),
            self.waited,
        )

    def record(self, index: int) -> Record[Any, Any]:
        """Return one record as a ``Record``; the value is a ``Change`` on a table."""
        value = self.values[index]
        if self.olds is not None:
            value = Change(value, self.olds[index])
        headers = None if self.headers is None else self.headers[index]
        return adopt_record(self.keys[index], value, self.timestamps[index], headers)

    def __iter__(self) -> Iterator[Record[Any, Any]]:
        headers = repeat(None) if self.headers is None else self.headers
        values = self.values if self.olds is None else map(Change, self.values, self.olds)
        return map(adopt_record, self.keys, values, self.timestamps, headers)


def side_by_side(chunks: Sequence[Chunk]) -> Chunk:
    """Return runs of several partitions as one: first all of the first, then of the next.

    Example:
        >>> one = Chunk("one", 0, [7], [1], ["a"], ["x"])
        >>> both = side_by_side([one, Chunk("two", 0, [8], [2], ["b"], ["y"])])
        >>> both.keys, both.origins
        (['a', 'b'], [('one', 0), ('two', 0)])
    """

    def column(name: str) -> list[Any]:
        return list(chain.from_iterable(getattr(chunk, name) for chunk in chunks))

    offsets, timestamps, keys, values = map(column, ("offsets", "timestamps", "keys", "values"))
    origins = list[Origin]()
    for chunk in chunks:
        origins += [(chunk.topic, chunk.partition)] * len(chunk)
    headers = None
    if any(chunk.headers is not None for chunk in chunks):
        headers = list(chain.from_iterable(c.headers or [None] * len(c) for c in chunks))
    return Chunk(None, -1, offsets, timestamps, keys, values, headers, origins=origins)
