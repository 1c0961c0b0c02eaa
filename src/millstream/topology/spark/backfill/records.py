"""Columns of users' files as columns of records: the mapping of the formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from millstream.core.errors import StreamsException
from millstream.topology.spark.backfill.inputs import is_json_lines
from millstream.topology.spark.worker.murmur import partitions_of

JSON_COLUMNS = (
    "topic string, key string, key_base64 string, value string, value_base64 string, "
    "timestamp string, headers array<struct<key: string, value: string>>, partition int, "
    "offset bigint"
)
COLUMNS = ("partition", "offset", "timestamp", "key", "value", "headers")
HEADERS = "array<struct<key: string, value: binary>>"
_TEXTS = (T.StructType, T.ArrayType, T.MapType)
_ZONED = r"^[^ T]+[ T].*(Z|[+-][0-9]{1,2}(:?[0-9]{2}){0,2}|[A-Za-z][A-Za-z_]+(/.*)?)$"
"""A time with a zone. Spark would take another one for one of the session's zone."""


def records_of(
    session: SparkSession, topic: str, partitions: int, paths: Sequence[str]
) -> tuple[DataFrame, bool]:
    """Return the records of files, in ``COLUMNS``, and whether they have offsets.

    Records without offsets are in the order of time, and of equal times in that of the files' names
    and rows; ``offset`` is then that order.

    Args:
        session: Any session.
        topic: The topic that the files stand for.
        partitions: The topic's partition count.
        paths: Files or directories.

    Raises:
        StreamsException: Columns are missing, or of another type.
    """
    formats = {is_json_lines(path) for path in paths}
    if len(formats) > 1:
        raise _unreadable(topic, "Some are JSON lines and some Parquet.")
    lines = formats.pop()
    reader = session.read.option("mode", "FAILFAST")
    rows = reader.schema(JSON_COLUMNS).json(list(paths)) if lines else reader.parquet(*paths)
    if "topic" in rows.columns:
        own = F.col("topic") == topic
        rows = rows.where(own | F.col("topic").isNull() if lines else own)
    # The first record tells whether the file has what a column of JSON may lack.
    first = rows.limit(1).collect()
    given = {name for name in rows.columns if not lines or (first and first[0][name] is not None)}
    place = F.struct(
        F.col("_metadata.file_path"),
        F.col("_metadata.file_block_start"),
        F.monotonically_increasing_id().alias("row"),
    )
    has_offsets = "offset" in given
    found = rows.select(
        _needed(rows, topic, "partition", "int")
        if "partition" in given
        else _null("int", "partition"),
        _needed(rows, topic, "offset", "bigint") if has_offsets else _null("bigint", "offset"),
        _timestamp(rows, topic).alias("timestamp"),
        _content(rows, topic, "key").alias("key"),
        _content(rows, topic, "value").alias("value"),
        _headers(rows, topic).alias("headers"),
        place.alias("place"),
    )
    found = (
        _checked(found, topic, partitions) if "partition" in given else _placed(found, partitions)
    )
    return found, has_offsets


def _needed(rows: DataFrame, topic: str, name: str, kind: str) -> Column:
    del rows
    missing = F.raise_error(F.lit(f'a record for topic "{topic}" has no {name}'))
    return F.coalesce(F.col(name).cast(kind), missing.cast(kind)).alias(name)


def _null(kind: str, name: str) -> Column:
    return F.lit(None).cast(kind).alias(name)


def _timestamp(rows: DataFrame, topic: str) -> Column:
    if "timestamp" not in rows.columns:
        raise _unreadable(topic, "They have no column timestamp.")
    column, kind = F.col("timestamp"), rows.schema["timestamp"].dataType
    if isinstance(kind, T.StringType):
        moment = F.when(column.rlike(_ZONED), F.unix_millis(F.try_to_timestamp(column)))
        found = F.when(column.rlike("^[0-9]+$"), column.try_cast("bigint")).otherwise(moment)
    elif isinstance(kind, T.TimestampType):
        found = F.unix_millis(column)
    elif isinstance(kind, T.LongType | T.IntegerType):
        found = column.cast("bigint")
    else:
        raise _unreadable(topic, f"Column timestamp is {kind.simpleString()}.")
    valid = "milliseconds, or ISO 8601 with a time zone"
    wrong = F.raise_error(F.lit(f'a record for topic "{topic}" has no valid timestamp: {valid}'))
    return F.coalesce(F.when(found >= 0, found), wrong.cast("bigint"))


def _content(rows: DataFrame, topic: str, name: str) -> Column:
    encoded = f"{name}_base64"
    columns = []
    if encoded in rows.columns:
        # What is no base64, as with "-" and "_", is an error: unbase64 passes over it.
        columns.append(F.to_binary(F.col(encoded), F.lit("base64")))
    if name in rows.columns:
        kind, column = rows.schema[name].dataType, F.col(name)
        if isinstance(kind, _TEXTS):
            column = F.to_json(column)
        elif not isinstance(kind, T.StringType | T.BinaryType):
            raise _unreadable(
                topic,
                f"Column {name} is {kind.simpleString()}.",
                "Give the bytes that the topic would have, or text.",
            )
        columns.append(column.cast("binary"))
    if name == "value" and not columns:
        raise _unreadable(topic, "They have no column value.")
    return F.coalesce(*columns) if columns else F.lit(None).cast("binary")


def _headers(rows: DataFrame, topic: str) -> Column:
    if "headers" not in rows.columns:
        return F.lit(None).cast(HEADERS)
    column: Column = F.col("headers")
    kind = rows.schema["headers"].dataType
    if isinstance(kind, T.MapType):
        column = F.map_entries(column)
    elif not isinstance(kind, T.ArrayType):
        raise _unreadable(topic, f"Column headers is {kind.simpleString()}.")
    return F.transform(
        column,
        lambda own: F.struct(
            own["key"].cast("string").alias("key"), own["value"].cast("binary").alias("value")
        ),
    )


def _checked(rows: DataFrame, topic: str, partitions: int) -> DataFrame:
    text = F.concat(
        F.lit(f'topic "{topic}" has {partitions} partitions, and a record is of partition '),
        F.col("partition").cast("string"),
    )
    good = F.col("partition").between(0, partitions - 1)
    return rows.withColumn(
        "partition", F.when(good, F.col("partition")).otherwise(F.raise_error(text).cast("int"))
    )


def _placed(rows: DataFrame, partitions: int) -> DataFrame:
    """Give records the partition of their key; without one they are spread by their times."""

    def place(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            keys = batch.column(batch.schema.get_field_index("key"))
            chosen = partitions_of(keys.cast(pa.binary()), partitions)
            if keys.null_count:
                times = batch.column(batch.schema.get_field_index("timestamp")).to_numpy()
                missing = keys.is_null().to_numpy(zero_copy_only=False)
                chosen = np.where(missing, times % partitions, chosen)
            at = batch.schema.get_field_index("partition")
            yield batch.set_column(at, batch.schema.field(at), pa.array(chosen, pa.int32()))

    return rows.mapInArrow(place, rows.schema)


def _unreadable(topic: str, detail: str, hint: str = "") -> StreamsException:
    return StreamsException(
        f'cannot read the files for topic "{topic}"',
        detail=detail,
        hint=hint or "See docs/operating/backfill.md for the columns.",
    )
