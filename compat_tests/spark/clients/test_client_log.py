"""Lines of librdkafka: in Python's log at level INFO, not raw on the terminal."""

from __future__ import annotations

import logging

import pytest
from confluent_kafka import KafkaException, Producer

from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topic
from millstream.topology.spark.clients.client_log import ClientLog

FENCED = "fenced"


def fence(server: KafkaServer, topic: str, own: dict[str, object]) -> None:
    """Let one producer be fenced by another: librdkafka calls that fatal."""
    settings = {"bootstrap.servers": server.bootstrap_servers, "transactional.id": topic}
    first = Producer(settings | own)
    first.init_transactions(30)
    second = Producer(settings)
    second.init_transactions(30)
    first.begin_transaction()
    first.produce(topic, b"late")
    with pytest.raises(KafkaException, match="fenced"):
        first.commit_transaction(30)
    first.poll(1)


def test_what_is_fatal_to_a_client_is_logged_and_not_printed(
    kafka: KafkaServer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    topic = "client-log"
    create_topic(kafka.bootstrap_servers, topic)
    fence(kafka, topic, {"log_level": 2})
    raw = capfd.readouterr().err
    assert FENCED in raw, "librdkafka prints nothing by itself any more: the logger is not needed"
    with caplog.at_level(logging.INFO):
        fence(kafka, topic, {"log_level": 2, "logger": ClientLog()})
    assert FENCED not in capfd.readouterr().err
    lines = [each for each in caplog.records if each.name.endswith("client_log")]
    assert {each.levelno for each in lines} == {logging.INFO}
    assert any(each.getMessage().startswith("librdkafka ") for each in lines)
    assert any(FENCED in each.getMessage() for each in lines)
