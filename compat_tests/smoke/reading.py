"""Reading of topics from outside: what is committed, and what hangs."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from confluent_kafka import Consumer, IsolationLevel, TopicPartition

# Its stubs do not export it.
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]

from compat_tests.smoke.data import PARTITIONS
from compat_tests.smoke.topology import DOUBLE, INT, LONG, SPARE, TEXT
from compat_tests.smoke.verifier import Read

SERDES: dict[str, Any] = {
    **dict.fromkeys(("customers", "orders", "payments", "joined", "once"), TEXT),
    **dict.fromkeys(("sum", "cnt", "tagg", "priced", "hopped"), LONG),
    **dict.fromkeys(("data", "echo", "min", "max", "dif", "sws-suppressed"), INT),
    **dict.fromkeys(("min-suppressed", "rates", "trades", "hops", SPARE), INT),
    "avg": DOUBLE,
    "spread": DOUBLE,
}
"""Topic -> serde of its values."""


def read_value(topic: str, blob: bytes | None) -> Any:
    """Return a value of a topic."""
    return SERDES[topic].deserializer().deserialize(topic, blob)


def ends(
    servers: str, topics: Iterable[str], *, committed: bool = True, partitions: int = PARTITIONS
) -> dict[str, int]:
    """Return the end offsets by ``topic-partition``: of what is committed, or of all."""
    level = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
    places = [TopicPartition(topic, n) for topic in topics for n in range(partitions)]
    admin = AdminClient(
        {"bootstrap.servers": servers, "log_level": 2, "reconnect.backoff.max.ms": 500}
    )
    asked: Any = admin.list_offsets(
        {place: OffsetSpec.latest() for place in places},  # type: ignore[no-untyped-call]
        isolation_level=level,
        request_timeout=20,
    )
    return {f"{at.topic}-{at.partition}": done.result().offset for at, done in asked.items()}


def topics_of(servers: str) -> list[str]:
    """Return the topics of a broker that applications read and write, internal ones included."""
    known = AdminClient({"bootstrap.servers": servers, "log_level": 2}).list_topics(timeout=20)
    return sorted(topic for topic in known.topics if not topic.startswith("__"))


def hanging(servers: str, topics: Iterable[str], patience_s: float) -> list[str]:
    """Return the partitions whose committed end stays below their end.

    Args:
        servers: The broker.
        topics: Topics that the application writes.
        patience_s: Longer than the time after which the broker aborts a transaction.
    """
    topics, give_up = list(topics), time.monotonic() + patience_s
    while True:
        every = ends(servers, topics, committed=False)
        done = ends(servers, topics)
        open_ones = [place for place, end in every.items() if done[place] < end]
        if not open_ones or time.monotonic() > give_up:
            return open_ones
        time.sleep(0.5)


def read_topics(
    servers: str, topics: Iterable[str], *, committed: bool = True
) -> dict[str, list[Read]]:
    """Return all records of topics, in the order of partitions and offsets."""
    topics = list(topics)
    level = "read_committed" if committed else "read_uncommitted"
    settings: dict[str, Any] = {
        "bootstrap.servers": servers,
        "group.id": "smoke-verifier",
        "isolation.level": level,
        "enable.auto.commit": False,
        "enable.partition.eof": True,
    }
    consumer = Consumer(settings)
    places = [TopicPartition(topic, n, 0) for topic in topics for n in range(PARTITIONS)]
    consumer.assign(places)
    found: dict[tuple[str, int], list[Read]] = {(at.topic, at.partition): [] for at in places}
    left, give_up = set(found), time.monotonic() + 120
    try:
        while left and time.monotonic() < give_up:
            for message in consumer.consume(10_000, 0.5):
                at = str(message.topic()), int(message.partition() or 0)
                if message.error() is not None:
                    left.discard(at)
                    continue
                value = read_value(at[0], message.value())
                key = (message.key() or b"").decode()
                found[at].append(Read(key, value, message.timestamp()[1]))
    finally:
        consumer.close()
    if left:
        raise TimeoutError(f"these partitions could not be read to their end: {sorted(left)}")
    return {
        topic: [read for n in range(PARTITIONS) for read in found[topic, n]] for topic in topics
    }
