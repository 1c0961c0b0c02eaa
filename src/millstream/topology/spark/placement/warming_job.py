"""The Spark job that starts Python workers on an executor, and what of Spark it uses there."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyspark import RDD
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from millstream.topology.spark.chunks.source import chunks_of
from millstream.topology.spark.job import Job
from millstream.topology.spark.placement.facts import Executor
from millstream.topology.spark.placement.sample import Sample
from millstream.topology.spark.row_columns import source_columns, with_clock
from millstream.topology.spark.wire import ARROW_ROW, ROW_SCHEMA
from millstream.topology.spark.worker.declared_stage import declared
from millstream.topology.spark.worker.executor_id import executor_id
from millstream.topology.spark.worker.live_task import following
from millstream.topology.spark.worker.pack import PACKED_ARROW, PACKED_SCHEMA
from millstream.topology.spark.worker.worker_cache import application
from millstream.topology.spark.worker_pools import workers_for

log = logging.getLogger(__name__)

_STATE = "spark.sql.streaming.stateStore."
_NOTHING = (
    "cast(null as string) as topic, cast(null as int) as partition, cast(null as long) as offset, "
    "cast(null as long) as timestamp, cast(null as binary) as key, cast(null as binary) as value, "
    "cast(null as array<struct<key: string, value: binary>>) as headers"
)
"""A record of a source, which makes sure that there is one."""
_NO_CHUNK = (
    "0 as key, 0 as stage, 0 as kind, '' as topic, 0 as partition, 0L as seq, "
    "cast('' as binary) as blob"
)
"""A chunk of nothing."""


def prepared(session: SparkSession, job: Job, sample: Sample | None = None) -> RDD[Any]:
    """Return what starts a worker of every operator, and the followers of the stages.

    It is one task, without a place. It also opens a small state store and reads from Kafka, as
    the first time takes a JVM seconds.

    Args:
        session: The query's session.
        job: What the workers know.
        sample: Records to read; None to read none.
    """
    session = with_one_partition(session)
    # All rows go to one key, and so to one task.
    frame = session.sql(f"select {_NO_CHUNK} from range(0, 1, 1, 1)")
    chunks = None if sample is None else chunks_of(sample.read(session), 0, _one_key(job))
    # Where no batch has a worker that packs, its start would take the cores from batches.
    if chunks is None or job.layout.feedback:
        frame = frame.unionAll(_packed(session, job, sample))
    if chunks is not None:
        frame = frame.unionAll(chunks)
    frame = with_clock(frame).coalesce(1)
    for stage in job.layout.stages:
        with workers_for(session, f"stage-{stage.index}"):
            frame = frame.groupBy("key").transformWithState(
                _Follow(job, stage.index), ROW_SCHEMA, "append", "None"
            )
    with workers_for(session, "sink"):
        frame = frame.mapInArrow(_loading(job, "sink", ARROW_ROW), ROW_SCHEMA)
    return frame.rdd


def _packed(session: SparkSession, job: Job, sample: Sample | None) -> DataFrame:
    """Return what starts the worker that packs records where the JVM does not."""
    frame = session.sql(f"select {_NOTHING} from range(0, 1, 1, 1)")
    if sample is not None:
        frame = frame.unionAll(source_columns(sample.read(session))).coalesce(1)
    # The rows have the columns of a batch's, so that Spark compiles the code of a batch for them.
    with workers_for(session, "pack"):
        return frame.mapInArrow(_loading(job, "pack", PACKED_ARROW), PACKED_SCHEMA)


def _one_key(job: Job) -> tuple[int, ...]:
    return (_row()["key"],) * len(job.layout.keys)


def warm(start: RDD[Any], executor: Executor) -> bool:
    """Start a worker of every operator on an executor.

    This is one Spark job, with the executor as preferred place. It keeps a core until all workers
    have imported what they need: meanwhile Spark gives that core to no batch.

    Args:
        start: What starts them.
        executor: The executor.

    Returns:
        Whether the task ran there.
    """
    try:
        found = placed(start, executor).collect()
    except Exception as error:  # noqa: BLE001 - another version of Spark may raise anything
        log.info("no workers started ahead executor=%s error=%r", executor.id, error)
        return False
    return [row.topic for row in found] == [executor.id]


def with_one_partition(session: SparkSession) -> SparkSession:
    """Return a session of the same settings that sees no need for a shuffle."""
    other = session.newSession()
    for key, value in session.conf.getAll.items():
        # Of the providers' own settings it knows no names.
        if key.startswith(_STATE) or (
            key.startswith("spark.sql.") and other.conf.isModifiable(key)
        ):
            other.conf.set(key, value)
    other.conf.set("spark.sql.shuffle.partitions", 1)
    # Kafka's records are read as in a query, and not by its first interface.
    other.conf.set("spark.sql.sources.useV1SourceList", "")
    # Without a query there are no ids of checkpoints.
    other.conf.set("spark.sql.streaming.stateStore.checkpointFormatVersion", 1)
    return other


def _loading(
    job: Job, role: str, schema: pa.Schema
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return what loads the module of a role, and gives one row that names the executor."""

    def load(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        importlib.import_module(f"millstream.topology.spark.worker.{role}")
        application(job)
        for _ in batches:
            pass
        yield pa.RecordBatch.from_pylist([_row()], schema=schema)

    return load


def _row() -> dict[str, Any]:
    numbers = dict.fromkeys(("key", "stage", "kind", "partition", "seq", "clock"), 0)
    return {**numbers, "topic": executor_id() or "", "blob": b""}


class _Follow(StatefulProcessor):
    """Starts the follower of a stage, and uses state once as a stage does."""

    def __init__(self, job: Job, stage: int) -> None:
        self._job = job
        self._stage = stage

    def init(self, handle: Any) -> None:
        self._state = declared(handle)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        del key, timerValues
        for _ in rows:
            pass
        if self._job.standbys:
            following(self._job, self._job.layout.stages[self._stage])
        else:
            application(self._job)
        manifest, segments = self._state
        manifest.get()
        segments.updateValue((0,), (b"",))
        segments.getValue((0,))
        manifest.update((b"",))
        yield Row(**_row())

    def close(self) -> None:
        """Do nothing: workers keep what they have loaded."""


def placed(start: RDD[Any], *executors: Executor) -> RDD[Any]:
    """Return the same, with an executor for each partition as the place that Spark prefers."""
    jvm: Any = start.ctx._jvm
    java_context: Any = start.ctx._jsc
    elements = jvm.scala.collection.mutable.ArrayBuffer()
    for number, executor in enumerate(executors):
        places = jvm.scala.collection.mutable.ArrayBuffer()
        places.append(f"executor_{executor.host}_{executor.id}")
        elements.append(jvm.scala.Tuple2(number, places.toSeq()))
    tag = jvm.scala.reflect.ClassTag.AnyRef()
    one = java_context.sc().makeRDD(elements.toSeq(), tag)
    placed = jvm.org.apache.spark.api.java.JavaRDD(one, tag)
    return RDD(placed.zip(start._jrdd).values(), start.ctx, start._jrdd_deserializer)
