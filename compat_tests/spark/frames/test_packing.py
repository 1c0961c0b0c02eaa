"""Rows of a DataFrame as chunks for tasks, without Spark."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from millstream import Serdes
from millstream.core.errors import StreamsException
from millstream.core.partitioning import default_partition
from millstream.topology.spark.compile import Layout, Stage
from millstream.topology.spark.frames.packing import Packing
from millstream.topology.spark.surrogate import surrogate_keys
from millstream.topology.spark.wire import GLOBAL, RECORDS, TICK, decode_chunk

HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


def packing(tasks: int, count: int, value: Any = None) -> Packing:
    stage = Stage(index=0, subtopology=0, tasks=tasks, topics=(), internal=("f",), has_globals=True)
    return Packing(
        topic="f",
        layout=Layout(stages=(stage,), routes={"f": (0, tasks)}, keys=surrogate_keys(tasks)),
        stage=0,
        count=count,
        key_serializer=Serdes.String().serializer(),
        value_serializer=(value or Serdes.Long()).serializer(),
        configs={},
    )


def batch(rows: list[tuple[Any, Any, int]], headers: Any = None) -> pa.RecordBatch:
    keys, values, times = zip(*rows, strict=True)
    columns = {
        "key": pa.array(keys, pa.string()),
        "value": pa.array(values, pa.int64()),
        "timestamp": pa.array(times, pa.int64()),
        "headers": pa.array(headers or [None] * len(rows), HEADERS),
    }
    return pa.RecordBatch.from_pydict(columns)


ROWS = [("ann", 1, 10), ("bob", None, 20), (None, 3, 30), (None, None, 40), ("ann", 5, 5)]


def test_a_row_goes_where_kafka_puts_its_key() -> None:
    found: dict[int, list[tuple[Any, Any, int]]] = {}
    pack = packing(4, 4)
    for row in pack.rows(batch(ROWS), 2, 100):
        assert (row["kind"], row["partition"], row["seq"]) == (RECORDS, 2, 100)
        chunk = decode_chunk(row["blob"])
        columns = (chunk[name].to_pylist() for name in ("keys", "values", "timestamps"))
        found[pack.layout.keys.index(row["key"])] = list(zip(*columns, strict=True))
    number = Serdes.Long().serializer()
    wanted: dict[int, list[tuple[Any, Any, int]]] = {}
    for key, value, time in ROWS:
        data = None if value is None else number.serialize("f", value)
        by = data if key is None else key.encode()
        place = 0 if by is None else default_partition(by, 4)
        wanted.setdefault(place, []).append((None if key is None else key.encode(), data, time))
    assert found == wanted


def test_headers_travel() -> None:
    headers = [None, [{"key": "h", "value": b"1"}]]
    (row,) = packing(1, 1).rows(batch(ROWS[:2], headers), 0, 0)
    assert decode_chunk(row["blob"])["headers"].to_pylist() == headers


def test_a_global_table_gets_rows_with_keys_in_every_task() -> None:
    found = list(packing(3, 0).rows(batch(ROWS), 0, 7))
    assert [row["kind"] for row in found] == [GLOBAL] * 3
    assert decode_chunk(found[0]["blob"])["offsets"].to_pylist() == [7, 8, 11]
    assert list(packing(3, 0).rows(batch(ROWS[2:4]), 0, 0)) == []


@pytest.mark.parametrize("tasks", [1, 2, 4, 7])
def test_one_task_is_asked_with_the_first_rows(tasks: int) -> None:
    pack = packing(tasks, tasks)
    batches = list(pack.mapper()(iter([batch(ROWS), batch(ROWS)])))
    kinds = [each.column("kind").to_pylist() for each in batches]
    assert [each.count(TICK) for each in kinds] == [1, 0]
    assert batches[0].column("key").to_pylist()[kinds[0].index(TICK)] == 0


def test_a_value_of_a_wrong_type_is_refused() -> None:
    pack = packing(1, 1, Serdes.String())
    with pytest.raises(StreamsException, match='the value column of DataFrame "f"'):
        list(pack.rows(batch(ROWS), 0, 0))
