"""DataFrames as inputs: their columns checked, and each row a record to be packed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    UnsupportedOperationException,
)
from millstream.core.serdes.base import Serde
from millstream.core.serdes.factory import Serdes
from millstream.core.serdes.halves import WrapperSerde
from millstream.core.serdes.json_serde import JsonDeserializer, JsonSerializer
from millstream.core.wording import a_kind
from millstream.topology.graph.frames import FrameInput
from millstream.topology.spark.frames.columns import json_default

_SERDES: tuple[tuple[tuple[type[T.DataType], ...], Any], ...] = (
    ((T.StringType, T.CharType, T.VarcharType), Serdes.String),
    ((T.LongType,), Serdes.Long),
    ((T.IntegerType,), Serdes.Integer),
    ((T.ShortType, T.ByteType), Serdes.Short),
    ((T.DoubleType,), Serdes.Double),
    ((T.FloatType,), Serdes.Float),
    ((T.BooleanType,), Serdes.Boolean),
    ((T.BinaryType,), Serdes.ByteArray),
)
_NESTED = (T.StructType, T.ArrayType, T.MapType)
_WHOLE = (T.LongType, T.IntegerType)
_HEADERS = "array<struct<key:string,value:binary>>"


def frame_input(
    df: Any,
    *,
    topic: str,
    key: Any,
    value: Any,
    timestamp: Any,
    headers: Any,
    consumed: Any,
    partitions: Any,
    is_global: bool = False,
) -> FrameInput:
    """Return a DataFrame that stands for a topic, with the serdes of its records.

    Raises:
        IllegalArgumentException: There is no such column, or its type cannot be used.
        ClassCastException: An argument has a wrong type.
        UnsupportedOperationException: It is a DataFrame of Spark Connect.
    """
    schema = _schema(df)
    if partitions is not None and (type(partitions) is not int or not 1 <= partitions <= 100_000):
        raise IllegalArgumentException(
            f'DataFrame "{topic}" cannot have {partitions!r} partitions',
            hint="Give a whole number from 1 on, or leave it out.",
        )
    _check_time(df, schema, timestamp, topic)
    if headers is not None:
        found = _type(df, schema, headers, topic).simpleString()
        if found != _HEADERS:
            raise IllegalArgumentException(
                f'the headers column of DataFrame "{topic}" has type {found}',
                hint=f"It must be {_HEADERS}, as Spark's Kafka source gives it.",
            )
    key_serde, value_serde = consumed.key_serde, consumed.value_serde
    if key_serde is None:
        key_serde = (
            Serdes.ByteArray() if key is None else _serde(df, schema, key, topic, is_key=True)
        )
    if value_serde is None:
        value_serde = _serde(df, schema, value, topic, is_key=False)
    for columns in (key, value):
        if columns is not None:
            _type(df, schema, columns, topic)
    return FrameInput(
        topic=topic,
        frame=df,
        key=key,
        value=value,
        timestamp=timestamp,
        headers=headers,
        partitions=partitions,
        key_serde=key_serde,
        value_serde=value_serde,
        is_global=is_global,
    )


def records_of(given: FrameInput, frame: DataFrame) -> DataFrame:
    """Return the rows as records: ``key``, ``value``, ``timestamp`` (milliseconds), ``headers``.

    Args:
        given: What the rows are.
        frame: The DataFrame, in the session of the query.
    """
    time = given.timestamp
    if time is None:
        clock = F.unix_millis(F.current_timestamp())
    else:
        clock = _column(frame.schema, time)
        is_moment = isinstance(_type(frame, frame.schema, time, given.topic), T.TimestampType)
        clock = F.unix_millis(clock) if is_moment else clock.cast("bigint")
    key = F.lit(None).cast("binary") if given.key is None else _column(frame.schema, given.key)
    value = given.value if given.value is not None else list(frame.schema.names)
    no_headers = F.lit(None).cast(_HEADERS)
    return frame.select(
        key.alias("key"),
        _column(frame.schema, value).alias("value"),
        F.coalesce(clock, F.lit(-1)).alias("timestamp"),
        (no_headers if given.headers is None else _column(frame.schema, given.headers)).alias(
            "headers"
        ),
    )


def json_serde(*, is_key: bool) -> Serde[Any]:
    """Return the serde of what has no serde of its own."""
    serializer = JsonSerializer(json_default, sort_keys=True if is_key else None)
    return WrapperSerde(serializer, JsonDeserializer())


def _schema(df: Any) -> T.StructType:
    if isinstance(df, T.StructType):
        return df
    if type(df).__module__.startswith("pyspark.sql.connect"):
        raise UnsupportedOperationException(
            "a DataFrame of Spark Connect cannot be the input of a topology",
            detail="The operators run in a query that is made through Spark's JVM.",
            hint="Use a session of SparkSession.builder without remote().",
        )
    if not isinstance(df, DataFrame):
        raise ClassCastException(
            f"{a_kind(df)} is not a DataFrame",
            hint="Give a DataFrame of Spark, or its schema (a StructType) in a test.",
        )
    return df.schema


def _check_time(df: Any, schema: T.StructType, timestamp: Any, topic: str) -> None:
    if timestamp is None:
        return
    kind = _type(df, schema, timestamp, topic)
    if not isinstance(kind, (T.TimestampType, *_WHOLE)):
        hint = "Cast it: F.col(...).cast('timestamp')."
        if isinstance(kind, T.TimestampNTZType):
            hint = "It has no time zone. Say which one it is in: F.to_utc_timestamp(column, zone)."
        raise IllegalArgumentException(
            f'the timestamp column of DataFrame "{topic}" has type {kind.simpleString()}',
            detail="It must be timestamp, or a whole number: epoch milliseconds.",
            hint=hint,
        )


def _serde(df: Any, schema: T.StructType, columns: Any, topic: str, *, is_key: bool) -> Any:
    kind = schema if columns is None else _type(df, schema, columns, topic)
    for types, make in _SERDES:
        if isinstance(kind, types):
            return make()
    if isinstance(kind, _NESTED):
        return json_serde(is_key=is_key)
    role = "key" if is_key else "value"
    raise IllegalArgumentException(
        f'the {role} column of DataFrame "{topic}" has type {kind.simpleString()}, which has no '
        "serde",
        hint="Cast it (decimal to double or string, date to string), or give a serde: "
        "consumed=Consumed.with_(keySerde, valueSerde).",
    )


def _type(df: Any, schema: T.StructType, columns: Any, topic: str) -> T.DataType:
    """Return the type of a column, or of the struct of some.

    Raises:
        IllegalArgumentException: There is no such column.
        ClassCastException: It is no column.
    """
    if isinstance(columns, Column):
        if isinstance(df, T.StructType):
            raise IllegalArgumentException(
                f'an expression of DataFrame "{topic}" has no type without the DataFrame',
                hint="Name a column.",
            )
        return df.select(columns).schema[0].dataType  # type: ignore[no-any-return]
    if isinstance(columns, str):
        return _named(schema, columns, topic)
    if isinstance(columns, Sequence) and columns and all(isinstance(c, str) for c in columns):
        fields = [T.StructField(c, _named(schema, c, topic)) for c in columns]
        return T.StructType(fields)
    raise ClassCastException(
        f'{a_kind(columns)} is not a column of DataFrame "{topic}"',
        hint="Give a name, a Column, or a list of names.",
    )


def _named(schema: T.StructType, name: str, topic: str) -> T.DataType:
    if name in schema.names:
        return schema[name].dataType
    kind: T.DataType = schema
    for part in name.split("."):
        if not isinstance(kind, T.StructType) or part not in kind.names:
            raise IllegalArgumentException(
                f'DataFrame "{topic}" has no column "{name}"',
                detail=f"It has: {', '.join(schema.names) or 'none'}.",
            )
        kind = kind[part].dataType
    return kind


def _column(schema: T.StructType, columns: Any) -> Column:
    if isinstance(columns, Column):
        return columns
    if isinstance(columns, str):
        parts = [columns] if columns in schema.names else columns.split(".")
        return F.col(".".join("`" + part.replace("`", "``") + "`" for part in parts))
    return F.struct(*(_column(schema, each).alias(each) for each in columns))
