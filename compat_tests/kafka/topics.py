"""Topics for tests."""

from __future__ import annotations

from collections.abc import Sequence

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic


def create_topic(bootstrap_servers: str, name: str, *, partitions: int = 1, **config: str) -> str:
    """Create a topic that takes and keeps any timestamp, and return its name.

    Tests use timestamps like 10 or the year 3000: with the default settings the broker would
    delete the former at its next clean-up and refuse the latter. Keyword names have `_` for Kafka's
    `.`: `cleanup_policy="compact"`.
    """
    create_topics(bootstrap_servers, [name], partitions=partitions, **config)
    return name


def create_topics(
    bootstrap_servers: str, names: Sequence[str], *, partitions: int = 1, **config: str
) -> None:
    """Create topics like `create_topic`, all at once."""
    settings = {
        "retention.ms": "-1",
        "message.timestamp.after.max.ms": str(2**63 - 1),
        **{key.replace("_", "."): value for key, value in config.items()},
    }
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    wanted = [
        NewTopic(name, num_partitions=partitions, replication_factor=1, config=settings)
        for name in names
    ]
    for created in admin.create_topics(wanted).values() if wanted else ():
        created.result(30)


def topics(bootstrap_servers: str) -> set[str]:
    """Names of all topics but Kafka's own."""
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    return {name for name in admin.list_topics(timeout=30).topics if not name.startswith("__")}
