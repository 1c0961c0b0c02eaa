"""First step of a batch: packs rows of the Kafka source into rows of chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from millstream.core.errors import StreamsException
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.failures import reported
from millstream.topology.spark.grown_topics import grown_topic
from millstream.topology.spark.wire import ARROW_ROW, GLOBAL, RECORDS, chunk_buffer

SOURCE_COLUMNS = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")
PACKED_ARROW = pa.schema([field for field in ARROW_ROW if field.name != "clock"])
PACKED_SCHEMA = "key int, stage int, kind int, topic string, partition int, seq bigint, blob binary"


PIECE_BYTES = 8 << 20
"""Size above which the records of a batch are cut into pieces, each a row.

What handles a row copies it several times. Memory of this size is used again by the next row; for
larger ones the system is asked each time, and fills every page with zeros first.
"""

Mapper = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def packer(layout: Layout, stage: int) -> Mapper:
    """Return the function that Spark maps over the batches of a stage's Kafka source.

    Args:
        layout: The stages.
        stage: Index of the stage.
    """
    keys, tasks = layout.keys, layout.stages[stage].tasks

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in pieces(batches):
            with reported():
                topic, partition, first, blob = packed(batch)
                if partition >= tasks:
                    # A later stage may have more tasks, and so a key for it.
                    raise grown_topic(topic, partition, tasks)
            yield _row(keys[partition], stage, RECORDS, topic, partition, first, blob)

    return pack


def global_packer(layout: Layout) -> Mapper:
    """Return the function that copies records of global topics to every task with global stores.

    Args:
        layout: The stages.
    """
    places = [
        (layout.keys[task], stage.index)
        for stage in layout.stages
        if stage.has_globals
        for task in range(stage.tasks)
    ]

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in pieces(batches):
            chunk = packed(batch)
            for place in places:
                yield _row(*place, GLOBAL, *chunk)

    return pack


def pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches, but empty ones, cut to about ``PIECE_BYTES``; nothing is copied."""
    for batch in batches:
        rows = batch.num_rows
        step = -(-rows // (1 + batch.nbytes // PIECE_BYTES))
        for at in range(0, rows, step or 1):
            yield batch.slice(at, step)


def packed(batch: pa.RecordBatch) -> tuple[str, int, int, pa.Buffer]:
    """Return topic, partition, first offset and blob of a batch of one topic partition."""
    columns: Mapping[str, pa.Array] = dict(zip(batch.schema.names, batch.columns, strict=True))
    topic, partition = _end(columns, 0)
    if _end(columns, batch.num_rows - 1) != (topic, partition):
        raise StreamsException(
            "cannot pack a batch of records",
            detail=f'It mixes partition {partition} of "{topic}" with another one.',
            hint="Do not set minPartitions or maxRecordsPerPartition on the Kafka source.",
        )
    headers = columns["headers"]
    blob = chunk_buffer(
        offsets=columns["offset"],
        timestamps=columns["timestamp"],
        keys=columns["key"].cast(pa.binary()),
        values=columns["value"].cast(pa.binary()),
        headers=None if headers.null_count == len(headers) else headers,
    )
    return topic, partition, columns["offset"][0].as_py(), blob


def _row(*fields: Any) -> pa.RecordBatch:
    """Return one row; its blob, the last field, is not copied."""
    *small, blob = fields
    offsets = pa.py_buffer(np.array([0, blob.size], np.int32))
    arrays = [
        pa.array([each], field.type)
        for each, field in zip(small, list(PACKED_ARROW)[:-1], strict=True)
    ]
    arrays.append(pa.Array.from_buffers(pa.binary(), 1, [None, offsets, blob]))
    return pa.RecordBatch.from_arrays(arrays, schema=PACKED_ARROW)


def _end(columns: Mapping[str, Any], index: int) -> tuple[str, int]:
    return columns["topic"][index].as_py(), columns["partition"][index].as_py()
