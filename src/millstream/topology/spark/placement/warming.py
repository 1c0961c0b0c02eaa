"""Start of Python workers on an executor that runs no task yet, so that it can learn one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark import RDD
from pyspark.serializers import NoOpSerializer
from pyspark.sql import DataFrame, SparkSession

from millstream.topology.spark.job import Job
from millstream.topology.spark.placement.facts import Executor
from millstream.topology.spark.worker.executor_id import executor_id
from millstream.topology.spark.worker.live_task import following
from millstream.topology.spark.worker.worker_cache import application
from millstream.topology.spark.worker_pools import workers_for

log = logging.getLogger(__name__)

_SCHEMA = "executor string"


def warm(session: SparkSession, job: Job, executor: Executor) -> bool:
    """Start the workers of every operator on an executor, and the followers of the stages.

    These are Spark jobs of one small task each, with the executor as preferred place.

    Args:
        session: The query's session.
        job: What the workers know.
        executor: The executor.

    Returns:
        Whether all tasks ran there.
    """
    ran: set[str] = set()
    try:
        for role in ("pack", "sink"):
            with workers_for(session, role):
                started = _frame(session, executor).mapInArrow(_loading(job), _SCHEMA)
            ran |= {row.executor for row in started.collect()}
        for stage in job.layout.stages:
            # Spark starts the workers of stages with the settings of RDDs, not with those of SQL,
            # and gives a worker to those with the same settings only.
            placed = _rdd(session, executor).mapPartitions(_following(job, stage.index))
            with workers_for(session, f"stage-{stage.index}"):
                assert placed._jrdd is not None
            ran |= set(placed.collect())
    except Exception as error:  # noqa: BLE001 - another version of Spark may raise anything
        log.info("no workers started ahead executor=%s error=%r", executor.id, error)
        return False
    return ran == {executor.id}


def _loading(job: Job) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def load(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            application(job)
            yield pa.RecordBatch.from_pydict({"executor": [executor_id() or ""]})

    return load


def _following(job: Job, stage: int) -> Callable[[Iterable[bytes]], Iterable[str]]:
    def follow(_: Iterable[bytes]) -> Iterable[str]:
        following(job, job.layout.stages[stage])
        return [executor_id() or ""]

    return follow


def _frame(session: SparkSession, executor: Executor) -> DataFrame:
    """Return one row that Spark prefers to process on an executor."""
    jvm: Any = session._jvm
    java_session: Any = session._jsparkSession
    context: Any = session.sparkContext
    fields = context._gateway.new_array(jvm.java.lang.Object, 0)
    row = jvm.org.apache.spark.sql.RowFactory.create(fields)
    empty = jvm.org.apache.spark.sql.types.StructType()
    return DataFrame(java_session.createDataFrame(_placed(session, executor, row), empty), session)


def _rdd(session: SparkSession, executor: Executor) -> RDD[bytes]:
    """Return the same as an RDD."""
    return RDD(_placed(session, executor, b""), session.sparkContext, NoOpSerializer())


def _placed(session: SparkSession, executor: Executor, element: Any) -> Any:
    """Return Java's RDD of one element that Spark prefers to process on an executor."""
    jvm: Any = session._jvm
    context: Any = session._jsc
    places = jvm.scala.collection.mutable.ArrayBuffer()
    places.append(f"executor_{executor.host}_{executor.id}")
    elements = jvm.scala.collection.mutable.ArrayBuffer()
    elements.append(jvm.scala.Tuple2(element, places.toSeq()))
    tag = jvm.scala.reflect.ClassTag.AnyRef()
    return jvm.org.apache.spark.api.java.JavaRDD(context.sc().makeRDD(elements.toSeq(), tag), tag)
