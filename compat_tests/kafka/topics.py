"""Topics for tests."""

from __future__ import annotations

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic


def create_topic(bootstrap_servers: str, name: str, *, partitions: int = 1, **config: str) -> str:
    """Create a topic that takes and keeps any timestamp, and return its name.

    Tests use timestamps like 10 or the year 3000: with the default settings the broker would
    delete the former at its next clean-up and refuse the latter. Keyword names have `_` for Kafka's
    `.`: `cleanup_policy="compact"`.
    """
    settings = {
        "retention.ms": "-1",
        "message.timestamp.after.max.ms": str(2**63 - 1),
        **{key.replace("_", "."): value for key, value in config.items()},
    }
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    topic = NewTopic(name, num_partitions=partitions, replication_factor=1, config=settings)
    admin.create_topics([topic])[name].result(30)
    return name


def topics(bootstrap_servers: str) -> set[str]:
    """Names of all topics but Kafka's own."""
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    return {name for name in admin.list_topics(timeout=30).topics if not name.startswith("__")}
