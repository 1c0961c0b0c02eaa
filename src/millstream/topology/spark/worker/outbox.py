"""Records that a task sends during a batch, collected into chunks by destination."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from millstream.core.engine.output import Sent, SentChunk
from millstream.core.metrics import Measures
from millstream.topology.spark.arrow_headers import headers_column
from millstream.topology.spark.wire import binary_column, chunk_buffer
from millstream.topology.spark.worker.murmur import partitions_of
from millstream.topology.spark.worker.sizes import produced

LOOSE_LIMIT = 1 << 14
"""Number of single records after which a chunk is made."""

CHUNK_BYTES = 64 << 20
"""Size in bytes above which a chunk is split."""

Columns = dict[str, pa.Array]


class Outbox:
    """Collects one task's output of one batch, in order per topic.

    Args:
        routes: Repartition topic -> (stage, partitions); every other topic is a sink's.
    """

    def __init__(self, routes: Mapping[str, tuple[int, int]]) -> None:
        self._routes = routes
        self._loose: dict[str, list[Sent]] = {}
        self._chunks: dict[str, list[Columns]] = {}
        self._finished: dict[str, list[pa.Buffer]] = {}
        self.measures = Measures()
        """Measures of packed records; complete after ``drain``."""

    def send(self, record: Sent) -> None:
        """Add one record."""
        loose = self._loose.get(record.topic)
        if loose is None:
            loose = self._loose[record.topic] = []
        loose.append(record)
        if len(loose) >= LOOSE_LIMIT:
            self._pack(record.topic)

    def send_chunk(self, chunk: SentChunk) -> None:
        """Add a chunk of records."""
        if chunk.topic in self._loose:
            self._pack(chunk.topic)
        self._add(chunk)

    def log(self, chunk: SentChunk) -> None:
        """Add records of a changelog topic, which metrics of the output do not count."""
        self._add(chunk, counted=False)

    def drain(self) -> Iterator[tuple[str, int | None, int, pa.Buffer]]:
        """Yield (topic, target partition, number, blob); the target is None for sink topics."""
        for topic in list(self._loose):
            self._pack(topic)
        for topic, chunks in self._chunks.items():
            yield from self._split(topic, chunks)
        for topic, blobs in self._finished.items():
            for number, blob in enumerate(blobs):
                yield topic, None, number, blob
        self._chunks, self._finished = {}, {}

    def _split(
        self, topic: str, chunks: list[Columns]
    ) -> Iterator[tuple[str, int | None, int, pa.Buffer]]:
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
                    yield topic, target, number, chunk_buffer(**part)

    def _pack(self, topic: str) -> None:
        _, keys, values, timestamps, headers, chosen = zip(*self._loose.pop(topic), strict=True)
        partitions = chosen if any(each is not None for each in chosen) else None
        self._add(SentChunk(topic, keys, values, timestamps, headers, partitions))

    def _add(self, chunk: SentChunk, *, counted: bool = True) -> None:
        try:
            columns = _columns(chunk)
        except OverflowError:
            columns = None
        half = len(chunk) // 2
        if columns is None or (half and _size(columns) > CHUNK_BYTES):
            self._add(chunk.slice(0, half), counted=counted)
            self._add(chunk.slice(half, len(chunk)), counted=counted)
            return
        sent = produced(chunk.topic, columns) if counted else None
        if sent is not None:
            self.measures.add(chunk.topic, sent)
        if chunk.topic in self._routes:
            self._chunks.setdefault(chunk.topic, []).append(columns)
        else:
            # At once: the columns' memory is used again for those of the next chunk.
            self._finished.setdefault(chunk.topic, []).append(chunk_buffer(**columns))


def _columns(chunk: SentChunk) -> Columns:
    columns = {
        "keys": binary_column(chunk.keys),
        "values": binary_column(chunk.values),
        "timestamps": pa.array(np.fromiter(chunk.timestamps, np.int64, len(chunk))),
    }
    packed = headers_column(chunk.headers)
    if packed is not None:
        columns["headers"] = packed
    if chunk.partitions is not None:
        columns["partitions"] = pa.array(chunk.partitions, pa.int32())
    return columns


def _size(columns: Columns) -> int:
    return sum(column.nbytes for column in columns.values())


def _taken(columns: Columns, rows: pa.Array) -> Columns:
    return {name: column.take(rows) for name, column in columns.items()}
