"""Topics that a topology needs on the broker, compared with those that are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaException as ClientException

# Its stubs do not export it.
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from millstream.cli.clients import TIMEOUT_S, client_errors, known_topics
from millstream.cli.settings import entries, streams_config
from millstream.cli.target import load_target
from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import CHANGELOG_TOPICS
from millstream.core.errors import IllegalArgumentException, MissingSourceTopicException
from millstream.core.plan import Plan
from millstream.topology.spark.changelogs.feeds import feeds_of
from millstream.topology.spark.changelogs.topics import FEEDBACK_SETTINGS, changelog_topics
from millstream.topology.spark.checkpoint.store_notes import notes_of
from millstream.topology.spark.clients.settings import client_settings
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.driver.patterns import without_patterns
from millstream.topology.spark.job import progress_topic
from millstream.topology.spark.ownership import owner_topic

_ANY = ""
_COMPACT = {"cleanup.policy": "compact"}


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededTopic:
    """One topic that a topology reads or writes."""

    name: str
    kind: str
    """``source``, ``sink``, ``source and sink``, ``global``, ``dead letters`` or ``internal``."""
    partitions: int
    state: str
    """``exists``, ``missing``, ``created``."""
    settings: Mapping[str, str] | None = None

    def facts(self) -> dict[str, Any]:
        """Return the facts for output."""
        return {
            "topic": self.name,
            "kind": self.kind,
            "partitions": self.partitions,
            "state": self.state,
        }


@dataclass(frozen=True)
class TopicPlan:
    """All topics of a topology."""

    config: StreamsConfig
    topics: list[NeededTopic]


def topic_plan(
    target: str,
    files: Iterable[Path] | None,
    sets: Iterable[str] | None,
    wanted: Mapping[str, int] | None = None,
) -> TopicPlan:
    """Return the topics of a target, with the numbers of partitions that they have or would have.

    Args:
        target: A file or module.
        files: Configuration files.
        sets: Configuration entries.
        wanted: Topic -> number of partitions; the empty name is for all others.

    Raises:
        IllegalArgumentException: A topic exists with another number of partitions.
        TopologyException: Topics that are joined have different numbers of partitions.
        BrokerNotFoundException: No broker answers.
    """
    loaded = load_target(target, entries(files, sets))
    name = str(loaded.config.get("application.id") or "")
    config = streams_config(loaded.config, name)
    sizes, plan = known_topics(config), loaded.topology.plan()
    asked = dict(wanted or {})
    kinds = _kinds(plan, config)
    _check_asked(asked, kinds, target)
    counts = {topic: sizes.get(topic, asked.get(topic, asked.get(_ANY, 1))) for topic in kinds}
    for topic in kinds:
        number = asked.get(topic, asked.get(_ANY))
        if topic in sizes and number is not None and number != sizes[topic]:
            raise IllegalArgumentException(
                f'topic "{topic}" has {sizes[topic]} partitions, not {number}',
                detail="Nothing has been created.",
                hint=f"Ask for --partitions {topic}={sizes[topic]}, or delete the topic first.",
            )
    found = [
        NeededTopic(
            name=topic,
            kind=kind,
            partitions=counts[topic],
            state="exists" if topic in sizes else "missing",
        )
        for topic, kind in sorted(kinds.items())
    ]
    return TopicPlan(config, found + _internal(plan, name, config, counts, sizes))


def create(plan: TopicPlan, replication_factor: int | None, *, dry_run: bool) -> list[NeededTopic]:
    """Create the missing topics; return all of them.

    Raises:
        StreamsException: The broker refuses or does not answer.
    """
    replication = replication_factor or plan.config.getInt("replication.factor")
    missing = [topic for topic in plan.topics if topic.state == "missing"]
    new = [
        NewTopic(topic.name, topic.partitions, replication, config=dict(topic.settings or {}))
        for topic in missing
    ]
    if new:
        admin = AdminClient(client_settings(plan.config))
        for name, answer in admin.create_topics(new, validate_only=dry_run).items():
            with client_errors(f'cannot create topic "{name}"'):
                try:
                    answer.result(TIMEOUT_S)
                except ClientException as error:
                    if error.args[0].name() != "TOPIC_ALREADY_EXISTS":
                        raise
    state = "would be created" if dry_run else "created"
    return [replace(t, state=state) if t.state == "missing" else t for t in plan.topics]


def _kinds(plan: Plan, config: StreamsConfig) -> dict[str, str]:
    """Return the topics that the program names, without internal ones, and their kinds."""
    parts = plan.subtopologies
    read = {topic for part in parts for topic in part.source_topics}
    written = {topic for part in parts for topic in part.sink_topics}
    internal = set(plan.repartition_topics)
    found = dict.fromkeys(read - internal, "source") | dict.fromkeys(written - internal, "sink")
    found |= dict.fromkeys((read & written) - internal, "source and sink")
    found |= dict.fromkeys((t for store in plan.globals for t in store.source.topics), "global")
    dead = config.getString("errors.dead.letter.queue.topic.name")
    return found if not dead or dead in found else found | {dead: "dead letters"}


def _check_asked(asked: Mapping[str, int], kinds: Mapping[str, str], target: str) -> None:
    unknown = sorted(set(asked) - set(kinds) - {_ANY})
    if unknown:
        raise IllegalArgumentException(
            f'"{target}" has no topic "{unknown[0]}"',
            detail=f"It has: {', '.join(sorted(kinds)) or 'none with a name'}.",
        )


def _internal(
    plan: Plan,
    name: str,
    config: StreamsConfig,
    counts: Mapping[str, int],
    sizes: Mapping[str, int],
) -> list[NeededTopic]:
    """Return the internal topics on the broker; none without the application's id."""
    try:
        known, _ = without_patterns(plan, {**sizes, **counts})
    except MissingSourceTopicException:
        return []
    every = {**sizes, **counts}
    layout = compile_plan(known, name or "app", every)
    if not name:
        return []
    wanted: dict[str, tuple[int, Mapping[str, str]]] = {
        topic: (count, FEEDBACK_SETTINGS) for topic, count in layout.feedback.items()
    }
    if config.getBoolean(CHANGELOG_TOPICS):
        feeds = feeds_of(known, layout, name, sizes)
        kept = [each for each in (*feeds.feeds, *feeds.missing) if not each.of_source]
        wanted |= changelog_topics(kept, known, notes_of(known, config), config)
    wanted[owner_topic(name)] = 1, _COMPACT
    wanted[progress_topic(name)] = len(layout.keys), _COMPACT
    return [
        NeededTopic(
            name=topic,
            kind="internal",
            partitions=sizes.get(topic, count),
            state="exists" if topic in sizes else "missing",
            settings=settings,
        )
        for topic, (count, settings) in sorted(wanted.items())
    ]
