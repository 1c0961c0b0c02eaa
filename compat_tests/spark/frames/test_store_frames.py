"""Stores as DataFrames of a session: of a savepoint, and of an application."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests.spark.frames.shop import START, shop_savepoint
from compat_tests.spark.support import Playground, eventually
from millstream import Consumed, KafkaStreams, Materialized, Produced, Serdes, StreamsBuilder
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    IllegalStateException,
    StreamsException,
)
from millstream.frames import readStore, register
from millstream.topology.spark.frames.store_rows import Choice
from millstream.topology.spark.frames.stores import read_by_spark


@pytest.fixture(scope="module")
def savepoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shop_savepoint(tmp_path_factory.mktemp("frames") / "shop")


def test_sql_reads_a_savepoint(spark: SparkSession, savepoint: Path) -> None:
    register(spark)
    source = spark.read.format("millstream").option("path", str(savepoint))
    source.option("store", "per-minute").load().createOrReplaceTempView("per_minute")
    found = spark.sql(
        "select key, sum(value) as clicks, min(window_start) as first from per_minute "
        "group by key order by key"
    ).collect()
    assert [(row.key, row.clicks) for row in found] == [("ann", 2), ("bob", 1)]
    json = source.option("store", "spent").option("valueSerde", "json")
    spent = json.option("valueType", "struct<cents: bigint, note: string>").load()
    assert [r.value.cents for r in spent.where("key = 'bob'").collect()] == [7]
    spark.catalog.dropTempView("per_minute")


def test_a_function_reads_a_savepoint(spark: SparkSession, savepoint: Path) -> None:
    found = readStore(spark, "prices", path=str(savepoint))
    assert found.columns[-2:] == ["valid_from", "valid_to"]
    assert found.where("valid_to is null").first()["value"] == "1.20"  # type: ignore[index]
    found = readStore(spark, "counts", path=savepoint.as_uri())
    assert {(r.key, r.value) for r in found.collect()} == {("ann", 2), ("bob", 1)}


def test_a_savepoint_elsewhere_is_compared_with_its_manifest(
    spark: SparkSession, savepoint: Path, tmp_path: Path
) -> None:
    """As on any other file system, where Spark reads the files."""
    copy = tmp_path / "copy"
    shutil.copytree(savepoint, copy)
    found = read_by_spark(spark, copy.as_uri(), "counts", Choice())
    assert {(r.key, r.value) for r in found.collect()} == {("ann", 2), ("bob", 1)}
    next((copy / "entries" / "store=counts").rglob("*.parquet")).unlink()
    with pytest.raises(StreamsException, match='damaged: partition 0 of store "counts"'):
        read_by_spark(spark, copy.as_uri(), "counts", Choice())
    assert read_by_spark(spark, copy.as_uri(), "per-minute", Choice()).count() == 3
    assert read_by_spark(spark, copy.as_uri(), "unused", Choice()).count() == 0


def test_each_session_of_a_program_reads_stores(spark: SparkSession, savepoint: Path) -> None:
    for session in (spark, spark.newSession(), spark.newSession()):
        found = readStore(session, "counts", path=str(savepoint))
        assert {(r.key, r.value) for r in found.collect()} == {("ann", 2), ("bob", 1)}


def test_times_have_a_zone_whatever_the_session_takes_a_timestamp_for(
    spark: SparkSession, savepoint: Path
) -> None:
    mine = spark.newSession()
    mine.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    found = readStore(mine, "per-minute", path=str(savepoint))
    times = ("timestamp", "window_start", "window_end")
    assert {kind for name, kind in found.dtypes if name in times} == {"timestamp"}
    seconds = found.where("key = 'ann'").selectExpr("unix_seconds(window_start) as second")
    first = int(START.timestamp())
    assert {row.second for row in seconds.collect()} == {first, first + 60}


@pytest.mark.parametrize(
    ("places", "error"),
    [
        ({}, IllegalArgumentException),
        ({"path": "a", "checkpoint": "b"}, IllegalArgumentException),
        ({"checkpoint": "/nowhere/at/all"}, IllegalStateException),
    ],
)
def test_a_place_without_state_is_refused(
    spark: SparkSession, places: dict[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        readStore(spark, "counts", **places)  # type: ignore[arg-type]


def test_something_else_than_a_session_is_refused() -> None:
    session: Any = "spark"
    with pytest.raises(ClassCastException, match="not a SparkSession"):
        register(session)


def test_an_applications_last_batch_is_a_table(spark: SparkSession, play: Playground) -> None:
    words, counts = play.topic("words"), play.topic("counts")
    builder = StreamsBuilder()
    stream = builder.stream(words, Consumed.with_(Serdes.String(), Serdes.String()))
    table = stream.groupByKey().count(Materialized.as_("word-counts"))
    table.toStream().to(counts, Produced.with_(Serdes.String(), Serdes.Long()))
    play.produce(words, [(b"a", b"", 1_000), (b"b", b"", 2_000), (b"a", b"", 3_000)])
    config = play.config()

    def last() -> set[tuple[str, int]]:
        with suppress(IllegalStateException):
            return {(r.key, r.value) for r in readStore(spark, application=config).collect()}
        return set()

    with KafkaStreams(builder.build(), config, spark=spark):
        eventually(lambda: ("a", 2) in last(), expected=True)
        running = readStore(spark, "word-counts", application=config)
        assert {(r.key, r.value) for r in running.collect()} == {("a", 2), ("b", 1)}
    running.createOrReplaceTempView("word_counts")
    total = spark.sql("select sum(value) as total, max(timestamp) as last from word_counts")
    assert total.first()["total"] == 3  # type: ignore[index]
    by_place = readStore(spark, checkpoint=str(play.directory / play.name / "checkpoint"))
    assert by_place.where("key = 'a'").count() == 1
    spark.catalog.dropTempView("word_counts")
