"""Changelog topics that a running application writes: which they are, created and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from millstream.core.config import StreamsConfig
from millstream.core.errors import MisconfiguredInternalTopicException
from millstream.core.plan import Plan
from millstream.topology.spark.changelogs.feeds import Feed, feeds_of
from millstream.topology.spark.changelogs.formats import format_of
from millstream.topology.spark.changelogs.reading import Formats
from millstream.topology.spark.changelogs.topics import Topics, changelog_topics, plan_stores
from millstream.topology.spark.checkpoint.store_notes import Notes
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.logged_store import LoggedStore


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptChangelogs:
    """The changelog topics of an application that writes them while it runs."""

    feeds: tuple[Feed, ...]
    """The topics to write; those of tables whose source topic is their changelog are not."""
    missing: frozenset[str]
    """Those that do not exist yet."""
    formats: Formats

    def topics(self) -> frozenset[str]:
        """Return the names of the topics."""
        return frozenset(each.topic for each in self.feeds)

    def stores(self) -> dict[str, LoggedStore]:
        """Return what a task needs for each store."""
        return {
            each.store: LoggedStore(each.topic, self.formats[each.store]) for each in self.feeds
        }


def kept_changelogs(
    plan: Plan, layout: Layout, notes: Notes, sizes: Mapping[str, int], config: StreamsConfig
) -> KeptChangelogs:
    """Return the changelog topics to write.

    Args:
        plan: The topology; source patterns are already resolved.
        layout: Its tasks.
        notes: Notes of its stores.
        sizes: All topics of the broker, with their partition counts.
        config: The application's configuration.

    Raises:
        MisconfiguredInternalTopicException: A topic has another number of partitions.
        StreamsException: The changelog format of a store is not known.
    """
    found = feeds_of(plan, layout, config.getString("application.id"), sizes)
    wanted = tuple(each for each in (*found.feeds, *found.missing) if not each.of_source)
    for each in wanted:
        there = sizes.get(each.topic, each.partitions)
        if there != each.partitions:
            raise _misconfigured(each, there)
    nodes, configs = plan_stores(plan), config.merged()
    return KeptChangelogs(
        feeds=wanted,
        missing=frozenset(each.topic for each in wanted if each.topic not in sizes),
        formats={f.store: format_of(nodes[f.store], notes[f.store], configs) for f in wanted},
    )


def create_missing(kept: KeptChangelogs, plan: Plan, notes: Notes, config: StreamsConfig) -> None:
    """Create the topics that do not exist, with the settings of Kafka Streams.

    Raises:
        StreamsException: The broker refuses or does not answer.
    """
    if not kept.missing:
        return
    topics = Topics(config)
    missing = (each for each in kept.feeds if each.topic in kept.missing)
    for topic, (partitions, settings) in changelog_topics(missing, plan, notes, config).items():
        topics.create(topic, partitions, settings)


def _misconfigured(feed: Feed, there: int) -> MisconfiguredInternalTopicException:
    return MisconfiguredInternalTopicException(
        f'changelog topic "{feed.topic}" has {there} partitions',
        detail=f'Store "{feed.store}" has {feed.partitions} tasks, and needs as many.',
        hint="Delete the topic: the start creates it again and writes all of the state to it.",
    )
