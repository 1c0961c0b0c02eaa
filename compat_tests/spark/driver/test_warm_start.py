"""Python workers that are there before the query needs them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from millstream.topology.spark.driver.warm_start import warm_start
from millstream.topology.spark.worker_pools import workers_for


def process_ids(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"id": [os.getpid()] * batch.num_rows})


def worker(session: SparkSession, role: str) -> int:
    """Return the process id of a worker of a pool."""
    with workers_for(session, role):
        rows = session.range(1, numPartitions=1).mapInArrow(process_ids, "id long")
    return int(rows.collect()[0].id)


def processes() -> set[int]:
    return {int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()}


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="the system has no /proc")
def test_a_worker_of_each_pool_is_there(spark: SparkSession) -> None:
    thread = warm_start(spark, ["warm-one", "warm-two"])
    assert thread is not None
    thread.join()
    before = processes()
    assert {worker(spark, "warm-one"), worker(spark, "warm-two")} <= before


def test_on_a_cluster_nothing_is_started() -> None:
    session: Any = SimpleNamespace(sparkContext=SimpleNamespace(master="spark://one:7077"))
    assert warm_start(session) is None


def test_a_session_that_ends_meanwhile_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    def stopped() -> None:
        raise RuntimeError("stopped")

    session: Any = SimpleNamespace(
        sparkContext=SimpleNamespace(master="local[2]"), newSession=stopped
    )
    thread = warm_start(session)
    assert thread is not None
    thread.join()
    assert not caplog.records
