"""Records that a task sends during a batch, gathered into chunks by destination."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from millstream.core.headers import Headers
from millstream.core.metrics import Measures
from millstream.topology.spark.wire import binary_column, encode_chunk, headers_column
from millstream.topology.spark.worker.murmur import partitions_of
from millstream.topology.spark.worker.sizes import produced

LOOSE_LIMIT = 1 << 14
"""How many records sent one by one make a chunk."""

CHUNK_BYTES = 64 << 20
"""Where a chunk is cut in two, however few its records are."""

Columns = dict[str, pa.Array]


@dataclass(slots=True)
class _Loose:
    keys: list[bytes | None] = field(default_factory=list)
    values: list[bytes | None] = field(default_factory=list)
    timestamps: list[int] = field(default_factory=list)
    headers: list[Headers | None] = field(default_factory=list)
    partitions: list[int | None] = field(default_factory=list)


class Outbox:
    """Collects one task's output of one batch, in order per topic.

    Args:
        routes: Repartition topic -> (stage, partitions); every other topic is a sink's.
    """

    def __init__(self, routes: Mapping[str, tuple[int, int]]) -> None:
        self._routes = routes
        self._loose: dict[str, _Loose] = {}
        self._chunks: dict[str, list[Columns]] = {}
        self.measures = Measures()
        """Of what is packed: everything, once it has been drained."""

    def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        timestamp: int,
        headers: Headers | None,
        partition: int | None,
    ) -> None:
        """Take one record; a partition of None is Kafka's default one."""
        loose = self._loose.get(topic)
        if loose is None:
            loose = self._loose[topic] = _Loose()
        loose.keys.append(key)
        loose.values.append(value)
        loose.timestamps.append(timestamp)
        loose.headers.append(headers)
        loose.partitions.append(partition)
        if len(loose.keys) >= LOOSE_LIMIT:
            self._pack(topic)

    def send_chunk(
        self,
        topic: str,
        keys: Sequence[bytes | None],
        values: Sequence[bytes | None],
        timestamps: Sequence[int],
        headers: Sequence[Headers | None] | None,
        partitions: Sequence[int | None] | None = None,
    ) -> None:
        """Take many records; partitions of None are Kafka's default ones."""
        if topic in self._loose:
            self._pack(topic)
        self._add(topic, keys, values, timestamps, headers, partitions)

    def drain(self) -> Iterator[tuple[str, int | None, int, bytes]]:
        """Yield (topic, target partition, number, blob); for a sink's topic without a target."""
        for topic in list(self._loose):
            self._pack(topic)
        for topic, chunks in self._chunks.items():
            if topic in self._routes:
                yield from self._split(topic, chunks)
            else:
                for number, columns in enumerate(chunks):
                    yield topic, None, number, encode_chunk(**columns)
        self._chunks = {}

    def _split(
        self, topic: str, chunks: list[Columns]
    ) -> Iterator[tuple[str, int | None, int, bytes]]:
        _, count = self._routes[topic]
        for number, columns in enumerate(chunks):
            chosen = columns.pop("partitions", None)
            targets = partitions_of(columns["keys"], count)
            if chosen is not None:
                own = chosen.to_numpy(zero_copy_only=False)
                targets = np.where(np.isnan(own), targets, own).astype(np.int64)
            for target in range(count):
                rows = np.nonzero(targets == target)[0]
                if len(rows):
                    part = columns if count == 1 else _taken(columns, pa.array(rows))
                    yield topic, target, number, encode_chunk(**part)

    def _pack(self, topic: str) -> None:
        loose = self._loose.pop(topic)
        chosen = loose.partitions if any(p is not None for p in loose.partitions) else None
        self._add(topic, loose.keys, loose.values, loose.timestamps, loose.headers, chosen)

    def _add(
        self,
        topic: str,
        keys: Sequence[bytes | None],
        values: Sequence[bytes | None],
        timestamps: Sequence[int],
        headers: Sequence[Headers | None] | None,
        partitions: Sequence[int | None] | None,
    ) -> None:
        half = len(keys) // 2
        try:
            columns = _columns(keys, values, timestamps, headers, partitions)
        except OverflowError:
            columns = None
        if columns is not None and (half == 0 or _size(columns) <= CHUNK_BYTES):
            sent = produced(topic, columns, headers)
            if sent is not None:
                self.measures.add(topic, sent)
            self._chunks.setdefault(topic, []).append(columns)
            return
        for part in (slice(0, half), slice(half, None)):
            self._add(
                topic,
                keys[part],
                values[part],
                timestamps[part],
                None if headers is None else headers[part],
                None if partitions is None else partitions[part],
            )


def _columns(
    keys: Sequence[bytes | None],
    values: Sequence[bytes | None],
    timestamps: Sequence[int],
    headers: Sequence[Headers | None] | None,
    partitions: Sequence[int | None] | None,
) -> Columns:
    columns = {
        "keys": binary_column(keys),
        "values": binary_column(values),
        "timestamps": pa.array(np.fromiter(timestamps, np.int64, len(timestamps))),
    }
    packed = headers_column(headers)
    if packed is not None:
        columns["headers"] = packed
    if partitions is not None:
        columns["partitions"] = pa.array(partitions, pa.int32())
    return columns


def _size(columns: Columns) -> int:
    return sum(column.nbytes for column in columns.values())


def _taken(columns: Columns, rows: pa.Array) -> Columns:
    return {name: column.take(rows) for name, column in columns.items()}
