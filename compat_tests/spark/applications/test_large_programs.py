"""Functions that hold much data, and broadcast variables of Spark's, on their way to workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests.spark.support import Playground, run_until
from millstream import KafkaStreams, StreamsBuilder

MUCH = "x" * 2_000_000


@pytest.mark.parametrize("case", ["much data", "a broadcast variable", "both"])
def test_a_function_has_its_data_in_every_stage(
    spark: SparkSession, play: Playground, case: str
) -> None:
    table = spark.sparkContext.broadcast({"a": "from the table"})
    functions: dict[str, Callable[[Any], str]] = {
        "much data": lambda value: f"{value} {len(MUCH)}",
        "a broadcast variable": lambda value: table.value[value],
        "both": lambda value: f"{table.value[value]} {len(MUCH)}",
    }
    source, target = play.topic("in", 1), play.topic("out", 1)
    builder = StreamsBuilder()
    builder.stream(source).groupBy(lambda key, value: value).reduce(
        lambda one, other: one
    ).toStream().mapValues(functions[case]).to(target)
    play.produce(source, [("k", "a", 1)])
    streams = KafkaStreams(builder.build(), play.config(), spark=spark)
    run_until(streams, lambda: play.ends(target), {0: 1})
    expected = {
        "much data": b"a 2000000",
        "a broadcast variable": b"from the table",
        "both": b"from the table 2000000",
    }
    assert play.pairs(target, 1) == [(b"a", expected[case])]
