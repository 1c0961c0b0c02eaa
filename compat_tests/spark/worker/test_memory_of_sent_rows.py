"""What a stage has sent is freed: a worker runs for months."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import Row

from millstream.topology.spark.frames.columns import arrow_column
from millstream.topology.spark.job import Job
from millstream.topology.spark.wire import RECORDS, binary_column, chunk_buffer
from millstream.topology.spark.worker.stage import StageProcessor

SIZE = 100_000


class Sending(StageProcessor):
    """Sends one large chunk for each batch."""

    def _run(self, partition: int, rows: Iterable[Any]) -> list[dict[str, Any]]:
        blob = chunk_buffer(keys=binary_column([b"x" * SIZE]), values=binary_column([None]))
        return [{"stage": 1, "kind": RECORDS, "blob": memoryview(blob)}]


def test_a_row_that_spark_has_taken_leaves_no_memory_behind() -> None:
    job = SimpleNamespace(layout=SimpleNamespace(keys=[0]))
    stage = Sending(cast("Job", job), 0)

    def batch() -> None:
        for row in stage.handleInputRows((0,), iter([Row(stage=0)]), None):
            # As Spark's serializer does.
            pa.array([row.blob], pa.binary())

    batch()
    gc.collect()
    before = pa.total_allocated_bytes()
    for _ in range(10):
        batch()
    gc.collect()
    assert pa.total_allocated_bytes() - before < SIZE


def test_values_that_are_memoryviews_are_freed_when_a_data_frame_has_them() -> None:
    def column() -> None:
        memory = memoryview(pa.py_buffer(pa.allocate_buffer(SIZE)))
        assert len(arrow_column([memory], pa.binary(), "the value")) == 1

    column()
    before = pa.total_allocated_bytes()
    for _ in range(10):
        column()
    gc.collect()
    assert pa.total_allocated_bytes() - before < SIZE
