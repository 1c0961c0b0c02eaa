"""Packing of source rows: which task gets them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from millstream.topology.spark.compile import Layout, Stage
from millstream.topology.spark.failures import WorkerFailure, failure_from
from millstream.topology.spark.worker.pack import packer

STAGES = (
    Stage(index=0, subtopology=0, tasks=2, topics=("few",), internal=()),
    Stage(index=1, subtopology=1, tasks=4, topics=("many",), internal=()),
)
LAYOUT = Layout(stages=STAGES, routes={}, keys=(10, 11, 12, 13))


def rows(topic: str, partition: int) -> pa.RecordBatch:
    columns = {
        "topic": pa.array([topic]),
        "partition": pa.array([partition], pa.int32()),
        "offset": pa.array([7], pa.int64()),
        "timestamp": pa.array([1], pa.int64()),
        "key": pa.array([b"k"], pa.binary()),
        "value": pa.array([b"v"], pa.binary()),
        "headers": pa.array([None], pa.null()),
    }
    return pa.RecordBatch.from_pydict(columns)


@pytest.mark.parametrize(("topic", "stage", "partition"), [("few", 0, 1), ("many", 1, 3)])
def test_a_row_goes_to_the_task_of_its_partition(topic: str, stage: int, partition: int) -> None:
    (packed,) = packer(LAYOUT, stage)(iter([rows(topic, partition)]))

    assert packed.column("key").to_pylist() == [10 + partition]
    assert packed.column("stage").to_pylist() == [stage]


@pytest.mark.parametrize(("topic", "stage", "partition"), [("few", 0, 2), ("many", 1, 4)])
def test_a_partition_that_came_later_has_no_task(topic: str, stage: int, partition: int) -> None:
    with pytest.raises(WorkerFailure) as raised:
        list(packer(LAYOUT, stage)(iter([rows(topic, partition)])))

    failure = failure_from(str(raised.value))
    assert failure.problem == f'topic "{topic}" has got more partitions while the application runs'
    assert f"partition {partition}" in failure.detail
    assert "Start the application again" in failure.hint
