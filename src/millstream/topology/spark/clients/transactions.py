"""Beginning of a transactional producer's life: its transactional id becomes its own."""

from __future__ import annotations

from contextlib import suppress

from confluent_kafka import KafkaException as ClientException
from confluent_kafka import Producer

from millstream.topology.spark.clients.deadlines import in_time

_CONNECTED_S = 1.0
_LOOKS = 2


def init_transactions(producer: Producer, known_topic: str, timeout_s: float) -> None:
    """Make a producer the only one with its transactional id; older ones are fenced.

    librdkafka asks for the transaction coordinator at once, and again after 500 ms if it has no
    connection at that moment. In two of five cases it has none: it leaves the bootstrap connection
    when it has learned the brokers' names. So it is connected first. The second of two questions
    about a topic is answered over a connection that stays.

    Args:
        producer: The producer, just made.
        known_topic: A topic that exists; the question would create it otherwise.
        timeout_s: How long to wait for the coordinator.

    Raises:
        ClientException: Kafka refuses, or does not answer.
        TimeoutException: The call did not return.
    """

    def call() -> None:
        # Without a broker the call that counts says what is wrong.
        with suppress(ClientException):
            for _ in range(_LOOKS):
                producer.list_topics(known_topic, _CONNECTED_S)
        producer.init_transactions(timeout_s)

    in_time("init_transactions", call)
