"""Spark compiles the code of a query once, and not in every batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from millstream.topology.spark.driver.session import query_session
from millstream.topology.spark.row_columns import with_clock
from millstream.topology.spark.worker.pack import PACKED_SCHEMA


def test_the_clock_of_a_batch_is_not_compiled(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "in"
    _add(source, range(3))
    rows = with_clock(_packed(query_session(spark, {}, 1), source))
    query = (
        rows.groupBy("key")
        .agg(F.max("clock"))
        .writeStream.format("noop")
        .outputMode("update")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .start()
    )
    try:
        query.processAllAvailable()
        compiled = _compilations(spark)
        _add(source, range(3, 6))
        query.processAllAvailable()
        assert query.lastProgress is not None
        assert query.lastProgress.batchId == 5
        assert _compilations(spark) == compiled
    finally:
        query.stop()


def _packed(session: SparkSession, source: Path) -> DataFrame:
    names = [column.split() for column in PACKED_SCHEMA.split(",")]
    rows = session.readStream.option("maxFilesPerTrigger", 1).text(str(source))
    return rows.select(*(F.col("value").cast(kind).alias(name) for name, kind in names))


def _add(source: Path, numbers: range) -> None:
    source.mkdir(exist_ok=True)
    for number in numbers:
        (source / f"{number}.txt").write_text("1\n", encoding="utf-8")


def _compilations(spark: SparkSession) -> int:
    jvm: Any = spark._jvm
    metrics = jvm.org.apache.spark.metrics.source.CodegenMetrics
    return int(metrics.METRIC_COMPILATION_TIME().getCount())
