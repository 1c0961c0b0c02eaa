"""Records that the broker has deleted before an application has read them."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from compat_tests.spark.support import Playground
from millstream import StreamsConfig, StreamsException, Topology
from millstream.topology.spark.driver.brokers import EARLIEST, LATEST
from millstream.topology.spark.driver.deleted_records import DeletedRecords, check_unread


@pytest.fixture
def topic(play: Playground) -> str:
    """Return a topic whose partition 1 begins at offset 6."""
    name = play.topic("text")
    play.produce(name, [(b"k", b"v", 1, n % 2) for n in range(20)])
    admin = AdminClient({"bootstrap.servers": play.servers})
    (deleted,) = admin.delete_records([TopicPartition(name, 1, 6)]).values()
    deleted.result(30)
    return name


def check(play: Playground, topic: str, offsets: dict[int, int], **entries: Any) -> None:
    plan = Topology().addSource("source", topic).addSink("sink", topic, "source").plan()
    check_unread(plan, StreamsConfig(play.config(**entries)), {topic: offsets})


def test_records_that_are_gone_are_told(
    play: Playground, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    check(play, topic, {0: 0, 1: 4})

    (warned,) = caplog.messages
    assert warned.startswith(f"{play.name}: the broker has deleted records")
    assert warned.endswith(
        f'Partition 1 of topic "{topic}" begins at offset 6: up to 2 records not read.'
    )


@pytest.mark.parametrize("offset", [6, 10, EARLIEST, LATEST])
def test_nothing_is_told_where_nothing_is_gone(
    play: Playground, topic: str, caplog: pytest.LogCaptureFixture, offset: int
) -> None:
    check(play, topic, {0: 3, 1: offset}, auto_offset_reset="none")

    assert not caplog.messages


def test_the_policy_none_refuses(play: Playground, topic: str) -> None:
    with pytest.raises(StreamsException, match="has deleted records") as refused:
        check(play, topic, {0: 0, 1: 5}, auto_offset_reset="none")

    assert "up to 1 record not read. The reset policy of the topic is none." in refused.value.detail


class Running:
    """A query that reports batches, and what they did not find."""

    def __init__(self) -> None:
        self.batch = 0
        self.now = 0.0
        self.gone = ""
        config = StreamsConfig({"application.id": "app", "bootstrap.servers": "none:1"})
        self.deleted = DeletedRecords(config, lambda: self.now)

    def look(self, gone: str, *, at_once: bool = False) -> int:
        self.batch, self.gone = self.batch + 1, gone
        self.deleted.look(lambda: self.batch, self.progress, at_once=at_once)
        return self.deleted.count

    def progress(self) -> dict[str, Any]:
        return {"sources": [{"metrics": None}, {"metrics": {"millstreamGone": self.gone}}]}


def test_records_that_are_deleted_while_it_runs_are_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    running = Running()
    assert running.look("") == 0
    running.now = 1
    assert running.look("t 0 5 9") == 4
    assert caplog.messages[-1] == (
        "app: the broker has deleted records that the application has not read (retention) while "
        "it runs; it goes on with the oldest that are left. "
        'Partition 0 of topic "t", offsets 5 to 8: up to 4 records not read.'
    )
    running.now = 2
    # Spark reports it for a while, and a repeated batch again.
    assert running.look("t 0 5 9,t 0 5 9") == 4
    running.now = 3
    assert running.look("t 0 5 9,t 0 12 13,t 1 0 2,u 0 0 2") == 9
    running.now = 4
    assert running.look("t 0 14 16,u 1 0 2") == 13
    assert len(caplog.messages) == 1
    # One batch after another finds less than there was: that is told from time to time.
    running.now = 40
    assert running.look("") == 13
    assert len(caplog.messages) == 2
    assert caplog.messages[-1].split("left. ")[1] == (
        'Partition 0 of topic "t", offsets 12 to 15: up to 3 records not read. '
        'Partition 1 of topic "t", offsets 0 to 1: up to 2 records not read. '
        'Partition 0 of topic "u", offsets 0 to 1: up to 2 records not read. '
        "And 1 more place, with up to 2 records."
    )


def test_the_last_batch_before_the_end_is_looked_at_too() -> None:
    running = Running()
    assert running.look("") == 0
    assert running.look("t 0 5 9") == 0
    assert running.look("t 0 5 9", at_once=True) == 4


def test_what_the_start_has_told_is_not_told_again(
    play: Playground, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    plan = Topology().addSource("source", topic).addSink("sink", topic, "source").plan()
    running = Running()
    running.deleted = DeletedRecords(StreamsConfig(play.config()))
    running.deleted.check(plan, {topic: {0: 0, 1: 4}})
    assert running.look(f"{topic} 1 4 6", at_once=True) == 2
    assert running.look(f"{topic} 1 4 7", at_once=True) == 3
    assert caplog.messages[1:] == [caplog.messages[-1]]
    assert "offsets 6 to 6" in caplog.messages[-1]
