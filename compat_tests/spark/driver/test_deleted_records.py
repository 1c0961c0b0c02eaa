"""Records that the broker has deleted before an application has read them."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from compat_tests.spark.support import Playground
from millstream import StreamsConfig, StreamsException, Topology
from millstream.topology.spark.driver.brokers import EARLIEST, LATEST
from millstream.topology.spark.driver.deleted_records import check_unread


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
