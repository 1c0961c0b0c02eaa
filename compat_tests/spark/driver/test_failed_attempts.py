"""What attempts at a batch that runs have failed for."""

from __future__ import annotations

import time
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import InheritableThread, TaskContext
from pyspark.sql import SparkSession

from compat_tests.spark.support import PATIENCE_S
from millstream.testing.broker import wait_for
from millstream.topology.spark.driver.failed_attempts import missing_topics


def fail_at_first(seconds: int) -> None:
    context = TaskContext.get()
    if context is not None and context.attemptNumber() == 0:
        raise RuntimeError('topic "nowhere" to write to does not exist')
    # The second attempt runs until the test has seen the first one, and cancels the job.
    time.sleep(seconds)


def test_topics_of_failed_attempts_are_those_of_the_querys_own_running_stages(
    spark: SparkSession,
) -> None:
    context: Any = spark.sparkContext
    query = SimpleNamespace(
        runId="run-of-this-test",
        _jsq=SimpleNamespace(sparkSession=lambda: spark._jsparkSession),
    )
    assert missing_topics(None) == missing_topics(query) == []

    def job() -> None:
        context.setJobGroup("run-of-this-test", "", interruptOnCancel=True)
        with suppress(Py4JJavaError):
            context.parallelize([60], 1).foreach(fail_at_first)

    thread = InheritableThread(target=job, daemon=True)
    thread.start()
    try:
        wait_for(lambda: missing_topics(query) == ["nowhere"], PATIENCE_S)
        other = SimpleNamespace(runId="another", _jsq=query._jsq)
        assert missing_topics(other) == []
    finally:
        context.cancelJobGroup("run-of-this-test")
        thread.join(PATIENCE_S)
    assert missing_topics(query) == []
