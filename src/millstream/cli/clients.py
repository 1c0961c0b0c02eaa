"""Clients of the broker for the subcommands, with millstream's errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from confluent_kafka import KafkaException as ClientException

from millstream.core.config import StreamsConfig
from millstream.core.errors import IllegalArgumentException
from millstream.topology.spark.clients.connecting import all_topics
from millstream.topology.spark.clients.settings import client_settings, raise_kafka_error

TIMEOUT_S = 10.0


def known_topics(config: StreamsConfig, timeout_s: float = TIMEOUT_S) -> dict[str, int]:
    """Return the partition counts of all topics.

    Raises:
        BrokerNotFoundException: No broker answers.
        StreamsException: The broker refuses the user, or its certificate is not trusted.
    """
    found: Mapping[str, Any] = all_topics(client_settings(config), timeout_s)
    return {name: len(topic.partitions) for name, topic in found.items()}


def partitions_of(config: StreamsConfig, topic: str) -> int:
    """Return the partition count of a topic.

    Raises:
        IllegalArgumentException: The topic does not exist.
    """
    sizes = known_topics(config)
    if topic not in sizes:
        close = ", ".join(sorted(name for name in sizes if not name.startswith("__"))[:10])
        raise IllegalArgumentException(
            f'there is no topic "{topic}"',
            detail=f"The broker has: {close or 'none'}.",
            hint="millstream topics create makes the topics of a topology.",
        )
    return sizes[topic]


@contextmanager
def client_errors(problem: str) -> Iterator[None]:
    """Turn a client's errors into millstream's.

    Raises:
        StreamsException: The broker refuses or does not answer.
    """
    try:
        yield
    except ClientException as error:
        raise_kafka_error(problem, error)
