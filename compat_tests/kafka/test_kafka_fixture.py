"""The Kafka of the tests, whichever kind it is, behaves as a Kafka."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from compat_tests.kafka.fixture import KafkaServer, kafka_server
from compat_tests.kafka.topics import create_topic, topics


def test_committed_records_are_seen_and_aborted_ones_are_not(kafka: KafkaServer) -> None:
    topic = create_topic(kafka.bootstrap_servers, "fixture-transactions")
    write(kafka, topic, "a", commit=True)
    write(kafka, topic, "b", commit=False)
    write(kafka, topic, "c", commit=True)

    assert read(kafka, topic, "read_committed") == ["a", "c"]
    assert read(kafka, topic, "read_uncommitted") == ["a", "b", "c"]


def test_a_record_of_any_time_is_taken(kafka: KafkaServer) -> None:
    topic = create_topic(kafka.bootstrap_servers, "fixture-times")
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    for value, timestamp_ms in (("1970", 10), ("3000", 32_503_680_000_000)):
        producer.produce(topic, value=value, timestamp=timestamp_ms)
    assert producer.flush(30) == 0

    assert read(kafka, topic, "read_committed") == ["1970", "3000"]


@pytest.mark.broker
def test_data_and_port_survive_a_kill() -> None:
    with kafka_server() as own:
        before = own.bootstrap_servers
        create_topic(before, "kept")
        own.kill()
        own.restart()
        assert (own.bootstrap_servers, topics(before)) == (before, {"kept"})


def write(kafka: KafkaServer, topic: str, value: str, *, commit: bool) -> None:
    settings = {"bootstrap.servers": kafka.bootstrap_servers, "transactional.id": topic}
    producer = Producer(settings)
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, value=value)
    producer.flush(30)
    (producer.commit_transaction if commit else producer.abort_transaction)(30)


def read(kafka: KafkaServer, topic: str, isolation: str) -> list[str]:
    """All values of the topic's only partition."""
    consumer = Consumer(
        {
            "bootstrap.servers": kafka.bootstrap_servers,
            "group.id": "reader",
            "isolation.level": isolation,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    values: list[str] = []
    while (message := consumer.poll(30)) is not None and message.error() is None:
        values.append((message.value() or b"").decode())
    consumer.close()
    return values
