"""First commit of state by an executor's JVM, before a task needs it there."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark import RDD
from pyspark.sql import DataFrame, SparkSession

log = logging.getLogger(__name__)

_OPERATOR = "org.apache.spark.sql.execution.streaming.operators.stateful"


@contextmanager
def committing(session: SparkSession, rows: DataFrame, location: str) -> Iterator[RDD[Any]]:
    """Give what reads rows and commits them to a state store of its own: one task, without a place.

    The rows go into Spark's operator that drops duplicates. It is made here, without a query, as
    a batch outside of queries commits no state. The store is deleted in the end.

    Args:
        session: A session with the settings of queries.
        rows: A frame of one partition.
        location: Where the store may be, as the executors see it.
    """
    jvm: Any = session.sparkContext._jvm
    java_session: Any = session._jsparkSession
    java_context: Any = session._jsc
    run = jvm.java.util.UUID.randomUUID()
    try:
        task: RDD[Any] = RDD(_committed(session, rows, location, run), session.sparkContext)
    except Exception as error:  # noqa: BLE001 - another version of Spark may raise anything
        log.info("no state is committed ahead error=%r", error)
        yield rows.rdd
        return
    try:
        yield task
    finally:
        java_session.streams().stateStoreCoordinator().deactivateInstances(run)
        path = jvm.org.apache.hadoop.fs.Path(location)
        path.getFileSystem(java_context.hadoopConfiguration()).delete(path, True)


def _committed(session: SparkSession, rows: DataFrame, location: str, run: Any) -> Any:
    jvm: Any = session.sparkContext._jvm
    sessions, nothing = jvm.org.apache.spark.sql.SparkSession, jvm.scala.Option.empty()
    before = sessions.getActiveSession()
    sessions.setActiveSession(session._jsparkSession)
    try:
        frame: Any = rows._jdf
        child = frame.queryExecution().executedPlan()
        info = _class(jvm, "StatefulOperatorStateInfo")(location, run, 0, 0, 1, nothing, nothing)
        plan = _class(jvm, "StreamingDeduplicateExec")(
            child.output().toSeq(), child, jvm.scala.Option.apply(info), nothing, nothing
        )
        return plan.execute().toJavaRDD()
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def _class(jvm: Any, name: str) -> Any:
    found = jvm
    for word in (*_OPERATOR.split("."), name):
        found = getattr(found, word)
    return found
