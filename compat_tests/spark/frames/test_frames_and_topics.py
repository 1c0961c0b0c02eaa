"""A DataFrame joined with a topic, in one query."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from compat_tests.spark.frames.test_frames import PURCHASES, finish, moment, streamed, write
from compat_tests.spark.support import Playground
from millstream import Consumed, Serdes, StreamsBuilder


def test_a_dataframe_is_joined_with_a_topic(
    spark: SparkSession, play: Playground, tmp_path: Path
) -> None:
    topic = play.topic("cities", partitions=3)
    cities = [(name.encode(), name.upper().encode(), 1_000) for name in ("ann", "bob", "cid")]
    play.produce(topic, cities)
    source = tmp_path / "source"
    rows = [(name, number, moment(10)) for number, name in enumerate(("ann", "bob", "cid", "dan"))]
    write(spark, source, rows, PURCHASES)
    builder = StreamsBuilder()
    text = Consumed.with_(Serdes.String(), Serdes.String())
    table = builder.table(topic, text)
    purchases = builder.fromDataFrame(
        streamed(spark, source), key="user", value="amount", timestamp="at", name="purchases"
    )
    joined = purchases.leftJoin(table, lambda amount, city: {"amount": amount, "city": city})
    config = {"bootstrap.servers": play.servers, "state.dir": str(tmp_path / "state")}
    frame = joined.toDataFrame(config, valueType="struct<amount: bigint, city: string>")
    finish(frame, tmp_path)
    found = spark.read.parquet(str(tmp_path / "out")).select("key", "value.amount", "value.city")
    assert sorted(map(tuple, found.collect())) == [
        ("ann", 0, "ANN"),
        ("bob", 1, "BOB"),
        ("cid", 2, "CID"),
        ("dan", 3, None),
    ]
