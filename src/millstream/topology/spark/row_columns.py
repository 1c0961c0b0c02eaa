"""Columns of the rows of a batch: those of the source, and those that cross Spark.

What Spark generates code from is here, once: an executor that is warmed up compiles the same code.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from millstream.topology.spark.wire import ROW_SCHEMA
from millstream.topology.spark.worker.pack import SOURCE_COLUMNS

_ROW_NAMES = [part.split()[0] for part in ROW_SCHEMA.split(",")]


def source_columns(records: DataFrame) -> DataFrame:
    """Return the records of a Kafka source with the columns that are packed."""
    return records.withColumn("timestamp", F.unix_millis("timestamp")).select(*SOURCE_COLUMNS)


def with_clock(packed: DataFrame) -> DataFrame:
    """Return packed rows with the batch's wall clock: the columns of ``ROW_SCHEMA``."""
    # Spark stores this time in its offset log, so a repeated batch has the same time. It puts the
    # time into the code that it generates, which it would compile anew in every batch, and keep
    # until a full collection. A function with a lambda is interpreted: its code stays the same.
    times = F.transform(F.array(F.current_timestamp()), F.unix_millis)
    return packed.withColumn("clock", times.getItem(0)).select(*_ROW_NAMES)
