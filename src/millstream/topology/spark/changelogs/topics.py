"""Internal topics with the settings that Kafka Streams gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import KafkaError
from confluent_kafka import KafkaException as ClientException

# Its stubs do not export it.
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from millstream.core.config import StreamsConfig
from millstream.core.config.clients import for_clients
from millstream.core.durations import LONG_MAX
from millstream.core.plan import Plan, StoreNode
from millstream.topology.spark.changelogs.feeds import Feed
from millstream.topology.spark.changelogs.formats import retention_of
from millstream.topology.spark.checkpoint.store_notes import Notes, StoreNote
from millstream.topology.spark.clients.settings import client_settings, raise_kafka_error

_DAY_MS = 86_400_000
FEEDBACK_SETTINGS = {
    "cleanup.policy": "delete",
    "message.timestamp.type": "CreateTime",
    "retention.ms": "-1",
    "segment.bytes": str(50 << 20),
}
_TIMEOUT_S = 30.0


def changelog_settings(
    store: StoreNode, note: StoreNote, retention: int | None, config: StreamsConfig
) -> dict[str, str]:
    """Return the settings of a store's changelog topic.

    Args:
        store: The store.
        note: Its type.
        retention: How long windows, sessions or versions are kept, in milliseconds.
        config: The application's configuration.

    Source: ``processor.internals.InternalTopicConfig`` and its subclasses.
    """
    settings = {"cleanup.policy": "compact", "message.timestamp.type": "CreateTime"}
    # What follows from the store wins over `topic.` entries, and its own settings over both.
    kept: dict[str, str] = {}
    if note.type in ("window", "session") and retention is not None:
        more = config.getLong("windowstore.changelog.additional.retention.ms")
        settings["cleanup.policy"] = "compact,delete"
        kept["retention.ms"] = str(min(retention + more, LONG_MAX))
    if note.type == "versioned" and retention is not None:
        kept["min.compaction.lag.ms"] = str(min(retention + _DAY_MS, LONG_MAX))
    return settings | _given(config) | kept | dict(store.builder.logConfig())


def changelog_topics(
    feeds: Iterable[Feed], plan: Plan, notes: Notes, config: StreamsConfig
) -> dict[str, tuple[int, dict[str, str]]]:
    """Return the partitions and settings of changelog topics.

    Args:
        feeds: The topics.
        plan: The topology.
        notes: Notes of its stores.
        config: The application's configuration.
    """
    nodes, configs = plan_stores(plan), config.merged()
    found = {}
    for feed in feeds:
        node, note = nodes[feed.store], notes[feed.store]
        settings = changelog_settings(node, note, retention_of(node, configs), config)
        found[feed.topic] = feed.partitions, settings
    return found


def plan_stores(plan: Plan) -> dict[str, StoreNode]:
    """Return the stores of tasks by name; global ones are not among them."""
    return {node.name: node for part in plan.subtopologies for node in part.stores}


def repartition_settings(config: StreamsConfig) -> dict[str, str]:
    """Return the settings of a repartition topic; ``topic.`` entries win.

    Source: ``processor.internals.RepartitionTopicConfig``.
    """
    return dict(FEEDBACK_SETTINGS) | _given(config)


class Topics:
    """Requests about internal topics.

    Args:
        config: The application's configuration.
    """

    def __init__(self, config: StreamsConfig) -> None:
        self._admin = AdminClient(client_settings(config))
        self._replication = config.getInt("replication.factor")

    def create(self, topic: str, partitions: int, settings: Mapping[str, str]) -> None:
        """Create a topic, unless it exists.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        new = NewTopic(topic, partitions, self._replication, config=dict(settings))
        (answer,) = self._admin.create_topics([new]).values()
        try:
            answer.result(_TIMEOUT_S)
        except ClientException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise_kafka_error(f'cannot create internal topic "{topic}"', error)

    def delete(self, *topics: str) -> None:
        """Delete topics; one that is gone already is no error.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        for topic, answer in self._admin.delete_topics(list(topics)).items():
            try:
                answer.result(_TIMEOUT_S)
            except ClientException as error:
                if error.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
                    raise_kafka_error(f'cannot delete internal topic "{topic}"', error)


def _given(config: StreamsConfig) -> dict[str, str]:
    entries: Mapping[str, Any] = for_clients(config.originalsWithPrefix("topic."))
    return {name: str(value) for name, value in entries.items()}
