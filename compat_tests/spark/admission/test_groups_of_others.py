"""A group, or the name of an internal topic, that another program has."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer

from compat_tests.kafka.topics import create_topic
from compat_tests.spark.support import Playground
from millstream import StreamsConfig, StreamsException
from millstream.testing.broker import wait_for
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.driver.brokers import Brokers
from millstream.topology.spark.ownership import Claim


def test_a_group_with_members_of_another_program_is_told(play: Playground) -> None:
    topic = play.topic("in", 1)
    config = StreamsConfig(play.config())
    Brokers(config).create_progress_topics(1, {})
    claim = Claim(
        number=1,
        checkpoint="checkpoint",
        instance="instance",
        host="host",
        machine="machine",
        location="",
    )
    other = Consumer({"bootstrap.servers": play.servers, "group.id": play.name})
    other.subscribe([topic])

    def joined() -> bool:
        other.poll(0.1)
        return bool(other.assignment())

    wait_for(joined, 60)
    with pytest.raises(StreamsException, match="cannot commit the offsets of group") as caught:
        Group(config).commit(claim)
    assert caught.value.hint.startswith("The group has members: another program has this app")
    other.close()
    Group(config).commit(claim)
    assert Group(config).claim() == claim


def test_a_name_that_collides_with_that_of_another_application_is_told(play: Playground) -> None:
    name = play.name.replace("-", ".")
    create_topic(play.servers, f"{name.replace('.', '_')}-millstream-owner")
    config = StreamsConfig(play.config(application_id=name))
    with pytest.raises(StreamsException, match="cannot create internal topic") as caught:
        Brokers(config).create_progress_topics(1, {})
    assert caught.value.hint.startswith("Names of topics that differ only in '.' and '_' collide.")
