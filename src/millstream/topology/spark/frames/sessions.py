"""Sessions of Spark, and DataFrames that go from one to another."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame

from millstream.core.errors import ClassCastException, UnsupportedOperationException


def checked_session(spark: Any) -> SparkSession:
    """Return a session that has Spark's JVM in this process's reach.

    Raises:
        ClassCastException: It is no session.
        UnsupportedOperationException: It is one of Spark Connect.
    """
    if type(spark).__module__.startswith("pyspark.sql.connect"):
        raise UnsupportedOperationException(
            "a session of Spark Connect cannot run a topology or read a store",
            detail="The operators run in a query that is made through Spark's JVM.",
            hint="Use a session of SparkSession.builder without remote().",
        )
    if not isinstance(spark, SparkSession):
        raise ClassCastException(
            f"a {type(spark).__name__} is not a SparkSession", hint="Give the session itself."
        )
    return spark


def in_session(frame: DataFrame, session: SparkSession) -> DataFrame:
    """Return a DataFrame in another session of the same Spark application.

    A query has the settings of the session of its DataFrame.
    """
    jvm: Any = session.sparkContext._jvm
    found: Any = frame
    made: Any = session
    dataset = jvm.org.apache.spark.sql.classic.Dataset
    plan = found._jdf.queryExecution().analyzed()
    return ClassicFrame(dataset.ofRows(made._jsparkSession, plan), session)
