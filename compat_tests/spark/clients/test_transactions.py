"""A transactional producer is connected before it asks for its coordinator."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import KafkaError, Producer
from confluent_kafka import KafkaException as ClientException

from millstream.core.config import StreamsConfig
from millstream.topology.spark.clients.settings import client_settings, producer_settings
from millstream.topology.spark.clients.transactions import init_transactions


class _Producer:
    def __init__(self, refusal: KafkaError | None = None) -> None:
        self.calls: list[tuple[str, Any]] = []
        self._refusal = refusal

    def list_topics(self, topic: str, timeout: float) -> None:
        self.calls.append(("list_topics", topic))
        if self._refusal is not None:
            raise ClientException(self._refusal)

    def init_transactions(self, timeout: float) -> None:
        self.calls.append(("init_transactions", timeout))


def test_it_has_a_connection_that_stays_before_it_asks_for_the_coordinator() -> None:
    producer: Any = _Producer()
    init_transactions(producer, "there", 7)
    # The connection of the first answer ends: it is that to the bootstrap server's name.
    assert producer.calls == [("list_topics", "there")] * 2 + [("init_transactions", 7)]


def test_without_a_broker_the_call_that_counts_is_made_all_the_same() -> None:
    producer: Any = _Producer(KafkaError(KafkaError._TRANSPORT))
    init_transactions(producer, "there", 7)
    assert [name for name, _ in producer.calls] == ["list_topics", "init_transactions"]


@pytest.mark.parametrize("settings", [client_settings, producer_settings])
def test_a_second_attempt_to_connect_comes_soon_unless_an_application_says_otherwise(
    settings: Any,
) -> None:
    plain = {"application.id": "app", "bootstrap.servers": "broker:9092"}
    assert settings(StreamsConfig(plain))["reconnect.backoff.ms"] == 20
    given = StreamsConfig(plain | {"reconnect.backoff.ms": 300})
    assert settings(given)["reconnect.backoff.ms"] == 300


@pytest.mark.parametrize("longest", [0, "5"])
@pytest.mark.parametrize("prefix", ["", "producer."])
def test_a_longest_pause_below_the_first_one_makes_a_client_as_in_java(
    prefix: str, longest: object
) -> None:
    config = StreamsConfig(
        {
            "application.id": "app",
            "bootstrap.servers": "broker:9092",
            f"{prefix}reconnect.backoff.max.ms": longest,
        }
    )
    found = producer_settings(config)
    assert found["reconnect.backoff.ms"] == int(str(longest))
    Producer(found)
