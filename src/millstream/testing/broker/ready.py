"""Check that a Kafka broker answers."""

from __future__ import annotations

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient


def answers(bootstrap_servers: str, *, timeout_s: float) -> bool:
    """Tell whether a broker answers a metadata request within `timeout_s`."""
    settings: dict[str, str | int | float | bool] = {
        "bootstrap.servers": bootstrap_servers,
        "reconnect.backoff.ms": 20,
        "reconnect.backoff.max.ms": 100,
        "log_level": 0,
    }
    try:
        return bool(AdminClient(settings).list_topics(timeout=timeout_s).brokers)
    except KafkaException:
        return False
