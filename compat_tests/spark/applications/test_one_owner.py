"""An application's output has one owner: resets, second instances and old checkpoints, on Spark."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.sql import SparkSession

from compat_tests.effort import witnesses
from compat_tests.kafka.topics import create_topic
from compat_tests.spark.applications.test_faults import counting
from compat_tests.spark.support import Playground, eventually
from millstream import KafkaStreams, LockException, StreamsException
from millstream.core.errors import (
    IllegalStateException,
    ProcessorStateException,
    TaskMigratedException,
)
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.checkpoint.descriptor import FILE
from millstream.topology.spark.driver import runner
from millstream.topology.spark.ownership import Mark

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

EXACTLY_ONCE = {"processing_guarantee": "exactly_once_v2", "statestore_cache_max_bytes": 0}


@dataclass
class Corner:
    """One application that counts words: its topics, and what it has written."""

    spark: SparkSession
    play: Playground
    source: str
    target: str
    sent: int = 0

    def app(self, **entries: Any) -> KafkaStreams:
        config = self.play.config(**(EXACTLY_ONCE | entries))
        return KafkaStreams(counting(self.source, self.target), config, spark=self.spark)

    def send(self, count: int = 3) -> None:
        self.play.produce(self.source, [(b"a", b"x", n, 0) for n in range(count)])
        self.sent += count

    def is_through(self) -> None:
        eventually(lambda: self.play.committed(self.play.name, self.source), {0: self.sent})

    def run(self, **entries: Any) -> None:
        """Run until all is read that was sent."""
        with self.app(**entries) as streams:
            streams.start()
            self.is_through()

    def counts(self, count: int) -> list[int]:
        found = self.play.read(self.target, count, more=0.5)
        return [int.from_bytes(m.value(), "big") for m in found]

    @property
    def checkpoint(self) -> Path:
        return self.play.directory / self.play.name / "checkpoint"

    def set_offset(self, offset: int) -> None:
        """Do what kafka-consumer-groups --reset-offsets does."""
        places = [TopicPartition(self.source, 0, offset)]
        admin = AdminClient({"bootstrap.servers": self.play.servers})
        wanted = [ConsumerGroupTopicPartitions(self.play.name, places)]
        for answer in admin.alter_consumer_group_offsets(wanted).values():
            answer.result(30)

    def delete_group(self) -> None:
        admin = AdminClient({"bootstrap.servers": self.play.servers})
        for answer in admin.delete_consumer_groups([self.play.name]).values():
            answer.result(30)


@pytest.fixture
def corner(spark: SparkSession, play: Playground) -> Corner:
    return Corner(spark, play, play.topic("in", 1), play.topic("out", 1))


def refusal(streams: KafkaStreams) -> StreamsException:
    with pytest.raises(StreamsException) as caught:
        streams.start()
    assert streams.state().name == "ERROR"
    return caught.value


@pytest.mark.long
def test_a_deleted_group_is_refused_and_after_clean_up_read_anew(corner: Corner) -> None:
    corner.send()
    corner.run()
    corner.delete_group()
    assert "are gone" in refusal(corner.app()).problem

    streams = corner.app()
    streams.cleanUp()
    with streams:
        streams.start()
        corner.is_through()
        with pytest.raises(IllegalStateException, match="while running"):
            streams.cleanUp()
        with pytest.raises(IllegalStateException, match="while running"):
            corner.app().cleanUp()
    assert corner.counts(6) == [1, 2, 3, 1, 2, 3]


def test_reset_offsets_are_refused_and_after_clean_up_obeyed(corner: Corner) -> None:
    corner.send()
    corner.run()
    corner.set_offset(1)
    error = refusal(corner.app())
    assert "were changed by another program" in error.problem
    assert "is committed up to offset 1; the checkpoint has read up to 3" in error.detail
    assert "cleanUp()" in error.hint

    corner.app().cleanUp()
    corner.run()
    assert corner.counts(5) == [1, 2, 3, 1, 2]
    corner.set_offset(3)
    corner.send(1)
    corner.run()
    assert corner.counts(6) == [1, 2, 3, 1, 2, 3]


@pytest.mark.parametrize("offset", [1, None])
def test_a_start_after_one_that_was_killed_before_its_first_batch_begins_where_it_is_told(
    corner: Corner, offset: int | None
) -> None:
    """Spark has noted where the first start would have begun."""
    corner.send()
    with corner.app(auto_offset_reset="latest") as streams:
        streams.start()
        eventually((corner.checkpoint / "sources/0/0").exists, True)
    for name in ("offsets", "commits", "state"):
        shutil.rmtree(corner.checkpoint / name, ignore_errors=True)
    if offset is not None:
        corner.set_offset(offset)
    corner.run()
    assert corner.counts(3 - (offset or 0)) == list(range(1, 4 - (offset or 0)))


@pytest.mark.long
def test_a_checkpoint_that_only_spark_can_read_is_emptied_as_well(
    corner: Corner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "local_files", lambda _: None)
    corner.send()
    corner.run()
    corner.set_offset(0)
    assert "were changed by another program" in refusal(corner.app()).problem
    corner.app().cleanUp()
    corner.run()
    assert corner.counts(6) == [1, 2, 3, 1, 2, 3]


@pytest.mark.long
def test_clean_up_alone_keeps_what_was_counted(corner: Corner) -> None:
    corner.send()
    corner.run()
    corner.app().cleanUp()
    corner.send(1)
    corner.run()
    assert corner.counts(4) == [1, 2, 3, 4]


@pytest.mark.parametrize("guarantee", witnesses(["exactly_once_v2", "at_least_once"], 2))
def test_a_second_instance_is_refused_and_may_take_over(corner: Corner, guarantee: str) -> None:
    elsewhere = str(corner.play.directory / "elsewhere")
    entries = {"processing_guarantee": guarantee}
    corner.send()
    first = corner.app(**entries)
    failures: list[Exception] = []
    first.setUncaughtExceptionHandler(failures.append)
    with suppress(TaskMigratedException), first:
        first.start()
        corner.is_through()
        with pytest.raises(LockException, match="another instance"):
            corner.app(**entries).start()
        copied = corner.play.directory / "copied"
        shutil.copytree(corner.play.directory / corner.play.name, copied / corner.play.name)
        error = refusal(corner.app(state_dir=str(copied), **entries))
        assert "is a copy of" in error.problem
        error = refusal(corner.app(state_dir=elsewhere, **entries))
        assert "belongs to another checkpoint" in error.problem
        assert str(corner.checkpoint) in error.detail
        corner.send(1)
        corner.is_through()
        assert first.state().name == "RUNNING"

        adopting = {"millstream_checkpoint_adopt": "true", "state_dir": elsewhere}
        with corner.app(**adopting, **entries) as second:
            second.start()
            corner.send(1)
            corner.is_through()
            eventually(lambda: first.state().name, "ERROR")
            corner.send(1)
            corner.is_through()
            assert second.state().name == "RUNNING"
    assert [type(failure) for failure in failures] == [TaskMigratedException]
    # Its stores began empty, as it was told; nothing was written twice.
    assert corner.counts(6) == [1, 2, 3, 4, 1, 2]
    # It was the second one that went on, so the first one's checkpoint is out.
    assert "belongs to another checkpoint" in refusal(corner.app(**entries)).problem


def test_stores_do_not_begin_empty_unseen_where_their_checkpoint_is_gone(corner: Corner) -> None:
    corner.send()
    corner.run()
    shutil.rmtree(corner.play.directory / corner.play.name)
    corner.send(1)
    for prepared in (lambda streams: None, lambda streams: streams.cleanUp()):
        streams = corner.app()
        prepared(streams)
        assert "and with it the entries of its stores" in refusal(streams).problem
    corner.run(millstream_checkpoint_adopt=True)
    assert corner.counts(4) == [1, 2, 3, 1]


def test_an_old_checkpoint_is_refused_until_the_user_adopts_it(corner: Corner) -> None:
    corner.send()
    corner.run()
    backup = corner.play.directory / "backup"
    shutil.copytree(corner.checkpoint, backup)
    corner.send(2)
    corner.run()
    shutil.rmtree(corner.checkpoint)
    shutil.copytree(backup, corner.checkpoint)

    error = refusal(corner.app())
    assert "is older than what" in error.problem
    assert "Batch 1 has been written, and it is at batch 0." in error.detail
    corner.send(1)
    corner.run(millstream_checkpoint_adopt=True)
    assert corner.counts(8) == [1, 2, 3, 4, 5, 4, 5, 6]
    corner.run()


@pytest.mark.long
def test_a_checkpoint_newer_than_the_broker_is_refused(corner: Corner) -> None:
    corner.send()
    corner.run()
    # As if the broker's offsets came from a backup.
    group = Group(corner.app()._config)
    claim = group.claim()
    assert claim is not None
    mark = Mark(claim.checkpoint, "w").text()
    group.commit(claim, {(corner.source, 0): 2}, {0: 0}, mark)
    assert "is newer than the committed offsets" in refusal(corner.app()).problem

    group.commit(claim, {(corner.source, 0): 3}, {0: 1}, mark)
    admin = AdminClient({"bootstrap.servers": corner.play.servers})
    admin.delete_topics([corner.source])[corner.source].result(30)
    eventually(lambda: corner.source in admin.list_topics().topics, expected=False)
    create_topic(corner.play.servers, corner.source)
    corner.sent = 0
    corner.send(7)
    error = refusal(corner.app())
    assert "is not the one that checkpoint" in error.problem
    assert 'has another topic id than "millstream-topics.json"' in error.detail
    corner.app().cleanUp()
    corner.run()
    assert corner.counts(10) == [1, 2, 3, 1, 2, 3, 4, 5, 6, 7]


def test_a_reset_while_it_runs_is_not_overlooked(corner: Corner) -> None:
    corner.send()
    streams = corner.app()
    failures: list[Exception] = []
    streams.setUncaughtExceptionHandler(failures.append)
    with suppress(StreamsException), streams:
        streams.start()
        corner.is_through()
        corner.set_offset(1)
        corner.send(1)
        eventually(lambda: streams.state().name, "ERROR")
    assert "were set by another program while the application runs" in str(failures[0])
    assert corner.counts(3) == [1, 2, 3]


def _damage(path: Path, how: str) -> None:
    if how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    else:
        path.unlink()


def test_a_damaged_file_is_named_with_what_is_lost_and_how_to_go_on(corner: Corner) -> None:
    corner.send()
    corner.run()
    backup = corner.play.directory / "backup"
    shutil.copytree(corner.checkpoint, backup)
    cases = [
        (FILE, "cut", "It describes the topology", "from a copy"),
        (FILE, "gone", "It describes the topology", "from a copy"),
        ("offsets/0", "empty", "The source positions are lost", "from a copy"),
        ("offsets/0", "cut", "The source positions are lost", "from a copy"),
        ("offsets/0", "gone", "the batch was committed", "from a copy"),
        ("commits/0", "empty", "Whether batch 0 has ended is lost", 'Delete "commits/0"'),
        ("commits/0", "cut", "Whether batch 0 has ended is lost", 'Delete "commits/0"'),
        ("metadata", "empty", "Only Spark's id of the query is lost", 'Delete "metadata"'),
        ("metadata", "cut", "Only Spark's id of the query is lost", 'Delete "metadata"'),
    ]
    for path, how, lost, way in cases:
        _damage(corner.checkpoint / path, how)
        error = refusal(corner.app())
        assert f'"{path}"' in error.problem
        assert lost in error.detail
        assert way in error.hint
        shutil.rmtree(corner.checkpoint)
        shutil.copytree(backup, corner.checkpoint)
    # It is as the hints for the commit log and the query's id say.
    for path in ("commits/0", "commits/.0.crc", "metadata", ".metadata.crc"):
        (corner.checkpoint / path).unlink()
    corner.send(1)
    corner.run()
    assert corner.counts(4) == [1, 2, 3, 4]


def test_a_checkpoint_that_was_moved_goes_on_at_its_place(corner: Corner) -> None:
    corner.send()
    corner.run()
    elsewhere = corner.play.directory / "elsewhere"
    elsewhere.mkdir()
    shutil.move(corner.play.directory / corner.play.name, elsewhere)
    for _ in range(2):
        corner.send(1)
        corner.run(state_dir=str(elsewhere))
    assert corner.counts(5) == [1, 2, 3, 4, 5]


@pytest.mark.long
def test_a_damaged_file_of_the_state_is_named_as_well(corner: Corner) -> None:
    for _ in range(2):
        corner.send()
        corner.run()
    (changelog,) = corner.checkpoint.glob("state/0/0/2_*.changelog")
    changelog.unlink()
    shutil.rmtree(corner.play.directory / corner.play.name / "slots")
    corner.send(1)
    streams = corner.app()
    failures: list[Exception] = []
    streams.setUncaughtExceptionHandler(failures.append)
    with suppress(ProcessorStateException), streams:
        streams.start()
        eventually(lambda: streams.state().name, "ERROR")
    (failure,) = failures
    assert isinstance(failure, ProcessorStateException)
    assert changelog.name in failure.problem
    assert "The contents of stores" in failure.detail
    assert "from a copy" in failure.hint
