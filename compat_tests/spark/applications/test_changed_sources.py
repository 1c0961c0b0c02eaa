"""Source topics that change while an application reads them."""

from __future__ import annotations

import re
from contextlib import closing
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

# Its stubs do not export it.
from confluent_kafka.admin import AdminClient, NewPartitions  # type: ignore[attr-defined]
from pyspark.sql import SparkSession

from compat_tests.kafka.topics import create_topic
from compat_tests.spark.support import PATIENCE_S, Playground
from millstream import (
    KafkaStreams,
    MissingSourceTopicException,
    StreamsBuilder,
    StreamsException,
)


def relay(
    spark: SparkSession,
    play: Playground,
    source: str,
    target: str,
    reset: str = "earliest",
    **more: Any,
) -> KafkaStreams:
    builder = StreamsBuilder()
    builder.stream(source).to(target)
    config = play.config(auto_offset_reset=reset) | more
    return KafkaStreams(builder.build(), config, spark=spark)


def relay_of(
    spark: SparkSession, play: Playground, target: str, sources: list[str]
) -> KafkaStreams:
    builder = StreamsBuilder()
    builder.stream(sources).to(target)
    return KafkaStreams(builder.build(), play.config(), spark=spark)


def test_a_deleted_source_topic_ends_the_application_with_its_name(
    spark: SparkSession, play: Playground
) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    play.produce(source, [(b"k", b"1", 1)])
    with relay(spark, play, source, target) as streams:
        play.read(target, 1)
        admin = AdminClient({"bootstrap.servers": play.servers})
        admin.delete_topics([source])[source].result(30)

        with pytest.raises(MissingSourceTopicException, match="were deleted while it runs") as end:
            streams.wait(PATIENCE_S * 1000)
    assert f'"{source}"' in end.value.problem


def test_more_partitions_end_the_application_and_are_read_by_the_next_one(
    spark: SparkSession, play: Playground
) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    play.produce(source, [(b"k", b"1", 1)])
    with relay(spark, play, source, target) as streams:
        play.read(target, 1)
        admin = AdminClient({"bootstrap.servers": play.servers})
        (grown,) = admin.create_partitions([NewPartitions(source, 2)]).values()
        grown.result(30)
        play.produce(source, [(b"k", b"2", 2, 1), (b"k", b"3", 3, 0)])

        with pytest.raises(StreamsException, match="has got more partitions while"):
            streams.wait(PATIENCE_S * 1000)
    # A new partition is read from its beginning, also where the policy would skip its records.
    with relay(spark, play, source, target, "latest"):
        values = [value for _, value in play.pairs(target, 3, more=0.5)]
    assert set(values) == {b"1", b"2", b"3"}
    assert len(values) == 3


def test_records_that_are_deleted_in_a_pause_are_told_or_refused(
    spark: SparkSession, play: Playground, caplog: pytest.LogCaptureFixture
) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    admin = AdminClient({"bootstrap.servers": play.servers})

    def sent_and_deleted(count: int, begin: int) -> None:
        play.produce(source, [(b"k", b"v", n) for n in range(count)])
        (deleted,) = admin.delete_records([TopicPartition(source, 0, begin)]).values()
        deleted.result(30)

    play.produce(source, [(b"k", b"v", 1)])
    with relay(spark, play, source, target) as streams:
        play.read(target, 1)
        streams.pause()
        sent_and_deleted(3, 3)
        streams.resume()
        play.read(target, 2)
    told = "begins at offset 3: up to 2 records not read."
    assert any(told in message for message in caplog.messages)
    with relay(spark, play, source, target, "none") as streams:
        streams.pause()
        sent_and_deleted(2, 5)
        with pytest.raises(StreamsException, match="has deleted records"):
            streams.resume()
        assert streams.isPaused()


def test_a_topic_that_is_read_no_longer_may_be_deleted(
    spark: SparkSession, play: Playground
) -> None:
    kept, given_up, target = play.topic("in", 1), play.topic("old", 1), play.topic("out", 1)

    for topic in (kept, given_up):
        play.produce(topic, [(b"k", b"1", 1)])
    with relay_of(spark, play, target, [kept, given_up]):
        play.read(target, 2)
    admin = AdminClient({"bootstrap.servers": play.servers})
    admin.delete_topics([given_up])[given_up].result(30)
    play.produce(kept, [(b"k", b"2", 2)])
    with relay_of(spark, play, target, [kept]):
        assert play.pairs(target, 3, more=0.5)[2:] == [(b"k", b"2")]


def test_a_topic_that_is_read_again_goes_on_at_its_committed_offset(
    spark: SparkSession, play: Playground
) -> None:
    kept, again, new = play.topic("in", 1), play.topic("again", 1), play.topic("new", 1)
    target = play.topic("out", 1)
    for topic, value in ((kept, b"1"), (again, b"2"), (new, b"skipped"), (new, b"5")):
        play.produce(topic, [(b"k", value, 1)])
    with relay_of(spark, play, target, [kept, again]):
        play.read(target, 2)
    play.produce(kept, [(b"k", b"3", 2)])
    with relay_of(spark, play, target, [kept]):
        play.read(target, 3)
    play.produce(again, [(b"k", b"4", 3)])
    # What a tool has committed for a topic that was never read is obeyed as well.
    settings = {"bootstrap.servers": play.servers, "group.id": play.name}
    with closing(Consumer(settings)) as tool:
        tool.commit(offsets=[TopicPartition(new, 0, 1)], asynchronous=False)

    with relay_of(spark, play, target, [kept, again, new]):
        values = [value for _, value in play.pairs(target, 5, more=0.5)]

    assert len(values) == 5
    assert {*values} == {b"1", b"2", b"3", b"4", b"5"}


def test_a_pattern_leaves_out_what_millstream_has_on_the_broker_for_itself(
    spark: SparkSession, play: Playground
) -> None:
    source, target = play.topic("in", 1), create_topic(play.servers, f"to-{play.name}")
    builder = StreamsBuilder()
    builder.stream(re.compile(f"{play.name}.*")).to(target)
    for number in range(2):
        play.produce(source, [(b"k", b"%d" % number, number)])
        with KafkaStreams(builder.build(), play.config(), spark=spark) as streams:
            play.read(target, number + 1)
            (thread,) = streams.metadataForLocalThreads()
            (task,) = thread.activeTasks()
            assert {place.topic() for place in task.topicPartitions()} == {source}


def test_records_that_are_deleted_while_it_runs_end_it_with_the_policy_none(
    spark: SparkSession, play: Playground
) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    with relay(spark, play, source, target):
        play.produce(source, [(b"k", b"v", 1)])
        play.read(target, 1)
    # Large ones: a consumer has some megabytes ahead, which it reads all the same.
    play.produce(source, [(b"k", b"v" * 400_000, n) for n in range(60)])
    one_by_one = {"millstream.max.records.per.batch": 1}
    with relay(spark, play, source, target, "none", **one_by_one) as streams:
        play.read(target, 2)
        admin = AdminClient({"bootstrap.servers": play.servers})
        (deleted,) = admin.delete_records([TopicPartition(source, 0, 58)]).values()
        deleted.result(30)

        with pytest.raises(StreamsException, match="has deleted records") as end:
            streams.wait(PATIENCE_S * 1000)
    assert f"for topic partition {source}-0. The reset policy" in end.value.detail
