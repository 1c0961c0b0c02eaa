"""Last step of a batch: each sink partition writes its part to Kafka."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from millstream.topology.spark.failures import reported
from millstream.topology.spark.job import Job
from millstream.topology.spark.wire import OFFSETS, READ, RECORDS, SINK
from millstream.topology.spark.worker.carrying import batch_id, end_batch
from millstream.topology.spark.worker.early_writers import connect_ahead, leave_idle, sink_writer
from millstream.topology.spark.worker.handed_over import TakenOver
from millstream.topology.spark.worker.sink_rules import ConsumedRange
from millstream.topology.spark.worker.writers import Output


def sinker(job: Job) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that Spark maps over the rows that leave the last stage."""

    def sink(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        partition = -1 if context is None else context.partitionId()
        with reported():
            if context is not None:
                connect_ahead(job, partition)
        rows = [row for batch in batches for row in sink_rows(batch)]
        with reported():
            if context is not None and rows:
                _write(job, partition, rows)
            elif context is not None:
                leave_idle(job, partition)
        end_batch(job)
        return iter(())

    return sink


def _write(job: Job, partition: int, rows: list[dict[str, Any]]) -> None:
    taken = TakenOver()
    try:
        outputs, consumed = sorted_output(list(taken.rows(rows)))
        sink_writer(job, partition).write(batch_id(), outputs, consumed)
        taken.empty()
    finally:
        taken.close()


def sink_rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch that are for the sink, as dictionaries; blobs are not copied."""
    blobs = _blobs(batch.column("blob"))
    plain = batch.drop_columns(["blob"]).to_pylist()
    for row, blob in zip(plain, blobs, strict=True):
        if row["stage"] == SINK:
            yield {**row, "blob": blob}


def _blobs(column: pa.Array) -> list[bytes | pa.Buffer | None]:
    _, ends, data = column.buffers()
    if column.null_count or data is None or not pa.types.is_binary(column.type):
        return column.to_pylist()  # type: ignore[no-any-return]
    # A scalar of Arrow would have a copy.
    bounds = np.frombuffer(ends, np.int32, len(column) + 1, column.offset * 4).tolist()
    return [data.slice(start, end - start) for start, end in pairwise(bounds)]


def sorted_output(rows: list[dict[str, Any]]) -> tuple[list[Output], list[ConsumedRange]]:
    """Return the chunks in the order of sending, and the offsets to commit."""
    rows = sorted(rows, key=lambda row: (row["topic"], row["partition"], row["seq"]))
    outputs = [(row["topic"], row["blob"]) for row in rows if row["kind"] == RECORDS]
    consumed: dict[tuple[str, int], ConsumedRange] = {}
    # Offsets of records before the end of what was read.
    for row in sorted(rows, key=lambda row: row["kind"]):
        if row["kind"] not in (OFFSETS, READ):
            continue
        at = (row["topic"], row["partition"])
        first, reached = _first(row["blob"]), row["seq"]
        if row["kind"] == OFFSETS:
            consumed[at] = ConsumedRange(*at, reached, first)
        else:
            # Of a range without a record there is no offset after the last one.
            of_records = consumed.get(at, ConsumedRange(*at, 0, first))
            consumed[at] = of_records._replace(end=reached)
    return outputs, list(consumed.values())


def _first(blob: bytes | pa.Buffer | None) -> int | None:
    return int.from_bytes(memoryview(blob), "big") if blob else None
