"""Changelog topics written by Spark's workers, from rows of our stores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
from confluent_kafka import Producer
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from millstream.core.errors import StreamsException
from millstream.topology.spark.changelogs.feeds import Feed
from millstream.topology.spark.changelogs.reading import Changelogs, Formats, changelog_records
from millstream.topology.spark.clients.client_log import ClientLog
from millstream.topology.spark.clients.deadlines import in_time
from millstream.topology.spark.clients.transactions import init_transactions
from millstream.topology.spark.logged_store import SPILLED
from millstream.topology.spark.worker.zero_time import ZeroTimeProducer
from millstream.topology.spark.worker_pools import workers_for

_SCHEMA = (
    "topic string, partition int, place bigint, key binary, value binary, time bigint, "
    "headers array<struct<key: string, value: binary>>"
)
_HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
_ARROW = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("place", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("time", pa.int64()),
        ("headers", _HEADERS),
    ]
)
_WRITTEN = "topic string, partition int, records bigint"
_BATCH_ROWS = 16_384
_TRANSACTION_RECORDS = 20_000
_IN_FLIGHT = 100_000
_TIMEOUT_S = 60.0
_FIRST, _LAST = -1, (1 << 62)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangelogTarget:
    """Topics to write, and how."""

    feeds: tuple[Feed, ...]
    formats: Formats
    observed: Mapping[tuple[str, int], int]
    """Versioned store and partition -> the latest time that it has seen."""
    application_id: str
    producer: Mapping[str, Any] = field(repr=False)
    connector: Mapping[str, str] = field(repr=False)


def write_changelogs(
    session: SparkSession, entries: DataFrame, target: ChangelogTarget
) -> dict[tuple[str, int], int]:
    """Write the rows of stores as their changelogs; return the number of records by place.

    A key that a topic has and the store has not is deleted. Written twice, it is the same.

    Args:
        session: A session with the settings of queries.
        entries: Columns store, partition, key, value.
        target: The topics.

    Raises:
        StreamsException: The broker refuses a record or does not answer.
    """
    if not target.feeds:
        return {}
    names = [name for feed in target.feeds for name in (feed.store, feed.store + SPILLED)]
    rows = (
        entries.where(F.col("store").isin(names))
        .withColumn("store", F.regexp_replace("store", f"{SPILLED}$", ""))
        .repartition("store", "partition")
        .sortWithinPartitions("store", "partition")
        .select("store", "partition", "key", "value")
    )
    with workers_for(session, "image"):
        records = rows.mapInArrow(_as_records(target), _SCHEMA).persist()
    gone = _gone(session, records, target)
    whole = (
        records.unionAll(gone)
        .repartition("topic", "partition")
        .sortWithinPartitions("topic", "partition", "place")
    )
    with workers_for(session, "image"):
        written = whole.mapInArrow(_writer(target), _WRITTEN).collect()
    found: dict[tuple[str, int], int] = {}
    for row in written:
        at = row.topic, row.partition
        found[at] = found.get(at, 0) + row.records
    records.unpersist()
    return found


def observed_times(entries: DataFrame, formats: Formats) -> dict[tuple[str, int], int]:
    """Return the latest time of each partition of versioned stores.

    Args:
        entries: Columns store, partition, key, value.
        formats: Store -> its format.
    """
    in_order = [name for name, layout in formats.items() if layout.in_order]
    if not in_order:
        return {}
    rows = entries.where(F.col("store").isin(in_order) & (F.col("key") == b"\xffmeta"))
    found = rows.select("store", "partition", "value").collect()
    return {(store, number): int.from_bytes(value[:8], "big") for store, number, value in found}


def _gone(session: SparkSession, records: DataFrame, target: ChangelogTarget) -> DataFrame:
    """Return deletions of the keys that only the topics have."""
    changelogs = Changelogs(
        feeds=target.feeds,
        formats=target.formats,
        connector=target.connector,
        # As Kafka Streams will restore them: without exactly once it takes what an interrupted
        # hand-back has left, too.
        isolation=target.connector.get("kafka.isolation.level", "read_uncommitted"),
    )
    last = (
        changelog_records(session, changelogs)
        .groupBy("topic", "partition", "key")
        .agg(F.max_by(F.col("value").isNotNull(), "offset").alias("there"))
        .where("there")
    )
    kept = records.select("topic", "partition", "key").distinct()
    left = last.join(kept, ["topic", "partition", "key"], "left_anti")
    in_order = {f.topic: f.store for f in target.feeds if target.formats[f.store].in_order}
    times = [
        (topic, partition, time)
        for topic, store in in_order.items()
        for (of, partition), time in target.observed.items()
        if of == store
    ]
    known = session.createDataFrame(times, "topic string, partition int, time bigint")
    return (
        left.join(known, ["topic", "partition"], "left")
        .withColumn("place", F.when(F.col("time").isNull(), _FIRST).otherwise(_LAST))
        .withColumn("value", F.lit(None).cast("binary"))
        .withColumn("headers", F.lit(None).cast("array<struct<key: string, value: binary>>"))
        .select("topic", "partition", "place", "key", "value", "time", "headers")
    )


def _as_records(target: ChangelogTarget) -> Any:
    topics = {feed.store: feed.topic for feed in target.feeds}
    formats = dict(target.formats)

    def records(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (
            row
            for batch in batches
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
        )
        for (store, partition), group in groupby(rows, itemgetter(0, 1)):
            found = formats[store].records((key, value) for _, _, key, value in group)
            waiting: list[tuple[Any, ...]] = []
            for place, record in enumerate(found):
                headers = [{"key": k, "value": v} for k, v in record.headers] or None
                own = record.key, record.value, record.timestamp, headers
                waiting.append((topics[store], partition, place, *own))
                if len(waiting) >= _BATCH_ROWS:
                    yield _as_batch(waiting)
                    waiting = []
            yield _as_batch(waiting)

    return records


def _as_batch(rows: Sequence[tuple[Any, ...]]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [() for _ in _ARROW]
    arrays = [pa.array(c, f.type) for c, f in zip(columns, _ARROW, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_ARROW)


def _writer(target: ChangelogTarget) -> Any:
    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (
            row
            for batch in batches
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
        )
        counts: list[tuple[str, int, int]] = []
        for (topic, partition), group in groupby(rows, itemgetter(0, 1)):
            writer = ChangelogWriter(target, topic, partition)
            counts.append((topic, partition, writer.write(group)))
        listed = list(zip(*counts, strict=True)) or [(), (), ()]
        types = [pa.string(), pa.int32(), pa.int64()]
        arrays = [pa.array(column, kind) for column, kind in zip(listed, types, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, names=["topic", "partition", "records"])

    return write


class ChangelogWriter:
    """Writes one partition of a changelog in transactions.

    Args:
        target: The topics.
        topic: The topic.
        partition: Its partition.
    """

    def __init__(self, target: ChangelogTarget, topic: str, partition: int) -> None:
        self._target = target
        self._place = topic, partition
        name = f"{target.application_id}-hand-back-{topic}-{partition}"
        self._producer = Producer(
            {**target.producer, "transactional.id": name, "logger": ClientLog()}
        )
        self._failed: list[Any] = []

    def write(self, rows: Iterator[tuple[Any, ...]]) -> int:
        """Write records; return their number."""
        producer, count, open_ = self._producer, 0, 0
        at_zero: list[tuple[Any, ...]] = []
        leading = True
        init_transactions(producer, self._place[0], _TIMEOUT_S)
        for row in rows:
            _, _, _, key, value, time, headers = row
            count += 1
            if time == 0:
                at_zero.append(row)
            # Where the order of records means something, those of time 0 are the first ones.
            if at_zero and (len(at_zero) >= _BATCH_ROWS or (leading and time != 0)):
                self._write_at_zero(at_zero)
                at_zero = []
            if time == 0:
                continue
            leading = False
            if not open_:
                producer.begin_transaction()
            open_ += 1
            self._produce(key, value, time, headers)
            if open_ >= _TRANSACTION_RECORDS:
                self._commit()
                open_ = 0
        if open_:
            self._commit()
        self._write_at_zero(at_zero)
        return count

    def _produce(self, key: bytes, value: bytes | None, time: int | None, headers: Any) -> None:
        topic, partition = self._place
        pairs = [(each["key"], each["value"]) for each in headers or ()]
        while len(self._producer) > _IN_FLIGHT:
            self._producer.poll(0.05)
        # Where the time means nothing, it is that of the write, as in Kafka Streams.
        self._producer.produce(
            topic, value, key, partition, None, self._told, time or 0, pairs or None
        )

    def _write_at_zero(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Write records of the first moment of 1970, which librdkafka takes for none."""
        if not rows:
            return
        topic, partition = self._place
        _, _, _, keys, values, times, headers = zip(*rows, strict=True)
        # The client cannot write headers without a value.
        kept = [[h for h in own or () if h["value"] is not None] or None for own in headers]
        columns = {
            "keys": pa.array(keys, pa.binary()),
            "values": pa.array(values, pa.binary()),
            "timestamps": pa.array(times, pa.int64()),
            "partitions": pa.array([partition] * len(rows), pa.int32()),
            "headers": pa.array(kept, _HEADERS),
        }
        producer = ZeroTimeProducer(self._target.producer, None)
        try:
            producer.write([(topic, columns)])
        finally:
            producer.close()

    def _told(self, error: Any, message: Any) -> None:
        if error is not None:
            self._failed.append(error)

    def _commit(self) -> None:
        producer = self._producer
        left = in_time("flush", lambda: producer.flush(_TIMEOUT_S))
        if left or self._failed:
            reason = str(self._failed[0]) if self._failed else "It does not answer"
            raise StreamsException(
                f'cannot write the changelog topic "{self._place[0]}"', detail=f"{reason}."
            )
        in_time("commit_transaction", lambda: producer.commit_transaction(_TIMEOUT_S))
