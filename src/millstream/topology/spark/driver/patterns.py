"""Source patterns of a plan, replaced by the topics that match them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from millstream.core.config import StreamsConfig
from millstream.core.errors import MissingSourceTopicException
from millstream.core.plan import Node, Plan, SourceNode
from millstream.topology.spark.clients.connecting import all_topics
from millstream.topology.spark.clients.settings import client_settings
from millstream.topology.spark.job import progress_topic
from millstream.topology.spark.ownership import owner_topic


def without_patterns(plan: Plan, sizes: Mapping[str, int]) -> tuple[Plan, dict[str, list[str]]]:
    """Return the plan with topics instead of patterns, and the topics by source node.

    Args:
        plan: The topology.
        sizes: All topics of the broker.
    """
    named = {topic for part in plan.subtopologies for topic in part.source_topics}
    matched: dict[str, list[str]] = {}

    def resolved(node: Node) -> Node:
        if not isinstance(node, SourceNode) or node.pattern is None:
            return node
        candidates = sorted(sizes.keys() - named)
        topics = [t for t in candidates if node.reads(t) and not is_internal(t)]
        matched[node.name] = topics
        if not topics:
            raise MissingSourceTopicException(
                f'no topic matches the pattern "{node.pattern.pattern}" of source "{node.name}"',
                hint="Create one first.",
            )
        return replace(node, topics=tuple(topics), pattern=None)

    parts = tuple(
        replace(part, nodes=tuple(resolved(node) for node in part.nodes))
        for part in plan.subtopologies
    )
    return replace(plan, subtopologies=parts), matched


def matching(plan: Plan, config: StreamsConfig, timeout_s: float = 10.0) -> set[str]:
    """Return the topics that the patterns of a plan match now; without patterns, ask no broker.

    Args:
        plan: The topology.
        config: The application's configuration.
        timeout_s: How long to wait for the broker.

    Raises:
        BrokerNotFoundException: No broker answers.
        StreamsException: The broker refuses the user.
    """
    nodes = [node for part in plan.subtopologies for node in part.nodes]
    sources = [each for each in nodes if isinstance(each, SourceNode) and each.pattern is not None]
    if not sources:
        return set()
    topics = [t for t in all_topics(client_settings(config), timeout_s) if not is_internal(t)]
    return {topic for topic in topics if any(source.reads(topic) for source in sources)}


def is_internal(topic: str) -> bool:
    """Return whether a topic is Kafka's own, or one of those in which millstream has no records."""
    return topic.startswith("__") or topic.endswith((progress_topic(""), owner_topic("")))
