"""The share of a batch that a sub-topology may read follows what it has not read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from compat_tests.spark.support import Playground
from compat_tests.spark.test_chunk_source import KEYS, send
from millstream.topology.spark.chunks import source
from millstream.topology.spark.chunks.source import BatchShares, chunks_of, limited
from millstream.topology.spark.driver.session import query_session

WHOLE = 1000
Made = Callable[[DataFrame, int, BatchShares], DataFrame]


def chunked(records: DataFrame, stage: int, shares: BatchShares) -> DataFrame:
    rows = chunks_of(records, stage, KEYS, shares)
    assert rows is not None
    return rows.select("key")


def plain(records: DataFrame, stage: int, shares: BatchShares) -> DataFrame:
    return limited(records, stage, shares).select("value")


def fill(servers: str, topic: str, count: int) -> None:
    send(servers, topic, ((b"k", b"v", 1, 0, None) for _ in range(count)))


def query_of(
    session: SparkSession, servers: str, topics: list[str], made: Made, unread: list[int]
) -> DataFrame:
    shares = BatchShares(whole=WHOLE, least=0.02, unread=dict(enumerate(unread)))
    session = query_session(session, {}, 1)

    def rows(stage: int) -> DataFrame:
        options = {
            "kafka.bootstrap.servers": servers,
            "subscribe": topics[stage],
            "startingOffsets": "earliest",
            "includeHeaders": "true",
            "maxOffsetsPerTrigger": str(shares.limit(stage)),
        }
        records = session.readStream.format("kafka").options(**options).load()
        return made(records, stage, shares)

    return rows(0).union(rows(1))


def reads(query: StreamingQuery) -> Iterator[list[int]]:
    """Return how many records each batch has read of each topic."""
    for progress in query.recentProgress:
        counts = [_records(each) for each in progress["sources"]]
        if any(counts):
            yield counts


def _records(progress: Any) -> int:
    begin, end = progress["startOffset"], progress["endOffset"]
    begin, end = (json.loads(x or "null") or {} for x in (begin, end))
    return sum(
        end[topic][partition] - begin.get(topic, {}).get(partition, 0)
        for topic in end
        for partition in end[topic]
    )


@pytest.mark.parametrize("made", [chunked, plain])
def test_a_stage_without_a_backlog_at_the_start_may_have_all_of_it_later(
    spark: SparkSession, play: Playground, tmp_path: Path, made: Made
) -> None:
    topics = [play.topic("rows", 1), play.topic("others", 1)]
    fill(play.servers, topics[0], 1900)
    frame = query_of(spark, play.servers, topics, made, [1900, 0])
    query = frame.writeStream.format("noop").option("checkpointLocation", str(tmp_path)).start()
    try:
        query.processAllAvailable()
        assert list(reads(query)) == [[980, 0], [920, 0]]
        fill(play.servers, topics[1], 1900)
        query.processAllAvailable()
        later = [counts[1] for counts in reads(query)]
    finally:
        query.stop()
    # The share at the start was 20. Some are read while the others are being sent.
    assert max(later) > 100


def test_the_jvm_begins_with_the_same_shares_and_goes_on_with_what_it_is_told(
    spark: SparkSession, play: Playground
) -> None:
    shares = BatchShares(whole=1040, least=0.02, unread={0: 900, 1: 100})
    records = spark.readStream.format("kafka").options(
        **{"kafka.bootstrap.servers": play.servers, "subscribe": play.topic("any", 1)}
    )
    ours = shares.in_jvm(source._Source(records.load()))

    assert [ours.limit(0, 900), ours.limit(1, 100)] == [shares.limit(0), shares.limit(1)]
    assert ours.limit(0, 0) == 20
    assert ours.limit(1, 100) == 1020
    assert [ours.limit(1, 0), ours.limit(0, 0)] == [520, 520]


def test_where_the_limit_cannot_follow_it_is_said(
    spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    shares = BatchShares(whole=10, least=0.02, unread={0: 0, 1: 0})
    rows = spark.readStream.format("rate").load()

    assert limited(rows, 1, shares) is rows
    said = [each for each in caplog.records if each.name == source.log.name]
    assert [record.getMessage()[:40] for record in said] == [
        "stage 1 keeps its first share of a batch"
    ]
