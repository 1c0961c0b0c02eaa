"""Fields of users' files that could be read in two ways."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from millstream.topology.spark.backfill.records import records_of
from millstream.topology.spark.backfill.staging import stage
from millstream.topology.spark.checkpoint.files import LocalFiles

NEW_YEAR = 1_704_067_200_000
BYTES = b"\xff\xfe\xfb"


def read(spark: SparkSession, place: Path, **fields: Any) -> Any:
    (place / "one.jsonl").write_text(json.dumps({"value": "x", "timestamp": 1, **fields}))
    records, _ = records_of(spark, "numbers", 1, [str(place / "one.jsonl")])
    (row,) = records.select("timestamp", "key", "value").collect()
    return row


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NEW_YEAR, NEW_YEAR),
        (str(NEW_YEAR), NEW_YEAR),
        ("2024-01-01T00:00:00Z", NEW_YEAR),
        ("2024-01-01T01:00:00.250+01:00", NEW_YEAR + 250),
        ("2023-12-31 19:00:00-05", NEW_YEAR),
        ("2024-01-01 01:00:00 Europe/Paris", NEW_YEAR),
        ("2024-01-01 00:00:00 UTC", NEW_YEAR),
    ],
)
def test_a_time_has_a_zone(spark: SparkSession, tmp_path: Path, text: Any, expected: int) -> None:
    assert read(spark, tmp_path, timestamp=text).timestamp == expected


@pytest.mark.parametrize(
    "text", ["2024-01-01T00:00:00", "2024-01-01 00:00:00.5", "2024-01-01", "T12:00:00", ""]
)
def test_a_time_without_a_zone_is_refused(spark: SparkSession, tmp_path: Path, text: str) -> None:
    """It would be another time on a machine in another zone."""
    with pytest.raises(PySparkException, match="no valid timestamp: milliseconds, or ISO 8601"):
        read(spark, tmp_path, timestamp=text)


def test_bytes_are_base64(spark: SparkSession, tmp_path: Path) -> None:
    text = base64.b64encode(BYTES).decode()
    row = read(spark, tmp_path, key_base64=text, value_base64="", value=None)
    assert (bytes(row.key), bytes(row.value)) == (BYTES, b"")


@pytest.mark.parametrize("text", [base64.urlsafe_b64encode(BYTES).decode(), "no base64!"])
def test_what_is_no_base64_is_refused(spark: SparkSession, tmp_path: Path, text: str) -> None:
    """The alphabet for URLs has two other characters: passed over, they left other bytes."""
    with pytest.raises(PySparkException, match="CONVERSION_INVALID_INPUT"):
        read(spark, tmp_path, value_base64=text)


def test_each_partition_is_one_file_in_any_directory(spark: SparkSession, tmp_path: Path) -> None:
    mine = spark.newSession()
    mine.conf.set("spark.sql.files.maxRecordsPerFile", "2")
    place, source = tmp_path / "st[1]", tmp_path / "numbers.jsonl"
    lines = [json.dumps({"value": "x", "timestamp": number}) for number in range(5)]
    source.write_text("\n".join(lines))
    whole: Any = SimpleNamespace(of=lambda topic: None)
    files = LocalFiles(place)
    found = stage(mine, files, f"file://{place}", {"n": (str(source),)}, {"n": 1}, (whole, whole))
    assert found["n"][0].records == 5
