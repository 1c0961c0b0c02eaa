"""Decoding of a task's rows, which arrive in any order, into sorted records."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from millstream.core.chunk import RawChunk
from millstream.topology.spark.arrow_headers import headers_list
from millstream.topology.spark.wire import decode_chunk, to_list
from millstream.topology.spark.worker.feedback import true_times
from millstream.topology.spark.worker.sizes import consumed

Columns = Mapping[str, pa.Array]


def source_runs(
    rows: Iterable[Any], feedback: Container[str] = ()
) -> dict[tuple[str, int], list[Columns]]:
    """Return the chunks of each topic and partition of source topics, by offset.

    Args:
        rows: Rows from the sources.
        feedback: The feedback topics.
    """
    runs: dict[tuple[str, int], list[Columns]] = {}
    for row in sorted(rows, key=lambda row: (row.topic, row.partition, row.seq)):
        columns: Columns = decode_chunk(row.blob)
        if row.topic in feedback and "headers" in columns:
            timestamps, headers = true_times(columns["timestamps"], columns["headers"])
            columns = {**columns, "timestamps": timestamps, "headers": headers}
        runs.setdefault((row.topic, row.partition), []).append(columns)
    return runs


def raw_chunks(runs: Mapping[tuple[str, int], Iterable[Columns]]) -> Iterator[RawChunk]:
    """Yield the records of runs, chunk by chunk."""
    for (topic, partition), chunks in runs.items():
        for columns in chunks:
            yield _raw(topic, partition, columns)


def arrived_runs(
    rows: Iterable[Any], partition: int, next_offsets: dict[str, int]
) -> dict[tuple[str, int], list[Columns]]:
    """Return one chunk for each repartition topic, and advance its offsets.

    Records of different senders are merged by event time, and each sender's order is preserved:
    the order in which a task of Kafka Streams would process one queue for each sender.

    Args:
        rows: Rows from earlier stages; ``partition`` is the sender's task number.
        partition: The task's partition.
        next_offsets: Topic -> the offset of the next record; updated.
    """
    by_topic: dict[str, dict[int, list[Any]]] = {}
    for row in sorted(rows, key=lambda row: (row.topic, row.partition, row.seq)):
        by_topic.setdefault(row.topic, {}).setdefault(row.partition, []).append(row)
    runs: dict[tuple[str, int], list[Columns]] = {}
    for topic, senders in by_topic.items():
        columns = _merged([[decode_chunk(row.blob) for row in rows] for rows in senders.values()])
        first = next_offsets.get(topic, 0)
        next_offsets[topic] = stop = first + len(columns["keys"])
        runs[topic, partition] = [{**columns, "offsets": pa.array(np.arange(first, stop))}]
    return runs


def _merged(queues: list[list[dict[str, pa.Array]]]) -> dict[str, pa.Array]:
    chunks = [chunk for queue in queues for chunk in queue]
    names = {name for chunk in chunks for name in chunk}
    columns = {name: _joined(name, chunks) for name in names}
    if len(queues) == 1:
        return columns
    # A record waits for earlier records of its queue: it is sorted by the running maximum.
    turns = [
        np.maximum.accumulate(np.concatenate([chunk["timestamps"].to_numpy() for chunk in queue]))
        for queue in queues
    ]
    order = np.argsort(np.concatenate(turns), kind="stable")
    rows = pa.array(order)
    return {name: column.take(rows) for name, column in columns.items()}


def _joined(name: str, chunks: list[dict[str, pa.Array]]) -> pa.Array:
    if len(chunks) == 1:
        return chunks[0][name]
    kind = next(chunk[name].type for chunk in chunks if name in chunk)
    return pa.concat_arrays(
        [chunk[name] if name in chunk else pa.nulls(len(chunk["keys"]), kind) for chunk in chunks]
    )


def _raw(topic: str, partition: int, columns: Columns) -> RawChunk:
    return RawChunk(
        topic,
        partition,
        to_list(columns["offsets"]),
        to_list(columns["timestamps"]),
        to_list(columns["keys"]),
        to_list(columns["values"]),
        headers_list(columns.get("headers")),
        consumed(topic, columns),
    )
