"""From the Kafka source's rows, one a record, to rows that carry chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from millstream.core.errors import StreamsException
from millstream.topology.spark.wire import ARROW_ROW, RECORDS, encode_chunk

SOURCE_COLUMNS = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")
PACKED_ARROW = pa.schema([field for field in ARROW_ROW if field.name != "clock"])
PACKED_SCHEMA = "key int, stage int, kind int, topic string, partition int, seq bigint, blob binary"


def packer(
    stage: int, keys: tuple[int, ...]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that Spark maps over the batches of a stage's Kafka source.

    Args:
        stage: Index of the stage on the line.
        keys: Group key of each task.
    """

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                yield packed(batch, stage, keys)

    return pack


def packed(batch: pa.RecordBatch, stage: int, keys: tuple[int, ...]) -> pa.RecordBatch:
    """Return one row that carries a whole batch, which is of one topic partition."""
    columns: Mapping[str, pa.Array] = dict(zip(batch.schema.names, batch.columns, strict=True))
    topic, partition = _end(columns, 0)
    if _end(columns, batch.num_rows - 1) != (topic, partition):
        raise StreamsException(
            "cannot pack a batch of records",
            detail=f'It mixes partition {partition} of "{topic}" with another one.',
            hint="Do not set minPartitions or maxRecordsPerPartition on the Kafka source.",
        )
    headers = columns["headers"]
    blob = encode_chunk(
        offsets=columns["offset"],
        timestamps=columns["timestamp"],
        keys=columns["key"].cast(pa.binary()),
        values=columns["value"].cast(pa.binary()),
        headers=None if headers.null_count == len(headers) else headers,
    )
    first = columns["offset"][0].as_py()
    row = (keys[partition], stage, RECORDS, topic, partition, first, blob)
    fields = dict(zip(PACKED_ARROW.names, row, strict=True))
    return pa.RecordBatch.from_pylist([fields], schema=PACKED_ARROW)


def _end(columns: Mapping[str, Any], index: int) -> tuple[str, int]:
    return columns["topic"][index].as_py(), columns["partition"][index].as_py()
