"""What Kafka's Java clients take for a setting does not keep librdkafka from making a client."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from millstream import StreamsConfig
from millstream.topology.spark.clients.fitted import with_transactions
from millstream.topology.spark.clients.settings import (
    client_settings,
    consumer_settings,
    producer_settings,
)

REQUIRED = {"application.id": "app", "bootstrap.servers": "127.0.0.1:1"}
LONG, INT = 2**63 - 1, 2**31 - 1


@pytest.mark.parametrize(
    "entry",
    [
        {"connections.max.idle.ms": -1},
        {"connections.max.idle.ms": LONG},
        {"metadata.max.age.ms": 0},
        {"metadata.max.age.ms": LONG},
        {"retry.backoff.ms": 0},
        {"retry.backoff.ms": LONG},
        {"reconnect.backoff.ms": 60_000},
        {"reconnect.backoff.ms": LONG},
        {"reconnect.backoff.max.ms": LONG},
        {"send.buffer.bytes": -1, "receive.buffer.bytes": INT},
        {"request.timeout.ms": 0},
        {"request.timeout.ms": INT},
        {"producer.acks": "1"},
        {"producer.retries": 0},
        {"producer.batch.size": 0},
        {"producer.linger.ms": LONG},
        {"producer.max.request.size": 0},
        {"producer.max.request.size": INT},
        {"producer.delivery.timeout.ms": INT},
        {"producer.transaction.timeout.ms": 0},
        {"producer.enable.idempotence": False, "max.in.flight.requests.per.connection": 9},
    ],
    ids=str,
)
def test_every_client_can_be_made(entry: dict[str, Any]) -> None:
    config = StreamsConfig(REQUIRED | entry)
    Producer(producer_settings(config))
    Producer(with_transactions(producer_settings(config), "id"))
    AdminClient(client_settings(config))
    assert consumer_settings(config, "group")["group.id"] == "group"


@pytest.mark.parametrize("prefix", ["", "producer."])
def test_a_producers_setting_needs_no_prefix_as_in_kafka(prefix: str) -> None:
    config = StreamsConfig({**REQUIRED, f"{prefix}linger.ms": 7, f"{prefix}request.timeout.ms": 8})
    settings = producer_settings(config)
    assert (settings["linger.ms"], settings["request.timeout.ms"]) == (7, 8)


def test_sizes_of_buffers_reach_every_client() -> None:
    settings = client_settings(StreamsConfig({**REQUIRED, "send.buffer.bytes": 70_000}))
    assert settings["socket.send.buffer.bytes"] == 70_000
