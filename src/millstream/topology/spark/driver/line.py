"""The streaming query: Kafka, chunks, the stages, the sink."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce

from pyspark.sql import DataFrame, GroupedData, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamReader

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import RECORDS_PER_BATCH
from millstream.topology.spark.backfill.history import FACTS, STAGE, History, HistorySource
from millstream.topology.spark.checkpoint.descriptor import AS_NAMED
from millstream.topology.spark.chunks.source import BatchShares, chunks_of
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.driver.offsets import offsets_json
from millstream.topology.spark.job import Job
from millstream.topology.spark.part_times import PACK, SINK, timed
from millstream.topology.spark.row_columns import source_columns, with_clock
from millstream.topology.spark.wire import ROW_SCHEMA, SEED_SCHEMA
from millstream.topology.spark.worker.declared_stage import DeclaredStage
from millstream.topology.spark.worker.pack import (
    PACKED_SCHEMA,
    Mapper,
    global_packer,
    packer,
)
from millstream.topology.spark.worker.sink import sinker
from millstream.topology.spark.worker.stage import StageProcessor
from millstream.topology.spark.worker.ticks import TICK_SOURCE, ticker
from millstream.topology.spark.worker_pools import workers_for

GROWN = 2
"""How many times the default limit of a batch quick batches may reach."""
MIN_SHARE = 0.02
"""Minimum share of a stage, as a fraction of the total backlog."""
_LONGEST_MS = 1 << 50
"""The longest time between batches: 35,000 years."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchLimit:
    """The most records of a batch, of all topics together."""

    first: int
    most: int
    """What this may grow to while batches are quick."""

    @staticmethod
    def of(config: StreamsConfig) -> BatchLimit:
        """Return what a configuration says: a limit that was given stays as it is."""
        first = config.getInt(RECORDS_PER_BATCH)
        given = RECORDS_PER_BATCH in config.originals()
        return BatchLimit(first=first, most=first if given else GROWN * first)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineOptions:
    """Settings of the query as a whole."""

    checkpoint: str
    connector: Mapping[str, str] = field(repr=False)
    """Options of the Kafka source."""
    starting_offsets: Mapping[str, Mapping[int, int]]
    batches: BatchLimit
    trigger_ms: int
    """Minimum time between the starts of two batches; 0 for no pause."""
    ticks: bool
    """Whether batches run, with a tick for every task, while no records arrive."""
    backlog: Mapping[str, int] = field(default_factory=dict)
    """Topic -> number of unread records; none is needed if only one stage reads topics."""
    global_connector: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Options of the Kafka source of global stores."""
    global_offsets: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """Start offsets of the global topics; empty if there are none."""
    seed: str = ""
    """Location of the segments that the stages begin with; empty if they begin with none."""
    history: History | None = None
    """Facts about a run over history; None for a live one."""
    without_reset: frozenset[str] = frozenset()
    """Topics with the reset policy ``none``: unread records that are gone end the query."""


def start_line(session: SparkSession, job: Job, options: LineOptions) -> StreamingQuery:
    """Start the query of an application."""
    if options.history is not None:
        options.history.agreement().again()
    shares = shares_of_a_batch(job.layout.stages, options.backlog, options.batches)
    arriving = sources_of(session, job, options, shares)
    stage = partial(StageProcessor, to_sink=True)
    line = stages_of(session, job, arriving, stage, options.seed)
    with workers_for(session, "sink"):
        line = line.mapInArrow(timed(job.timed, SINK, sinker(job)), ROW_SCHEMA)
    query = (
        line.writeStream.queryName(job.application_id)
        .format("noop")
        .outputMode("append")
        .option("checkpointLocation", options.checkpoint)
        .trigger(processingTime=trigger_of(options.trigger_ms))
        .start()
    )
    if shares is not None and options.trigger_ms:
        shares.hasten(query)
    return query


def trigger_of(interval_ms: int) -> str:
    """Return the time between batches as Spark reads it; it counts microseconds, in 64 bits.

    Kafka Streams takes any number, such as the largest for no commits by time.

    >>> trigger_of(100)
    '100 milliseconds'
    """
    return f"{min(interval_ms, _LONGEST_MS)} milliseconds"


def sources_of(
    session: SparkSession, job: Job, options: LineOptions, shares: BatchShares | None
) -> Callable[[Stage], list[DataFrame]]:
    """Return what gives the rows that arrive at a stage from outside."""

    def arriving(stage: Stage) -> list[DataFrame]:
        found = []
        if shares is not None and stage.topics:
            found.append(_records(session, job, stage, options, shares))
        if stage is job.layout.stages[0]:
            if options.ticks:
                found.append(_ticks(session, job))
            if options.global_offsets:
                # Spark reads the end offsets of its sources in this order. A global record written
                # before a record of another topic is therefore in the same batch or an earlier one.
                found.append(_global_records(session, job, options))
        return found

    return arriving


def stages_of(
    session: SparkSession,
    job: Job,
    arriving: Callable[[Stage], list[DataFrame]],
    processor: Callable[[Job, int], StageProcessor],
    seed: str = "",
) -> DataFrame:
    """Return the rows that leave the last stage.

    Args:
        session: A session with the settings of queries.
        job: Facts about the application.
        arriving: Returns the rows that arrive at a stage from outside.
        processor: Makes what runs a stage, given the job and the index of the stage.
        seed: Location of the segments that the stages begin with; empty for none.
    """
    line: DataFrame | None = None
    for stage in job.layout.stages:
        rows = reduce(DataFrame.unionAll, [*arriving(stage), *([] if line is None else [line])])
        initial = _seed(session, seed, stage) if seed else None
        with workers_for(session, f"stage-{stage.index}"):
            line = rows.groupBy("key").transformWithState(
                DeclaredStage(processor(job, stage.index)), ROW_SCHEMA, "append", "None", initial
            )
    assert line is not None
    return line


def _seed(session: SparkSession, location: str, stage: Stage) -> GroupedData:
    # Spark gives a stage these rows in its first batch only.
    reader = session.read.options(**AS_NAMED).schema(SEED_SCHEMA)
    rows = reader.parquet(location).where(F.col("stage") == stage.index)
    return rows.select("key", "seq", "blob").groupBy("key")


def _records(
    session: SparkSession,
    job: Job,
    stage: Stage,
    options: LineOptions,
    shares: BatchShares,
) -> DataFrame:
    if options.history is not None:
        return _history(session, stage, options.history)
    source = _kafka(session, options.connector, options.starting_offsets, stage.topics)
    source = source.option("maxOffsetsPerTrigger", shares.alike())
    if not options.without_reset.isdisjoint(stage.topics):
        source = source.option("failOnDataLoss", "true")
    records, keys = source.load(), job.layout.keys[: stage.tasks]
    chunks = chunks_of(records, stage.index, keys, shares)
    if chunks is not None:
        return with_clock(chunks)
    return _packed(session, records, packer(job.layout, stage.index), job)


def _history(session: SparkSession, stage: Stage, history: History) -> DataFrame:
    with workers_for(session, "pack"):
        session.dataSource.register(HistorySource)
        source = session.readStream.format(HistorySource.name()).option(STAGE, stage.index)
        packed = source.option(FACTS, history.encoded()).load()
    return with_clock(packed)


def _global_records(session: SparkSession, job: Job, options: LineOptions) -> DataFrame:
    # Without a limit: the first batch has all existing records.
    offsets = options.global_offsets
    source = _kafka(session, options.global_connector, offsets, list(offsets))
    return _packed(session, source.load(), global_packer(job.layout), job)


def _kafka(
    session: SparkSession,
    connector: Mapping[str, str],
    offsets: Mapping[str, Mapping[int, int]],
    topics: Sequence[str],
) -> DataStreamReader:
    return (
        session.readStream.format("kafka")
        .options(**connector)
        .option("subscribe", ",".join(topics))
        .option("startingOffsets", offsets_json(offsets, topics))
        .option("includeHeaders", "true")
        # As in Kafka Streams: if retention has deleted unread records, continue with the oldest.
        .option("failOnDataLoss", "false")
    )


def _packed(session: SparkSession, records: DataFrame, pack: Mapper, job: Job) -> DataFrame:
    # The rows come from Kafka while this function asks for them.
    pack = timed(job.timed, PACK, pack, fetches=True)
    with workers_for(session, "pack"):
        packed = source_columns(records).mapInArrow(pack, PACKED_SCHEMA)
    return with_clock(packed)


def _ticks(session: SparkSession, job: Job) -> DataFrame:
    source = (
        session.readStream.format(TICK_SOURCE)
        .option("rowsPerBatch", 1)
        .option("numPartitions", 1)
        .load()
    )
    with workers_for(session, "pack"):
        ticks = source.mapInArrow(ticker(job.layout), PACKED_SCHEMA)
    return with_clock(ticks)


def shares_of_a_batch(
    stages: Sequence[Stage], backlog: Mapping[str, int], batches: BatchLimit
) -> BatchShares | None:
    """Return how stages share a batch's records; None if none of them reads topics."""
    unread = {
        stage.index: sum(backlog.get(topic, 0) for topic in stage.topics)
        for stage in stages
        if stage.topics
    }
    if not unread:
        return None
    return BatchShares(whole=batches.first, most=batches.most, least=MIN_SHARE, unread=unread)
