"""Changelog topics read by Spark's workers, as rows of our stores."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from millstream.core.state.changelog_format import (
    ChangelogColumns,
    ChangelogFormat,
    ChangelogRecord,
    RowColumns,
)
from millstream.topology.spark.changelogs.feeds import Feed
from millstream.topology.spark.worker_pools import workers_for

ENTRY_SCHEMA = "store string, partition int, key binary, value binary"
_ARROW = pa.schema(
    [
        ("store", pa.string()),
        ("partition", pa.int32()),
        ("key", pa.binary()),
        ("value", pa.binary()),
    ]
)
_BATCH_ROWS = 16_384
_LATEST = -1

Formats = Mapping[str, ChangelogFormat]
"""Store -> its format."""
Entry = tuple[str, int, "bytes | None", bytes]
"""Store, partition, key and value; of a summary the key is None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changelogs:
    """What is to be read of which topics."""

    feeds: tuple[Feed, ...]
    formats: Formats
    ends: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """Source topic -> partition -> the offset up to which it is read; the others to their end."""
    connector: Mapping[str, str] = field(repr=False)
    """Options of Spark's Kafka source."""
    isolation: str = "read_committed"
    """Records of transactions that were aborted are no changes."""

    def of(self, wanted: Callable[[str], bool]) -> Changelogs | None:
        """Return those of some topics; None if there are none."""
        feeds = tuple(feed for feed in self.feeds if wanted(feed.topic))
        return replace(self, feeds=feeds) if feeds else None


@dataclass(frozen=True, slots=True)
class Restored:
    """Rows of all stores, and what else their processors know."""

    entries: DataFrame
    summaries: Mapping[tuple[str, int], bytes]


def restored(session: SparkSession, changelogs: Changelogs) -> Restored:
    """Return the rows of all stores, as Kafka Streams would restore them.

    Args:
        session: A session with the settings of queries.
        changelogs: The topics.
    """
    formats = changelogs.formats
    told = {each.topic for each in changelogs.feeds if formats[each.store].has_summary}
    entries = session.createDataFrame([], ENTRY_SCHEMA)
    if plain := changelogs.of(lambda topic: topic not in told):
        entries = entries.unionAll(_rows_of(session, plain))
    summaries: dict[tuple[str, int], bytes] = {}
    if others := changelogs.of(lambda topic: topic in told):
        # They are read twice: for the summaries, and for the rows.
        found = _rows_of(session, others).persist()
        summaries = _merged(found.where(F.col("key").isNull()).collect(), formats)
        entries = entries.unionAll(found.where(F.col("key").isNotNull()))
    rows = [
        (store, partition, bytearray(key), bytearray(value))
        for (store, partition), summary in summaries.items()
        for key, value in formats[store].summary_rows(summary)
    ]
    if rows:
        entries = entries.unionAll(session.createDataFrame(rows, ENTRY_SCHEMA))
    return Restored(entries, summaries)


def _rows_of(session: SparkSession, changelogs: Changelogs) -> DataFrame:
    """Return rows, and summaries with a key of None."""
    ordered = {each.topic for each in changelogs.feeds if changelogs.formats[each.store].in_order}
    frames = []
    if by_key := changelogs.of(lambda topic: topic not in ordered):
        last = (
            changelog_records(session, by_key)
            # The key first: it tells rows apart at once when they are sorted.
            .groupBy("key", "partition", "topic")
            .agg(F.max_by(F.struct("value", "time", "headers"), "offset").alias("last"))
            .select("topic", "partition", "key", "last.value", "last.time", "last.headers")
        )
        with workers_for(session, "image"):
            frames.append(last.mapInArrow(_of_last(_by_topic(by_key)), ENTRY_SCHEMA))
    if whole := changelogs.of(lambda topic: topic in ordered):
        records = (
            changelog_records(session, whole)
            .repartition("topic", "partition")
            .sortWithinPartitions("topic", "partition", "offset")
            .select("topic", "partition", "key", "value", "time", "headers")
        )
        with workers_for(session, "image"):
            frames.append(records.mapInArrow(_of_all(_by_topic(whole)), ENTRY_SCHEMA))
    return reduce(DataFrame.unionAll, frames)


def changelog_records(session: SparkSession, changelogs: Changelogs) -> DataFrame:
    """Return the committed records of topics, by topic, partition and offset."""
    ends: dict[str, dict[int, int]] = {}
    for feed in changelogs.feeds:
        numbers = range(feed.partitions)
        ends[feed.topic] = dict(changelogs.ends.get(feed.topic, dict.fromkeys(numbers, _LATEST)))
    ends = {topic: each for topic, each in ends.items() if each}
    options = {
        **changelogs.connector,
        "kafka.isolation.level": changelogs.isolation,
        "assign": json.dumps({topic: sorted(each) for topic, each in ends.items()}),
        "startingOffsets": "earliest",
        "endingOffsets": json.dumps(
            {topic: {str(n): end for n, end in each.items()} for topic, each in ends.items()}
        ),
        "includeHeaders": "true",
        # Compaction leaves gaps.
        "failOnDataLoss": "false",
    }
    found = session.read.format("kafka").options(**options).load()
    return found.where(F.col("key").isNotNull()).select(
        "topic",
        "partition",
        "offset",
        "key",
        "value",
        F.unix_millis("timestamp").alias("time"),
        "headers",
    )


def _by_topic(changelogs: Changelogs) -> dict[str, list[tuple[str, ChangelogFormat]]]:
    found: dict[str, list[tuple[str, ChangelogFormat]]] = {}
    for feed in changelogs.feeds:
        found.setdefault(feed.topic, []).append((feed.store, changelogs.formats[feed.store]))
    return found


def _of_last(stores: Mapping[str, list[tuple[str, ChangelogFormat]]]) -> Any:
    def entries(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        summaries: dict[tuple[str, int], bytes] = {}
        for batch in batches:
            for topic, partition, columns in _by_place(batch):
                for store, layout in stores[topic]:
                    rows = layout.read(columns)
                    before = summaries.get((store, partition), b"")
                    summaries[store, partition] = layout.merged((before, rows.summary))
                    yield _of_place(store, partition, rows)
        yield _as_batch([(*at, None, summary) for at, summary in summaries.items() if summary])

    return entries


def _by_place(batch: pa.RecordBatch) -> Iterator[tuple[str, int, ChangelogColumns]]:
    """Yield the records of each topic and partition in a batch."""
    ordered = batch.sort_by([("topic", "ascending"), ("partition", "ascending")])
    places = list(zip(*(ordered.column(n).to_pylist() for n in (0, 1)), strict=True))
    start = 0
    for (topic, partition), group in groupby(places):
        count = sum(1 for _ in group)
        keys, values, times, headers = (c.slice(start, count) for c in ordered.columns[2:])
        yield (
            topic,
            partition,
            ChangelogColumns(
                keys.to_pylist(), values.to_pylist(), times.to_pylist(), _headers(headers)
            ),
        )
        start += count


def _headers(column: pa.Array) -> list[list[tuple[str, bytes | None]]] | None:
    if column.null_count == len(column):
        return None
    return [[(each["key"], each["value"]) for each in own or ()] for own in column.to_pylist()]


def _of_place(store: str, partition: int, rows: RowColumns) -> pa.RecordBatch:
    count = len(rows.keys)
    arrays = [
        pa.repeat(pa.scalar(store, pa.string()), count),
        pa.repeat(pa.scalar(partition, pa.int32()), count),
        pa.array(rows.keys, pa.binary()),
        pa.array(rows.values, pa.binary()),
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=_ARROW)


def _of_all(stores: Mapping[str, list[tuple[str, ChangelogFormat]]]) -> Any:
    def entries(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (row for batch in batches for row in _rows(batch))
        for (topic, partition), group in groupby(rows, itemgetter(0, 1)):
            records = [record for _, _, record in group]
            for store, layout in stores[topic]:
                found = layout.replayed(records)
                waiting: list[Entry] = []
                for key, value in found:
                    waiting.append((store, partition, key, value))
                    if len(waiting) >= _BATCH_ROWS:
                        yield _as_batch(waiting)
                        waiting = []
                yield _as_batch(waiting)

    return entries


def _rows(batch: pa.RecordBatch) -> Iterator[tuple[str, int, ChangelogRecord]]:
    topics, partitions, keys, values, times, headers = (c.to_pylist() for c in batch.columns)
    for topic, partition, key, value, time, given in zip(
        topics, partitions, keys, values, times, headers, strict=True
    ):
        pairs = [(each["key"], each["value"]) for each in given] if given else ()
        yield topic, partition, ChangelogRecord(key, value, time, pairs)


def _as_batch(found: Iterable[Entry]) -> pa.RecordBatch:
    columns = list(zip(*found, strict=True)) or [(), (), (), ()]
    arrays = [pa.array(c, f.type) for c, f in zip(columns, _ARROW, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_ARROW)


def _merged(rows: Iterable[Any], formats: Formats) -> dict[tuple[str, int], bytes]:
    found: dict[tuple[str, int], list[bytes]] = {}
    for row in rows:
        found.setdefault((row.store, row.partition), []).append(bytes(row.value))
    return {at: formats[at[0]].merged(each) for at, each in found.items()}
