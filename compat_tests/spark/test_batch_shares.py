"""The share of a batch that a sub-topology may read follows what it has not read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from compat_tests.spark.support import Playground
from compat_tests.spark.test_chunk_source import KEYS, send
from millstream.topology.spark.chunks import source
from millstream.topology.spark.chunks.source import BatchShares, chunks_of
from millstream.topology.spark.driver.session import query_session

WHOLE = 1000


def fill(servers: str, topic: str, count: int) -> None:
    send(servers, topic, ((b"k", b"v", 1, 0, None) for _ in range(count)))


def query_of(
    session: SparkSession, servers: str, topics: list[str], unread: list[int]
) -> DataFrame:
    shares = BatchShares(whole=WHOLE, most=WHOLE, least=0.02, unread=dict(enumerate(unread)))
    session = query_session(session, {}, 1)

    def rows(stage: int) -> DataFrame:
        options = {
            "kafka.bootstrap.servers": servers,
            "subscribe": topics[stage],
            "startingOffsets": "earliest",
            "includeHeaders": "true",
            "maxOffsetsPerTrigger": str(shares.alike()),
        }
        records = session.readStream.format("kafka").options(**options).load()
        rows = chunks_of(records, stage, KEYS, shares)
        assert rows is not None
        return rows.select("key")

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


def test_a_stage_without_a_backlog_at_the_start_may_have_all_of_it_later(
    spark: SparkSession, play: Playground, tmp_path: Path
) -> None:
    topics = [play.topic("rows", 1), play.topic("others", 1)]
    fill(play.servers, topics[0], 1900)
    frame = query_of(spark, play.servers, topics, [1900, 0])
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


def in_jvm(shares: BatchShares, spark: SparkSession, play: Playground) -> Any:
    records = spark.readStream.format("kafka").options(
        **{"kafka.bootstrap.servers": play.servers, "subscribe": play.topic("any", 1)}
    )
    return shares.in_jvm(source._Source(records.load()))


def test_a_backlog_is_shared_so_that_all_are_through_together(
    spark: SparkSession, play: Playground
) -> None:
    shares = BatchShares(whole=1040, most=1040, least=0.02, unread={0: 900, 1: 100})
    ours = in_jvm(shares, spark, play)

    # From what is unread at the start, for the stage that is asked first.
    assert [ours.limit(0, 900), ours.limit(1, 100)] == [920, 120]
    # Whoever has nothing to read may still read.
    assert ours.limit(0, 0) == 20
    assert ours.limit(1, 100) == 1020
    assert [ours.limit(1, 0), ours.limit(0, 0)] == [520, 520]


def test_however_small_a_batch_each_stage_may_read(spark: SparkSession, play: Playground) -> None:
    shares = BatchShares(whole=1, most=1, least=0.02, unread={0: 900, 1: 0})
    ours = in_jvm(shares, spark, play)

    assert [ours.limit(0, 900), ours.limit(1, 0)] == [1, 1]


def test_full_batches_grow_while_they_are_quick_and_no_further_than_said(
    spark: SparkSession, play: Playground
) -> None:
    shares = BatchShares(whole=1000, most=3000, least=0.02, unread={0: 50_000, 1: 50_000})
    ours = in_jvm(shares, spark, play)

    now = 0

    def limits(unread: int, took_s: float) -> int:
        """Return what both stages may read after a batch that took so long, to a hundred."""
        nonlocal now
        now += int(took_s * 1e9)
        both = ours.limit(0, unread, now) + ours.limit(1, unread, now)
        return round(int(both), -2)

    assert [limits(50_000, 0), limits(50_000, 1.9), limits(50_000, 1.9)] == [1000, 2000, 3000]
    # Neither quick nor slow.
    assert [limits(50_000, 2.1), limits(50_000, 3.9)] == [3000, 3000]
    assert [limits(50_000, 4.1), limits(50_000, 9), limits(50_000, 9)] == [1500, 1000, 1000]
    assert ours.isBehind()
    # After a batch that had all there was, how long it took says nothing.
    limits(400, 3)
    assert limits(400, 1) == limits(400, 9) == limits(400, 1)
    assert not ours.isBehind()
