"""Topologies between DataFrames, on Spark and without a broker."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from compat_tests.docs.blocks import blocks
from millstream import StreamsBuilder, TimeWindows
from millstream.core.errors import IllegalStateException, MillstreamError
from millstream.frames import failureOf, readStore

PURCHASES = "user string, amount bigint, at timestamp"
BOUGHT = "user string, amount bigint, bought_at timestamp"


def moment(second: int) -> datetime:
    return datetime.fromtimestamp(second, tz=timezone.utc)


def write(spark: SparkSession, place: Path, rows: Iterable[tuple[Any, ...]], ddl: str) -> None:
    """Add one file to a directory."""
    spark.createDataFrame(list(rows), ddl).coalesce(1).write.mode("append").parquet(str(place))


def streamed(spark: SparkSession, place: Path, ddl: str = PURCHASES) -> DataFrame:
    return spark.readStream.schema(ddl).parquet(str(place))


def finish(frame: DataFrame, place: Path) -> None:
    """Write what has arrived to files."""
    query = (
        frame.writeStream.format("parquet")
        .option("path", str(place / "out"))
        .option("checkpointLocation", str(place / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()


def results(spark: SparkSession, place: Path) -> list[tuple[Any, ...]]:
    rows = spark.read.parquet(str(place / "out")).collect()
    return sorted((row.key, row.value, row.timestamp.timestamp()) for row in rows)


def totals(frame: DataFrame, place: Path) -> DataFrame:
    builder = StreamsBuilder()
    purchases = builder.fromDataFrame(
        frame, key="user", value="amount", timestamp="at", partitions=2, name="purchases"
    )
    sums = purchases.groupByKey().reduce(lambda before, now: before + now)
    return sums.toDataFrame({"state.dir": str(place / "state")}, name="totals")


def test_a_batch_goes_through_a_topology(spark: SparkSession, tmp_path: Path) -> None:
    rows = [("ann", 3, moment(10)), ("bob", 4, moment(11)), ("ann", 5, moment(12))]
    found = totals(spark.createDataFrame(rows, PURCHASES), tmp_path)
    assert not found.isStreaming
    assert found.dtypes == [
        ("key", "string"),
        ("value", "bigint"),
        ("timestamp", "timestamp"),
        ("headers", "array<struct<key:string,value:binary>>"),
    ]
    assert sorted((r.key, r.value) for r in found.collect()) == [("ann", 8), ("bob", 4)]


def test_a_stream_goes_on_after_a_restart(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "source"
    write(spark, source, [("ann", 3, moment(10)), ("bob", 4, moment(11))], PURCHASES)
    finish(totals(streamed(spark, source), tmp_path), tmp_path)
    assert results(spark, tmp_path) == [("ann", 3, 10.0), ("bob", 4, 11.0)]
    write(spark, source, [("ann", 5, moment(12))], PURCHASES)
    finish(totals(streamed(spark, source), tmp_path), tmp_path)
    assert results(spark, tmp_path) == [("ann", 3, 10.0), ("ann", 8, 12.0), ("bob", 4, 11.0)]


def test_the_program_of_the_page_runs(spark: SparkSession, tmp_path: Path) -> None:
    (page,) = [each.code for each in blocks() if "named.toDataFrame(" in each.code]
    write(spark, tmp_path / "purchases", [("ann", 3, moment(10)), ("ann", 4, moment(11))], BOUGHT)
    frames = {
        'spark.readStream.table("purchases")': streamed(spark, tmp_path / "purchases", BOUGHT),
        'spark.table("users")': spark.createDataFrame([("ann", "Ann")], "id string, name string"),
    }
    for index, frame in enumerate(frames):
        page = page.replace(frame, f"frames[{index}]")
    page = page.replace("delta", "parquet").replace("checkpoints/", f"{tmp_path}/checkpoints/")
    names: dict[str, Any] = {"StreamsBuilder": StreamsBuilder, "frames": [*frames.values()]}
    exec(page.replace("tables/", f"{tmp_path}/tables/"), names)  # noqa: S102 - our own page
    names["query"].processAllAvailable()
    names["query"].stop()
    found = spark.read.parquet(str(tmp_path / "tables" / "totals")).select("key", "value.*")
    assert [tuple(row) for row in found.collect()] == [("ann", "Ann", 7)]


def test_stores_of_a_query_of_dataframes_cannot_be_read(
    spark: SparkSession, tmp_path: Path
) -> None:
    write(spark, tmp_path / "source", [("ann", 3, moment(10))], PURCHASES)
    finish(totals(streamed(spark, tmp_path / "source"), tmp_path), tmp_path)
    with pytest.raises(IllegalStateException, match="not one of an application of KafkaStreams"):
        readStore(spark, checkpoint=str(tmp_path / "checkpoint"))


def test_another_program_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "source"
    write(spark, source, [("ann", 3, moment(10))], PURCHASES)
    finish(totals(streamed(spark, source), tmp_path), tmp_path)
    write(spark, source, [("ann", 5, moment(12))], PURCHASES)
    builder = StreamsBuilder()
    stream = builder.fromDataFrame(
        streamed(spark, source), key="user", value="amount", partitions=2
    )
    counts = stream.filter(lambda key, value: True).groupByKey().count()
    with pytest.raises(Exception, match="checkpoint of this query is of another program"):
        finish(counts.toDataFrame({"state.dir": str(tmp_path / "state")}), tmp_path)


def test_a_global_table_and_two_streams(spark: SparkSession, tmp_path: Path) -> None:
    clicks, views = tmp_path / "clicks", tmp_path / "views"
    write(spark, clicks, [("ann", 1, moment(10)), (None, 9, moment(11))], PURCHASES)
    write(spark, views, [("ann", 2, moment(12))], PURCHASES)
    names = spark.createDataFrame(
        [("ann", "Ann Smith"), (None, "nobody")], "id string, name string"
    )
    builder = StreamsBuilder()
    columns: dict[str, Any] = {"key": "user", "value": "amount", "timestamp": "at"}
    people = builder.globalTableFromDataFrame(names, key="id", value="name")
    both = builder.fromDataFrame(streamed(spark, clicks), **columns).merge(
        builder.fromDataFrame(streamed(spark, views), **columns)
    )
    named = both.leftJoin(people, lambda key, value: key, lambda value, name: f"{name}: {value}")
    found = named.toDataFrame({"state.dir": str(tmp_path / "state")}, name="named")
    finish(found, tmp_path)
    rows = spark.read.parquet(str(tmp_path / "out")).collect()
    assert {(r.key, r.value) for r in rows} == {
        ("ann", "Ann Smith: 1"),
        (None, "None: 9"),
        ("ann", "Ann Smith: 2"),
    }


def test_errors_name_what_is_wrong(spark: SparkSession, tmp_path: Path) -> None:
    builder = StreamsBuilder()
    batch = spark.createDataFrame([("ann", 1, moment(1))], PURCHASES)
    stream = builder.fromDataFrame(streamed(spark, tmp_path), key="user", value="amount")
    bounded = builder.fromDataFrame(batch, key="user", value="amount")
    with pytest.raises(MillstreamError, match="is not streaming"):
        stream.merge(bounded).toDataFrame()


def test_the_error_of_a_batch_says_where_it_was(spark: SparkSession) -> None:
    builder = StreamsBuilder()
    frame = spark.createDataFrame([("ann", 0)], "user string, amount bigint")
    shares = builder.fromDataFrame(frame, key="user", value="amount", name="purchases")
    with pytest.raises(PySparkException) as caught:
        shares.mapValues(lambda amount: 1 // amount).toDataFrame().collect()
    found = failureOf(caught.value)
    assert 'operator "KSTREAM-MAPVALUES-0000000001"' in str(found)
    assert "purchases-" in str(found)
    assert "ZeroDivisionError" in str(found)


@pytest.mark.parametrize("directory", ["my state", "st[1]"])
def test_a_copy_of_a_table_is_written_once_whatever_its_names(
    spark: SparkSession, tmp_path: Path, directory: str
) -> None:
    """A batch that is repeated after a restart reads the same files."""
    write(spark, tmp_path / "clicks", [("ann", 1, moment(10))], PURCHASES)
    taken: list[str] = []

    def sink(batch: DataFrame, number: int) -> None:
        taken.extend(row.value for row in batch.collect())
        if len(taken) == 1:
            raise Interrupted("after the sink")

    for _ in range(2):
        builder = StreamsBuilder()
        names = spark.createDataFrame([("ann", "Ann Smith")], "id string, name string")
        people = builder.globalTableFromDataFrame(names, key="id", value="name", name="my users")
        clicks = builder.fromDataFrame(
            streamed(spark, tmp_path / "clicks"), key="user", value="amount", timestamp="at"
        )
        named = clicks.join(people, lambda key, value: key, lambda value, name: name)
        found = named.toDataFrame({"state.dir": str(tmp_path / directory)}, name="named")
        query = (
            found.writeStream.foreachBatch(sink)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        with suppress(StreamingQueryException):
            query.awaitTermination()
    assert failureOf(query) is None
    assert taken == ["Ann Smith", "Ann Smith"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["checkpoint", "clicks", directory]


class Interrupted(Exception):
    """Stands for a kill between the sink and the commit."""


def test_a_repeated_batch_has_the_same_rows(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "source"
    write(spark, source, [("ann", 3, moment(10)), ("bob", 4, moment(11))], PURCHASES)
    taken: list[tuple[int, list[tuple[Any, ...]]]] = []

    def sink(batch: DataFrame, number: int) -> None:
        taken.append((number, sorted((row.key, row.value) for row in batch.collect())))
        if len(taken) == 1:
            raise Interrupted("after the sink")

    def run() -> StreamingQuery:
        query = (
            totals(streamed(spark, source), tmp_path)
            .writeStream.foreachBatch(sink)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        with suppress(StreamingQueryException):
            query.awaitTermination()
        return query

    assert "Interrupted" in str(failureOf(run()))
    assert failureOf(run()) is None
    write(spark, source, [("ann", 5, moment(12))], PURCHASES)
    run()
    same = [("ann", 3), ("bob", 4)]
    assert taken == [(0, same), (0, same), (1, [("ann", 8)])]


@pytest.mark.long
def test_two_queries_of_one_dataframe_do_not_meet(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "source"
    write(spark, source, [("ann", 3, moment(10))], PURCHASES)
    frame = totals(streamed(spark, source), tmp_path)
    finish(frame, tmp_path / "one")
    write(spark, source, [("ann", 5, moment(12))], PURCHASES)
    finish(frame, tmp_path / "two")
    finish(frame, tmp_path / "one")
    assert results(spark, tmp_path / "one") == [("ann", 3, 10.0), ("ann", 8, 12.0)]
    assert results(spark, tmp_path / "two")[-1] == ("ann", 8, 12.0)


@pytest.mark.long
def test_another_number_of_partitions_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "source"
    write(spark, source, [("ann", 3, moment(10))], PURCHASES)
    finish(totals(streamed(spark, source), tmp_path), tmp_path)
    write(spark, source, [("ann", 5, moment(12))], PURCHASES)
    builder = StreamsBuilder()
    stream = builder.fromDataFrame(
        streamed(spark, source), key="user", value="amount", timestamp="at", name="purchases"
    )
    sums = stream.groupByKey().reduce(lambda before, now: before + now)
    frame = sums.toDataFrame({"state.dir": str(tmp_path / "state")}, name="totals")
    with pytest.raises(StreamingQueryException, match="the checkpoint of this query"):
        finish(frame, tmp_path)


def test_structs_decimals_and_windows(spark: SparkSession, tmp_path: Path) -> None:
    ddl = "item struct<id: int, price: decimal(10,2)>, tags map<string, int>, at timestamp"
    rows = [((1, Decimal("1.50")), {"a": 1}, moment(10)), ((1, Decimal("2.50")), None, moment(70))]
    builder = StreamsBuilder()
    stream = builder.fromDataFrame(
        spark.createDataFrame(rows, ddl),
        key=F.col("item.id"),
        timestamp=F.unix_millis("at"),
        value=["item", "tags"],
    )
    minute = TimeWindows.ofSizeWithNoGrace(timedelta(minutes=1))
    sums = (
        stream.mapValues(lambda v: {"price": v["item"]["price"], "tags": len(v["tags"] or {})})
        .groupByKey()
        .windowedBy(minute)
        .reduce(lambda before, now: now)
    )
    found = sums.toDataFrame(
        {"state.dir": str(tmp_path / "state")}, valueType="struct<price: string, tags: int>"
    )
    assert found.dtypes[0][1] == "struct<key:int,start:timestamp,end:timestamp>"
    shown = found.select("key.key", F.unix_seconds("key.start"), "value.price", "value.tags")
    assert sorted(map(tuple, shown.collect())) == [(1, 0, "1.50", 1), (1, 60, "2.50", 0)]


def test_a_row_without_a_time_is_the_extractors_business(
    spark: SparkSession, tmp_path: Path
) -> None:
    builder = StreamsBuilder()
    rows = spark.createDataFrame([("ann", 3, None)], PURCHASES)
    stream = builder.fromDataFrame(rows, key="user", value="amount", timestamp="at")
    frame = stream.toDataFrame({"state.dir": str(tmp_path / "state")})
    with pytest.raises(Exception, match=r"invalid \(negative\) timestamp"):
        frame.collect()


def test_what_is_computed_has_the_settings_of_the_users_session(
    spark: SparkSession, tmp_path: Path
) -> None:
    """A file without a zone is read in the one that the program has set, as without a topology."""
    mine = spark.newSession()
    mine.conf.set("spark.sql.session.timeZone", "America/New_York")
    mine.conf.set("spark.sql.ansi.enabled", "false")
    mine.range(1).createTempView("one")
    (tmp_path / "a.csv").write_text("ann,3,2024-01-01 00:00:00\n")
    found = totals(mine.read.schema(PURCHASES).csv(str(tmp_path / "a.csv")), tmp_path)
    (row,) = found.select("timestamp", F.hour("timestamp"), F.col("key").cast("int")).collect()
    assert row[0] == datetime(2024, 1, 1, 5, tzinfo=timezone.utc).astimezone().replace(tzinfo=None)
    assert tuple(row[1:]) == (0, None)
    assert found.sparkSession.table("one").count() == 1
    assert mine.conf.get("spark.sql.shuffle.partitions") != "2"
