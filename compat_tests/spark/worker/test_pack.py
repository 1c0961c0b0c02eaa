"""Packing of source rows: which task gets them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from millstream.topology.spark.compile import Layout, Stage
from millstream.topology.spark.failures import WorkerFailure, failure_from
from millstream.topology.spark.wire import SINK, decode_chunk
from millstream.topology.spark.worker import pack
from millstream.topology.spark.worker.pack import packer
from millstream.topology.spark.worker.sink import sink_rows

STAGES = (
    Stage(index=0, subtopology=0, tasks=2, topics=("few",), internal=()),
    Stage(index=1, subtopology=1, tasks=4, topics=("many",), internal=()),
)
LAYOUT = Layout(stages=STAGES, routes={}, keys=(10, 11, 12, 13))


def rows(topic: str, partition: int, value: bytes = b"v") -> pa.RecordBatch:
    columns = {
        "topic": pa.array([topic]),
        "partition": pa.array([partition], pa.int32()),
        "offset": pa.array([7], pa.int64()),
        "timestamp": pa.array([1], pa.int64()),
        "key": pa.array([b"k"], pa.binary()),
        "value": pa.array([value], pa.binary()),
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


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_rows_large_and_small_arrive_at_the_sink_as_they_were(size: int) -> None:
    packed = [
        each.set_column(1, "stage", pa.array([stage], pa.int32()))
        for stage in (SINK, 0, SINK)
        for each in packer(LAYOUT, 0)(iter([rows("few", 1, b"v" * size)]))
    ]
    whole = pa.Table.from_batches(packed).combine_chunks().to_batches()[0]

    for batch in (whole, whole.slice(1, 2)):
        found = list(sink_rows(batch))
        assert [row["topic"] for row in found] == ["few"] * batch["stage"].to_pylist().count(SINK)
        for row in found:
            assert bytes(row["blob"]) == batch["blob"][-1].as_py()
            assert decode_chunk(row["blob"])["values"].to_pylist() == [b"v" * size]


def test_a_row_without_a_blob_may_be_among_those_of_the_sink() -> None:
    batch = pa.record_batch({"stage": [SINK, SINK], "blob": pa.array([None, b"x"], pa.binary())})

    assert [row["blob"] for row in sink_rows(batch)] == [None, b"x"]


@pytest.mark.parametrize(
    ("most", "first_offsets"), [(900, [0, 3, 6]), (100_000, [0]), (1, [*range(8)])]
)
def test_a_large_batch_becomes_several_rows_in_order(
    monkeypatch: pytest.MonkeyPatch, most: int, first_offsets: list[int]
) -> None:
    monkeypatch.setattr(pack, "PIECE_BYTES", most)
    values = [b"%d" % n * 250 for n in range(8)]
    one = [rows("few", 1, value) for value in values]
    whole = pa.Table.from_batches(one).combine_chunks()
    whole = whole.set_column(2, "offset", pa.array(range(8), pa.int64()))
    empty = whole.slice(0, 0).combine_chunks().to_batches()
    packed = list(packer(LAYOUT, 0)(iter([*empty, *whole.to_batches()])))

    assert [row["seq"][0].as_py() for row in packed] == first_offsets
    chunks = [decode_chunk(row["blob"][0].as_py()) for row in packed]
    assert [value for chunk in chunks for value in chunk["values"].to_pylist()] == values
    assert [at for chunk in chunks for at in chunk["offsets"].to_pylist()] == [*range(8)]
