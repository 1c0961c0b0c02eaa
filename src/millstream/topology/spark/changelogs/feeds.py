"""Feeds: the topics that have the contents of stores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from millstream.core.plan import Plan
from millstream.topology.spark.compile import Layout

SUFFIX = "-changelog"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A topic that has the contents of a store."""

    store: str
    subtopology: int
    topic: str
    partitions: int
    of_source: bool = False
    """It is a source topic of a table, read up to the committed offset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feeds:
    """The topics for all stores of a topology, and what does not fit."""

    feeds: tuple[Feed, ...] = ()
    missing: tuple[Feed, ...] = ()
    """Stores whose topics do not exist."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Topic -> its number of partitions, where it is not that of the tasks."""
    unused: tuple[str, ...] = ()
    """Changelog topics of the application that belong to no store."""
    unlogged: tuple[str, ...] = ()
    """Stores without a changelog: they begin empty, as they do in Kafka Streams."""
    from_topics: tuple[str, ...] = ()
    """Global stores, filled from their topics at the start."""

    @property
    def fits(self) -> bool:
        """Whether every store has a topic of the right size, and every topic a store."""
        return not (self.missing or self.sizes or self.unused)


def changelog_topic(application_id: str, store: str) -> str:
    """Return the name of a store's changelog topic."""
    return f"{application_id}-{store}{SUFFIX}"


def feeds_of(plan: Plan, layout: Layout, application_id: str, topics: Mapping[str, int]) -> Feeds:
    """Return the topics that have the contents of a topology's stores.

    Args:
        plan: The topology; source patterns are already resolved.
        layout: Its tasks.
        application_id: Prefix of changelog topics.
        topics: All topics of the broker, with their partition counts.
    """
    wanted, unlogged = list(_wanted(plan, layout, application_id)), list[str]()
    for part in plan.subtopologies:
        unlogged += [
            node.name
            for node in part.stores
            if node.source_topic is None and not node.builder.loggingEnabled()
        ]
    there = tuple(each for each in wanted if each.topic in topics)
    named = {each.topic for each in wanted}
    return Feeds(
        feeds=there,
        missing=tuple(each for each in wanted if each.topic not in topics),
        sizes={
            each.topic: topics[each.topic]
            for each in there
            if not each.of_source and topics[each.topic] != each.partitions
        },
        unused=tuple(sorted(_changelogs(application_id, topics) - named)),
        unlogged=tuple(unlogged),
        from_topics=tuple(each.store.name for each in plan.globals),
    )


def _wanted(plan: Plan, layout: Layout, application_id: str) -> Iterable[Feed]:
    tasks = {stage.subtopology: stage.tasks for stage in layout.stages}
    for part in plan.subtopologies:
        for node in part.stores:
            if node.source_topic is None and not node.builder.loggingEnabled():
                continue
            source = node.source_topic
            topic = changelog_topic(application_id, node.name)
            if source is not None:
                topic = plan.internal_name(source, application_id)
            yield Feed(
                store=node.name,
                subtopology=part.id,
                topic=topic,
                partitions=tasks[part.id],
                of_source=source is not None,
            )


def _changelogs(application_id: str, topics: Iterable[str]) -> set[str]:
    prefix = f"{application_id}-"
    return {name for name in topics if name.startswith(prefix) and name.endswith(SUFFIX)}
