"""Answers of the broker in which a single partition failed."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import KafkaError, TopicPartition

from millstream import StreamsConfig, StreamsException
from millstream.topology.spark.clients import consumers
from millstream.topology.spark.driver.brokers import Brokers


class OnePartitionFails:
    """Stands in for a consumer whose answer has an error in its second partition only."""

    def committed(self, asked: list[TopicPartition], timeout: float) -> list[Any]:
        return [Answer(each, each.partition == 1) for each in asked]

    offsets_for_times = committed

    def poll(self, timeout: float) -> None:
        """Return no record."""

    def close(self) -> None:
        """Close nothing."""


class Answer:
    def __init__(self, asked: TopicPartition, failed: bool) -> None:
        self.topic, self.partition = asked.topic, asked.partition
        self.offset = -1001 if failed else 7
        self.error = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED) if failed else None


@pytest.mark.parametrize("ask", [lambda b, p: b.committed(p), lambda b, p: b.at_time(p, 5)])
def test_an_error_of_one_partition_is_not_taken_for_no_offset(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = StreamsConfig({"application.id": "a", "bootstrap.servers": "localhost:1"})
    monkeypatch.setattr(consumers, "Consumer", lambda settings: OnePartitionFails())
    with pytest.raises(StreamsException, match="offsets"):
        ask(Brokers(config), [("in", 0), ("in", 1)])
