"""State that is read from a checkpoint: nothing is written there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from compat_tests.spark.support import Playground, run_until
from millstream import KafkaStreams, Materialized, StreamsBuilder, StreamsConfig
from millstream.topology.spark.driver.savepoints import take_savepoint

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def directories(root: Path) -> dict[Path, int]:
    """When a file was last made or deleted in each directory."""
    return {each: each.stat().st_mtime_ns for each in root.rglob("*") if each.is_dir()}


def test_a_savepoint_makes_no_file_in_the_checkpoint_that_may_be_read_only(
    spark: SparkSession, play: Playground
) -> None:
    source = play.topic("in", 1)
    builder = StreamsBuilder()
    builder.stream(source).groupByKey().count(Materialized.as_("counts"))
    config = play.config()
    for batch in (1, 2, 3):
        play.produce(source, [("a", "x", batch), (f"b{batch}", "x", batch)])
        streams = KafkaStreams(builder.build(), config, spark=spark)
        run_until(streams, lambda: play.committed(play.name, source), {0: 2 * batch})
    # Spark may still write snapshots of the ended queries into the original.
    copy = play.directory / "copy"
    shutil.copytree(play.directory / play.name / "checkpoint", copy)
    before = directories(copy)
    entries = {**config, "millstream.checkpoint.location": str(copy)}
    manifest = take_savepoint(StreamsConfig(entries), str(play.directory / "savepoint"), spark)
    assert sum(each.count for each in manifest.stores["counts"].partitions.values()) == 4
    assert directories(copy) == before
