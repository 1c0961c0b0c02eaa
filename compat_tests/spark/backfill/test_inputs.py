"""Files that stand for topics, as users give them, and the sorted files made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from millstream.core.errors import IllegalArgumentException
from millstream.topology.spark.backfill.inputs import check_inputs, inputs, is_json_lines
from millstream.topology.spark.backfill.sorted_files import SortedFile


def test_a_topic_has_one_path_or_several(tmp_path: Path) -> None:
    assert inputs({"a": tmp_path, "b": ["s3a://x/y", "/z"]}) == {
        "a": (str(tmp_path),),
        "b": ("s3a://x/y", "/z"),
    }
    assert inputs(None) == {}


@pytest.mark.parametrize("given", ["a", {"a": None}, {"a": []}, {"a": ""}, {1: "x"}, {"a": [1]}])
def test_anything_else_is_refused(given: Any) -> None:
    with pytest.raises(IllegalArgumentException, match="not files for topics"):
        inputs(given)


def test_a_file_for_a_topic_that_is_not_read_is_refused() -> None:
    with pytest.raises(IllegalArgumentException, match='does not read topic "b"'):
        check_inputs({"b": ("x",)}, {"a": 1})


def test_json_lines_are_known_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "part-0.jsonl.gz").touch()
    assert is_json_lines(str(tmp_path))
    assert is_json_lines("hdfs://x/a.NDJSON")
    assert not is_json_lines("a.parquet")
    assert not is_json_lines(str(tmp_path.parent / "nothing"))


@pytest.fixture
def sorted_file(tmp_path: Path) -> SortedFile:
    """Ten records with turns 0, 10, 20, ..., three in a row group."""
    table = pa.table(
        {
            "turn": pa.array(range(0, 100, 10), pa.int64()),
            "offset": pa.nulls(10, pa.int64()),
            "timestamp": pa.array(range(0, 100, 10), pa.int64()),
            "key": pa.array([b"k"] * 10),
            "value": pa.array([b"%d" % n for n in range(10)]),
            "headers": pa.nulls(10, pa.list_(pa.struct([("key", pa.string())]))),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=3)
    return SortedFile(str(tmp_path / "a.parquet"))


def test_a_sorted_file_tells_the_first_record_at_or_after_a_time(sorted_file: SortedFile) -> None:
    times = [0, 1, 20, 30, 31, 90, 91]
    assert [sorted_file.at_time(each) for each in times] == [0, 1, 2, 3, 4, 9, 10]


def test_a_sorted_file_gives_any_range_of_its_records(sorted_file: SortedFile) -> None:
    for start in range(11):
        for stop in range(start, 11):
            found = list(sorted_file.records(("t", 2), start, stop))
            rows = [row for batch in found for row in batch.to_pylist()]
            assert [row["value"] for row in rows] == [b"%d" % n for n in range(start, stop)]
            assert [row["offset"] for row in rows] == list(range(start, stop))
            assert {(row["topic"], row["partition"]) for row in rows} <= {("t", 2)}
