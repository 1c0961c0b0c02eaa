"""Stores of savepoints and of running applications, as DataFrames of a session."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.udf import _wrap_function

from millstream.core.config import StreamsConfig
from millstream.core.errors import IllegalArgumentException
from millstream.topology.savepoints.manifest import ENTRIES, FILE, SavepointManifest
from millstream.topology.spark.checkpoint.descriptor import AS_NAMED, for_spark, local_path
from millstream.topology.spark.checkpoint.origin import root_of
from millstream.topology.spark.driver.savepoints import checkpoint_root, files_at, open_state
from millstream.topology.spark.failures import reported
from millstream.topology.spark.frames.sessions import checked_session, in_session
from millstream.topology.spark.frames.source import NAME, StoreSource
from millstream.topology.spark.frames.store_rows import Choice, StoreTable, table_of
from millstream.topology.spark.generations.entries import ENTRY_SCHEMA
from millstream.topology.spark.generations.image import Selection
from millstream.topology.spark.generations.savepoints import check_entries, counted
from millstream.topology.spark.worker_pools import workers_for

_NO_BROKER = "nowhere:0"
_REGISTERED = "DATA_SOURCE_ALREADY_EXISTS"


def register(spark: SparkSession) -> None:
    """Let a session read savepoints: ``spark.read.format("millstream")``.

    Options: ``path``, the directory of the savepoint, which every worker of Spark must see;
    ``store``; ``keySerde`` and ``valueSerde`` where the savepoint does not know them (``string``,
    ``long``, ..., or ``package.module:name``); ``keyType`` and ``valueType``, types of Spark such
    as ``struct<user: string, amount: double>``. The setting
    ``spark.sql.python.filterPushdown.enabled`` is switched on, for ``where key = ...``.

    Raises:
        UnsupportedOperationException: The session is one of Spark Connect.

    Example::

        millstream.frames.register(spark)
        counts = spark.read.format("millstream").option("store", "counts").load("savepoints/orders")
    """
    try:
        checked_session(spark).dataSource.register(StoreSource)
    except AnalysisException as error:
        if error.getCondition() != _REGISTERED:
            raise
        _register_again(spark)
    # Without it Spark refuses every source that can look a key up.
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")


def _register_again(spark: SparkSession) -> None:
    """Register the source where Spark takes one of another session for one of this one."""
    session: Any = spark
    context = session.sparkContext
    make = context._jvm.org.apache.spark.sql.execution.datasources.v2.python
    source = make.UserDefinedPythonDataSource(_wrap_function(context, StoreSource))
    manager = session._jsparkSession.sessionState().dataSourceManager()
    manager.registerDataSource(NAME, source)


def readStore(
    spark: SparkSession,
    store: str = "",
    *,
    path: str | None = None,
    checkpoint: str | None = None,
    application: Mapping[str, Any] | StreamsConfig | None = None,
    keySerde: str = "",
    valueSerde: str = "",
    keyType: str = "",
    valueType: str = "",
) -> DataFrame:
    """Return a store as a DataFrame: of a savepoint, or of an application's last committed batch.

    Columns: ``partition``, ``key``, ``value``, ``timestamp``; of windows and sessions also
    ``window_start`` and ``window_end``, of versioned stores ``valid_from`` and ``valid_to``.
    Nothing is read before an action, but for a savepoint that is not on this machine: its entries
    are compared with its checksums first. The partitions are read in parallel. An application may
    run meanwhile: the DataFrame stays at the batch that was the last one at this call, until Spark
    deletes that batch's files (``spark.sql.streaming.minBatchesToRetain``).

    Args:
        spark: The session.
        store: The store's name; not needed where there is only one.
        path: Directory of a savepoint, on any file system of Spark.
        checkpoint: Location of a checkpoint, on any file system of Spark.
        application: Configuration of an application: its ``application.id``, and ``state.dir`` or
            ``millstream.checkpoint.location``.
        keySerde: ``string``, ``long``, ..., or ``package.module:name``, where the state does not
            know the serde.
        valueSerde: See ``keySerde``.
        keyType: A type of Spark, such as ``struct<user: string>``; JSON goes into its fields.
        valueType: See ``keyType``.

    Raises:
        IllegalArgumentException: There is no such store, or its serdes are not known; or not
            exactly one of path, checkpoint and application is given.
        IllegalStateException: No batch of the application has been committed.
        StreamsException: There is no savepoint, or it or the checkpoint is damaged.

    Example::

        counts = millstream.frames.readStore(spark, "counts", application=config)
        counts.createOrReplaceTempView("counts")
        spark.sql("select key, value from counts order by value desc limit 10").show()
    """
    given = [each for each in (path, checkpoint, application) if each is not None]
    if len(given) != 1:
        raise IllegalArgumentException(
            f"readStore got {len(given)} places of state",
            hint="Give one: path=, checkpoint= or application=.",
        )
    checked_session(spark)
    choice = Choice(
        key_serde=keySerde, value_serde=valueSerde, key_type=keyType, value_type=valueType
    )
    if path is not None:
        return _of_savepoint(spark, path, store, choice)
    config = _config(checkpoint, application)
    root = checkpoint_root(config) if checkpoint is None else _location(checkpoint)
    return _of_checkpoint(spark, config, root, store, choice)


def _of_savepoint(spark: SparkSession, path: str, store: str, choice: Choice) -> DataFrame:
    if local_path(path) is not None or "://" not in path:
        register(spark)
        options = {
            "store": store,
            "keySerde": choice.key_serde,
            "valueSerde": choice.value_serde,
            "keyType": choice.key_type,
            "valueType": choice.value_type,
        }
        return spark.read.format(NAME).options(**options).load(path)
    return read_by_spark(spark, path.rstrip("/"), store, choice)


def read_by_spark(spark: SparkSession, root: str, store: str, choice: Choice) -> DataFrame:
    """Return a store of a savepoint on any file system of Spark, after a check of its entries.

    Raises:
        IllegalArgumentException: There is no such store, or its serdes are not known.
        StreamsException: Entries are missing or damaged.
    """
    manifest = SavepointManifest.from_json(files_at(root, spark).text(FILE), root)
    table = table_of(manifest, store, choice, f'savepoint "{root}"')
    kept = {part: manifest.stores[part] for part in table.parts}
    if not any(each.partitions for each in kept.values()):
        return spark.createDataFrame([], table.ddl)
    read = spark.read.options(**AS_NAMED).schema(ENTRY_SCHEMA).parquet(f"{root}/{ENTRIES}")
    entries = read.where(F.col("store").isin(list(kept)))
    entries = entries.select("store", "partition", "key", "value")
    # A file that a copy lacks would be rows that are not there, without a word.
    check_entries(replace(manifest, stores=kept), counted(spark, entries), root)
    entries = entries.repartition("partition").sortWithinPartitions("partition")
    return _decoded(spark, entries, table)


def _of_checkpoint(
    spark: SparkSession, config: StreamsConfig, root: str, store: str, choice: Choice
) -> DataFrame:
    selection = Selection({store}) if store else Selection(None)
    opened = open_state(config, spark, root, selection)
    where = f'application "{config.getString("application.id")}"'
    table = table_of(opened.image.manifest, store, choice, where)
    entries = opened.image.entries.where(F.col("store").isin(list(table.parts)))
    return in_session(_decoded(opened.session, entries, table), spark)


def _decoded(session: SparkSession, entries: DataFrame, table: StoreTable) -> DataFrame:
    schema = session.createDataFrame([], table.ddl).schema
    with workers_for(session, "frames"):
        return entries.mapInArrow(_decoder(table, to_arrow_schema(schema, timezone="UTC")), schema)


def _decoder(table: StoreTable, schema: pa.Schema) -> Any:
    def decode(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (
            row
            for batch in batches
            for row in zip(*(c.to_pylist() for c in batch.columns), strict=True)
        )
        with reported():
            for partition, found in groupby(rows, lambda row: row[1]):
                pairs = ((key, value) for _, _, key, value in found)
                yield from table.batches(partition, pairs, schema)

    return decode


def _config(
    checkpoint: str | None, given: Mapping[str, Any] | StreamsConfig | None
) -> StreamsConfig:
    if isinstance(given, StreamsConfig):
        return given
    entries = dict(given or {})
    if checkpoint is not None:
        parts = root_of(checkpoint.rstrip("/")).split("/")
        entries["application.id"] = parts[-2] if len(parts) > 1 else "millstream-frames"
    entries.setdefault("bootstrap.servers", _NO_BROKER)
    return StreamsConfig(entries)


def _location(checkpoint: str) -> str:
    path = local_path(checkpoint)
    if path is None and "://" in checkpoint:
        return checkpoint.rstrip("/")
    return for_spark(Path(os.path.expanduser(path or checkpoint)).absolute().as_uri())
