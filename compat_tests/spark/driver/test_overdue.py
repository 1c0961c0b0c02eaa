"""What a batch that does not end waits for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topic
from millstream import BrokerNotFoundException, StreamsConfig
from millstream.testing.broker import wait_for
from millstream.topology.spark.driver import overdue
from millstream.topology.spark.driver.overdue import OverdueBatch


class Running:
    """An application whose clock stands still between two looks."""

    def __init__(
        self,
        servers: str = "none:1",
        *topics: str,
        application_id: str = "app",
        guarantee: str = "at_least_once",
    ) -> None:
        self.now = 0.0
        entries = {"bootstrap.servers": servers, "processing.guarantee": guarantee}
        config = StreamsConfig({"application.id": application_id} | entries)
        self.overdue = OverdueBatch(config, lambda: topics, lambda: self.now, lambda: ["in"])

    def look(self, batch: object, at: float) -> str:
        self.now = at
        # Equal to what it was, but not the same.
        self.overdue.look(lambda: None if batch is None else (batch, "doing"))
        if self.overdue._asking is not None:
            self.overdue._asking.join()
        return self.overdue.reason


def partition(*, leader: int = 1, replicas: int = 3, in_sync: int = 3) -> Any:
    return SimpleNamespace(leader=leader, replicas=[*range(replicas)], isrs=[*range(in_sync)])


def topics(monkeypatch: pytest.MonkeyPatch, **found: Any) -> None:
    known = {name: SimpleNamespace(partitions={0: each}) for name, each in found.items()}
    monkeypatch.setattr(overdue, "all_topics", lambda settings, timeout_s: known)


def test_a_topic_to_write_to_that_is_gone_is_told_once_while_the_batch_runs(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    topics(monkeypatch, other=partition())
    running = Running("none:1", "out", "other")
    assert running.look("batch 1", 0) == running.look("batch 1", 4) == ""
    said = 'topic "out" to write to does not exist; its records wait for about a minute until it '
    assert running.look("batch 1", 5) == f"{said}is created"
    assert running.look("batch 1", 11) == f"{said}is created"
    assert caplog.messages == [f"app: a batch waits: {said}is created"]
    assert running.look("batch 2", 12) == ""
    assert running.look("batch 2", 16) == ""
    topics(monkeypatch, out=partition(), other=partition())
    assert running.look("batch 2", 17) == ""


def test_without_a_batch_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overdue, "all_topics", None)
    running = Running()
    for seconds in range(60):
        assert running.look(None, seconds) == ""
    assert running.overdue._asking is None


def test_a_batch_that_takes_long_is_looked_at_less_and_less(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float] = []
    running = Running()

    def note(settings: Any, timeout_s: float) -> dict[str, Any]:
        asked.append(running.now)
        return {}

    monkeypatch.setattr(overdue, "all_topics", note)
    for seconds in range(200):
        running.look("batch", seconds)
    assert asked == [5, 15, 35, 75, 135, 195]


def test_a_broker_that_does_not_answer_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def silent(settings: Any, timeout_s: float) -> None:
        raise BrokerNotFoundException("no broker answers")

    monkeypatch.setattr(overdue, "all_topics", silent)
    running = Running()
    running.look("batch", 0)
    assert running.look("batch", 5) == "Kafka does not answer"
    assert caplog.messages == ["app: a batch waits: Kafka does not answer"]
    topics(monkeypatch)
    assert running.look("batch", 11) == ""


def test_partitions_without_leader_or_replicas_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    running = Running("none:1", "out")
    topics(monkeypatch, out=partition(leader=-1))
    running.look("batch", 0)
    assert running.look("batch", 5) == 'partition 0 of topic "out" to write to has no leader'

    topics(monkeypatch, out=partition(), **{"in": partition(leader=-1)})
    assert running.look("batch", 10) == 'partition 0 of topic "in" to read has no leader'

    monkeypatch.setattr(running.overdue, "_needed", lambda names: dict.fromkeys(names, 2))
    topics(monkeypatch, out=partition(in_sync=1))
    assert running.look("batch", 15) == (
        'partition 0 of topic "out" to write to has 1 replicas in sync, and its '
        "min.insync.replicas is 2"
    )
    topics(monkeypatch, out=partition(in_sync=2))
    assert running.look("batch", 21) == ""


@pytest.mark.broker
def test_a_real_broker_tells_what_a_topic_needs(kafka: KafkaServer) -> None:
    create_topic(kafka.bootstrap_servers, "overdue-out")
    running = Running(kafka.bootstrap_servers, "overdue-out", "overdue-none")
    assert running.overdue._needed(["overdue-out"]) == {"overdue-out": 1}
    running.look("batch", 0)
    wait_for(lambda: "overdue-none" in running.look("batch", running.now + 61), 30)


@pytest.mark.broker
def test_a_transaction_that_holds_offsets_back_is_told(kafka: KafkaServer) -> None:
    servers = kafka.bootstrap_servers
    tokens = create_topic(servers, "held-back-millstream-progress", partitions=2)
    running = Running(servers, application_id="held-back", guarantee="exactly_once_v2")
    running.look("batch", 0)
    assert running.look("batch", 5) == ""

    producer = Producer({"bootstrap.servers": servers, "transactional.id": "held-back-1"})
    producer.init_transactions(30)
    producer.begin_transaction()
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "held-back"})
    offsets = [TopicPartition(tokens, 1, 7)]
    producer.send_offsets_to_transaction(offsets, consumer.consumer_group_metadata(), 30)
    # A sink that writes holds them back, too.
    assert running.look("batch", 66) == ""
    assert "kafka-transactions find-hanging" in running.look("batch", 127)

    producer.abort_transaction(30)
    consumer.close()
    wait_for(lambda: running.look("batch", running.now + 61) == "", 30)
