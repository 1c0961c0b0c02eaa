"""Chunks that the JVM makes of Kafka's records are those that Python makes of Spark's rows."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow as pa
import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.sql import DataFrame, SparkSession

from compat_tests.spark.support import Playground
from compat_tests.spark.worker.test_live_task import job
from millstream.topology.spark.arrow_headers import HEADERS
from millstream.topology.spark.chunks import source
from millstream.topology.spark.chunks.jar import SOURCES, chunk_classes, made_ahead
from millstream.topology.spark.chunks.source import chunks_of
from millstream.topology.spark.compile import Layout, Stage
from millstream.topology.spark.driver.session import query_session
from millstream.topology.spark.placement import warming_job
from millstream.topology.spark.placement.sample import Sample
from millstream.topology.spark.placement.warming_job import prepared, with_one_partition
from millstream.topology.spark.progress import gone_of
from millstream.topology.spark.row_columns import source_columns
from millstream.topology.spark.wire import READ, SINK, decode_chunk
from millstream.topology.spark.worker.pack import PACKED_SCHEMA, packer

Sent = tuple[bytes | None, bytes | None, int, int, Any]
"""Key, value, time, partition and headers of a record."""
Pack = Callable[[DataFrame, int], DataFrame]
PARTITIONS = 3
KEYS = (10, 11, 12)


def by_jvm(records: DataFrame, stage: int) -> DataFrame:
    rows = chunks_of(records, stage, KEYS)
    assert rows is not None
    return rows


def by_python(records: DataFrame, stage: int) -> DataFrame:
    stages = (Stage(index=stage, subtopology=0, tasks=PARTITIONS, topics=("t",), internal=()),)
    layout = Layout(stages=(*stages, *stages), routes={}, keys=KEYS)
    return source_columns(records).mapInArrow(packer(layout, stage), PACKED_SCHEMA)


class Reading:
    """Reads a topic from a checkpoint, in batches."""

    def __init__(self, session: SparkSession, servers: str, topic: str, place: Path) -> None:
        self._session = query_session(session, {}, 1)
        self._place = str(place)
        self._options = {
            "kafka.bootstrap.servers": servers,
            "kafka.isolation.level": "read_committed",
            "subscribe": topic,
            "startingOffsets": "earliest",
            "includeHeaders": "true",
            "failOnDataLoss": "false",
        }
        self.progress: dict[str, Any] = {}

    def rows(self, pack: Pack, **more: str) -> list[Any]:
        records = self._session.readStream.format("kafka").options(**self._options | more).load()
        found: list[Any] = []

        def keep(batch: DataFrame, number: int) -> None:
            del number
            found.extend(batch.collect())

        query = pack(records, 1).writeStream.foreachBatch(keep)
        query = query.option("checkpointLocation", self._place).trigger(availableNow=True)
        running = query.start()
        running.awaitTermination()
        self.progress = next((p for p in running.recentProgress[::-1] if p["numInputRows"]), {})
        return found

    def columns(self, pack: Pack, **more: str) -> dict[int, pa.Table]:
        """Return the records of each partition."""
        return tables(self.rows(pack, **more))


def tables(rows: Iterable[Any]) -> dict[int, pa.Table]:
    parts: dict[int, list[pa.Table]] = {}
    records = [row for row in rows if row.kind != READ]
    for row in sorted(records, key=lambda row: (row.partition, row.seq)):
        assert (row.key, row.stage, row.kind) == (KEYS[row.partition], 1, 0)
        columns = decode_chunk(row.blob)
        assert columns["offsets"][0].as_py() == row.seq
        whole = {"headers": pa.nulls(len(columns["keys"]), HEADERS)}
        parts.setdefault(row.partition, []).append(pa.table({**whole, **columns}))
    return {number: pa.concat_tables(some).combine_chunks() for number, some in parts.items()}


def send(servers: str, topic: str, records: Iterable[Sent], **settings: Any) -> Producer:
    producer = Producer({"bootstrap.servers": servers, **settings})
    if "transactional.id" in settings:
        producer.init_transactions(30)
        producer.begin_transaction()
    for key, value, time, partition, headers in records:
        producer.produce(topic, value, key, partition, timestamp=time, headers=headers)
        producer.poll(0)
    assert not producer.flush(60)
    return producer


def some_records(rng: random.Random, count: int) -> list[Sent]:
    def cell(most: int) -> bytes | None:
        return rng.choice((None, b"", rng.randbytes(rng.randint(1, most))))

    def headers() -> Any:
        pairs = [(rng.choice(("a", "größe", "")), cell(9)) for _ in range(rng.choice((0, 0, 1, 3)))]
        return pairs or None

    return [
        (cell(12), cell(200), rng.randint(1, 1 << 42), rng.randrange(PARTITIONS), headers())
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_both_ways_give_the_same_chunks(
    spark: SparkSession, play: Playground, tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    topic = play.topic("in", PARTITIONS)
    plain = [(*each[:4], None) for each in some_records(rng, 200)]
    send(play.servers, topic, [*plain, *some_records(rng, rng.choice((1, 100, 3000)))])
    send(
        play.servers, topic, some_records(rng, 40), **{"transactional.id": topic}
    ).abort_transaction()
    done = send(play.servers, topic, some_records(rng, 40), **{"transactional.id": topic})
    done.commit_transaction()
    limit = {"maxOffsetsPerTrigger": str(rng.choice((100, 1000, 100_000)))}
    both = [
        Reading(spark, play.servers, topic, tmp_path / each.__name__).columns(each, **limit)
        for each in (by_jvm, by_python)
    ]
    assert sorted(both[0]) == sorted(both[1]) == [*range(PARTITIONS)]
    for partition, columns in both[0].items():
        columns.validate(full=True)
        assert columns.equals(both[1][partition].select(columns.column_names))


def test_without_headers_the_bytes_are_the_same(
    spark: SparkSession, play: Playground, tmp_path: Path
) -> None:
    topic = play.topic("in", 1)
    send(play.servers, topic, [(b"k%d" % n, b"v" * n, 1 + n, 0, None) for n in range(100)])
    (ours,) = Reading(spark, play.servers, topic, tmp_path / "jvm").rows(by_jvm)
    (theirs,) = Reading(spark, play.servers, topic, tmp_path / "python").rows(by_python)

    assert decode_chunk(ours.blob) == decode_chunk(theirs.blob)
    assert "headers" not in decode_chunk(ours.blob)
    assert len(ours.blob) == len(theirs.blob)


def test_large_records_make_small_chunks_and_holes_none(
    spark: SparkSession, play: Playground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "PIECE_BYTES", 800_000)
    topic = play.topic("in", 1)
    sizes = (900_000, 10, 300_000, 300_000, 300_000, 300_000)
    for number, size in enumerate(sizes):
        # A transaction's end is an offset without a record.
        one = [(b"k", bytes([number]) * size, 1, 0, None)]
        send(play.servers, topic, one, **{"transactional.id": topic}).commit_transaction()
    reading = Reading(spark, play.servers, topic, tmp_path / "jvm")
    rows = reading.rows(by_jvm)

    (columns,) = tables(rows).values()
    assert [len(each) for each in columns["values"].to_pylist()] == list(sizes)
    assert columns["offsets"].to_pylist() == [0, 2, 4, 6, 8, 10]
    assert [row.seq for row in rows if row.kind != READ] == [0, 2, 10]
    assert reading.progress["sources"][0]["metrics"]["millstreamRecords"] == str(len(sizes))


def test_large_headers_make_small_chunks(
    spark: SparkSession, play: Playground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "PIECE_BYTES", 800_000)
    topic = play.topic("in", 1)
    large = [("h", b"x" * 300_000), ("none", None)]
    send(play.servers, topic, [(b"k", b"v", 1, 0, large) for _ in range(6)])
    rows = Reading(spark, play.servers, topic, tmp_path / "jvm").rows(by_jvm)
    assert [row.seq for row in rows] == [0, 3]


def test_a_range_without_a_record_at_its_end_tells_the_sinks_how_far_it_goes(
    spark: SparkSession, play: Playground, tmp_path: Path
) -> None:
    topic = play.topic("in", 1)
    reading = Reading(spark, play.servers, topic, tmp_path / "jvm")
    one, transaction = [(b"k", b"v", 1, 0, None)], {"transactional.id": topic}

    def ends() -> list[tuple[int, ...]]:
        found = [row for row in reading.rows(by_jvm) if row.kind == READ]
        assert {(row.key, row.stage, row.topic) for row in found} <= {(KEYS[0], SINK, topic)}
        return [(row.partition, int.from_bytes(row.blob, "big"), row.seq) for row in found]

    send(play.servers, topic, one)
    assert ends() == []
    send(play.servers, topic, one, **transaction).commit_transaction()
    assert ends() == [(0, 1, 3)]
    send(play.servers, topic, one, **transaction).abort_transaction()
    assert ends() == [(0, 3, 5)]


def test_records_that_were_deleted_before_they_were_read_are_reported(
    spark: SparkSession, play: Playground, tmp_path: Path
) -> None:
    topic = play.topic("in", 1)
    reading = Reading(spark, play.servers, topic, tmp_path / "jvm")

    # A name: the request ends with the client.
    admin = AdminClient({"bootstrap.servers": play.servers})

    def offsets(count: int, first: int) -> list[int]:
        """Send records, delete those before an offset, and read."""
        send(play.servers, topic, [(b"k", b"v", 1, 0, None) for _ in range(count)])
        place = TopicPartition(topic, 0, first)
        (done,) = admin.delete_records([place]).values()
        done.result(30)
        rows = reading.rows(by_jvm)
        return [n for each in tables(rows).values() for n in each["offsets"].to_pylist()]

    assert offsets(5, 0) == [0, 1, 2, 3, 4]
    assert gone_of(reading.progress) == []
    assert offsets(10, 9) == [9, 10, 11, 12, 13, 14]
    assert gone_of(reading.progress) == [(topic, 0, 5, 9)]
    # All of them, and Spark has none to go on with.
    assert offsets(2, 17) == []
    assert offsets(1, 17) == [17]


def test_a_checkpoint_goes_on_from_one_way_to_the_other(
    spark: SparkSession, play: Playground, tmp_path: Path
) -> None:
    topic = play.topic("in", 1)
    reading = Reading(spark, play.servers, topic, tmp_path / "checkpoint")
    for number, pack in enumerate((by_python, by_jvm, by_jvm, by_python)):
        send(play.servers, topic, [(b"k", b"%d" % number, 1, 0, None)])
        columns = reading.columns(pack)[0]
        assert columns["values"].to_pylist() == [b"%d" % number]
        assert columns["offsets"].to_pylist() == [number]


def test_a_range_that_is_read_at_once_gives_chunks_too(
    spark: SparkSession, play: Playground
) -> None:
    topic = play.topic("in", 1)
    send(play.servers, topic, [(b"k", b"%d" % n, 1, 0, None) for n in range(20)])
    sample = Sample({"kafka.bootstrap.servers": play.servers}, topic, 0, 15)
    rows = by_jvm(sample.read(with_one_partition(query_session(spark, {}, 1))), 1)
    (columns,) = tables(rows.collect()).values()

    assert columns["offsets"].to_pylist() == [*range(5, 15)]


def test_a_new_executor_reads_chunks_ahead_in_one_task(
    spark: SparkSession, play: Playground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No worker packs in a batch: none is started ahead.
    monkeypatch.delattr(warming_job, "_packed")
    topic = play.topic("in", 1)
    send(play.servers, topic, [(b"k", b"%d" % n, 1, 0, None) for n in range(20)])
    sample = Sample({"kafka.bootstrap.servers": play.servers}, topic, 0, 15)
    java_session: Any = spark._jsparkSession
    # A query has started it.
    java_session.streams().stateStoreCoordinator()
    start = prepared(query_session(spark, {}, 2), job(tmp_path, "1", "rocksdb"), sample)

    assert "DataSourceRDD" in str(start.toDebugString())
    assert [row.key for row in start.collect()] == [0]


def test_where_the_source_does_not_fit_nothing_is_made_of_it(
    spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", source.log.name)

    assert chunks_of(spark.readStream.format("rate").load(), 0, KEYS) is None
    # py4j logs, too, when it frees an object of the JVM.
    said = [each for each in caplog.records if each.name == source.log.name]
    assert [record.getMessage()[:42] for record in said] == [
        "Python workers make chunks of records, the"
    ]


def test_the_jar_for_the_executors_is_made_once_and_private(spark: SparkSession) -> None:
    made_ahead(spark).join()
    known = vars(spark.sparkContext._gateway)["_millstream_chunks"]
    (made,) = known.values()
    parent = made.loader.getParent()

    assert made.loader.equals(chunk_classes(spark.newSession(), parent))
    assert made.jar.stat().st_mode & 0o137 == made.jar.parent.stat().st_mode & 0o077 == 0
    with ZipFile(made.jar) as jar:
        assert {f"millstream/{name}.class" for name in SOURCES} <= set(jar.namelist())
    jars = spark._jsc.sc().listJars().mkString(",")
    assert jars.count(made.jar.name) == 1
