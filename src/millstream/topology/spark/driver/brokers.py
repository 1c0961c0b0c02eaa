"""Requests to the broker before Spark starts: topics, partitions, offsets."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka import KafkaException as ClientException

# Its stubs do not export it.
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic  # type: ignore[attr-defined]

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import SINK_TOPICS
from millstream.core.errors import (
    MisconfiguredInternalTopicException,
    MissingSourceTopicException,
    StreamsException,
)
from millstream.core.plan import Plan
from millstream.topology.spark.changelogs.topics import repartition_settings
from millstream.topology.spark.clients.connecting import all_topics
from millstream.topology.spark.clients.consumers import checked, committed, connected
from millstream.topology.spark.clients.rights import Right, kind_of, not_allowed
from millstream.topology.spark.clients.settings import (
    client_settings,
    code_of,
    consumer_settings,
    is_transient,
    raise_kafka_error,
)
from millstream.topology.spark.job import progress_topic
from millstream.topology.spark.ownership import owner_topic

log = logging.getLogger(__name__)

TIMEOUT_S = 10.0
_AUTO_CREATE_S = 5.0
_NEW_TOPIC_S = 3.0
# A broker tells no client when it knows a topic: it is asked again.
_NEW_TOPIC_PAUSE_S = 0.2
EARLIEST, LATEST = -2, -1
_LEGAL = re.compile(r"(?!\.\.?$)[a-zA-Z0-9._-]{1,249}")
_LEGAL_IS = (
    "A name of a topic has up to 249 characters, of ASCII letters, digits, '.', '_' and '-'; "
    'and is not "." or "..".'
)


class Brokers:
    """Requests to the cluster by short-lived clients.

    Args:
        config: The application's configuration.
    """

    def __init__(self, config: StreamsConfig) -> None:
        self._config = config
        self._application_id: str = config.getString("application.id")
        self._servers = ",".join(config.getList("bootstrap.servers"))
        self._quiet = client_settings(config)

    def topic_sizes(self, plan: Plan | None = None) -> dict[str, int]:
        """Return the partition counts of all topics.

        A broker may not yet know a topic that was created a moment ago: while one that the plan
        reads is missing, the request is repeated for some seconds.

        Raises:
            BrokerNotFoundException: No broker answers at ``bootstrap.servers``.
            StreamsException: The broker refuses the user, or its certificate is not trusted.
            ConfigException: The client refuses its settings.
        """
        return self._sizes(set() if plan is None else {*_sources(plan), *_global_sources(plan)})

    def _sizes(self, wanted: set[str]) -> dict[str, int]:
        """Return the partition counts of all topics; wait some seconds for those wanted."""
        give_up = time.monotonic() + _NEW_TOPIC_S
        while True:
            found = all_topics(self._quiet, TIMEOUT_S)
            if wanted <= found.keys() or time.monotonic() > give_up:
                return {name: len(topic.partitions) for name, topic in found.items()}
            time.sleep(_NEW_TOPIC_PAUSE_S)

    def source_sizes(self, plan: Plan, sizes: Mapping[str, int]) -> dict[str, int]:
        """Return the partition counts of the topics that a plan reads from the broker.

        Raises:
            MissingSourceTopicException: Some of them do not exist.
        """
        return self._found(_sources(plan), sizes)

    def global_sizes(self, plan: Plan, sizes: Mapping[str, int]) -> dict[str, int]:
        """Return the partition counts of the topics that fill global stores.

        Raises:
            MissingSourceTopicException: Some of them do not exist.
        """
        return self._found(_global_sources(plan), sizes)

    def _found(self, wanted: Sequence[str], sizes: Mapping[str, int]) -> dict[str, int]:
        missing = sorted({topic for topic in wanted if topic not in sizes})
        for topic in missing:
            self._check_visible(topic)
        if missing:
            names = ", ".join(f'"{topic}"' for topic in missing)
            raise MissingSourceTopicException(
                f"source topics do not exist: {names}",
                hint="Create them first: millstream topics create does that.",
            )
        return {topic: sizes[topic] for topic in wanted}

    def sink_sizes(self, topics: Iterable[str], sizes: Mapping[str, int]) -> dict[str, int]:
        """Return the partition counts of sink topics; the broker may create missing ones now.

        Raises:
            StreamsException: A topic does not exist, and the broker does not create it or
                ``millstream.sink.topics`` forbids it.
        """
        wanted = list(topics)
        refuses = self._config.getString(SINK_TOPICS).lower() == "refuse"
        if refuses and not sizes.keys() >= set(wanted):
            # One that was created a moment ago must not be refused.
            sizes = self._sizes(set(wanted))
        missing = [topic for topic in wanted if topic not in sizes]
        if missing and refuses:
            names = ", ".join(f'"{topic}"' for topic in missing)
            raise StreamsException(
                f"topics to write to do not exist: {names}",
                hint=f"Create them first, or let the broker do it with {SINK_TOPICS}=create.",
            )
        found = {topic: sizes[topic] for topic in wanted if topic in sizes}
        for topic in missing:
            found[topic] = self._created_on_demand(topic)
            log.warning(
                '%s: topic "%s" did not exist; the broker has created it with %d partition(s)',
                self._application_id,
                topic,
                found[topic],
            )
        return found

    def create_progress_topics(self, partitions: int, sizes: Mapping[str, int]) -> int:
        """Create the internal topics of claims and of the sinks' tokens, unless they exist.

        The topic of tokens gets more partitions if it has too few: it has no records, and tokens
        are offsets of partitions.

        Returns:
            The partition count of the topic of tokens.

        Raises:
            StreamsException: The broker refuses to create it.
        """
        owner = owner_topic(self._application_id)
        if owner not in sizes:
            self._create(owner, 1, {"cleanup.policy": "compact"})
        topic = progress_topic(self._application_id)
        if topic in sizes:
            if sizes[topic] < partitions:
                self._grow(topic, partitions)
            return max(sizes[topic], partitions)
        self._create(topic, partitions, {"cleanup.policy": "compact"})
        return partitions

    def create_feedback_topics(
        self, wanted: Mapping[str, int], sizes: Mapping[str, int], *, grow: bool = False
    ) -> dict[str, int]:
        """Create the feedback topics, unless they exist.

        Args:
            wanted: Topic -> number of partitions.
            sizes: The partition counts of all topics.
            grow: Return the topics that have too few partitions, with the number that they need.

        Raises:
            MisconfiguredInternalTopicException: A topic has another number of partitions.
            StreamsException: The broker refuses to create it.
        """
        small: dict[str, int] = {}
        for topic, partitions in wanted.items():
            there = sizes.get(topic)
            if there is None:
                self._create(topic, partitions, repartition_settings(self._config))
                self._created_on_demand(topic)
            elif grow and there < partitions:
                small[topic] = partitions
            elif there != partitions:
                raise _misconfigured(topic, there, partitions)
        return small

    def grow(self, topics: Mapping[str, int]) -> None:
        """Give internal topics more partitions.

        Raises:
            StreamsException: The broker refuses.
        """
        for topic, partitions in topics.items():
            self._grow(topic, partitions)

    def committed(self, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """Return the application's committed offsets; partitions without one are left out.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        asked = [TopicPartition(*place) for place in places]
        problem = f'cannot read the committed offsets of group "{self._application_id}"'
        with self._connected(problem) as consumer:
            found = committed(consumer, asked, TIMEOUT_S, TIMEOUT_S)
        return {(p.topic, p.partition): p.offset for p in found if p.offset >= 0}

    def at_time(self, places: Sequence[tuple[str, int]], time_ms: int) -> dict[Any, int]:
        """Return each partition's first offset at or after a time; LATEST if there is none.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        asked = [TopicPartition(topic, partition, time_ms) for topic, partition in places]
        with self._connected("cannot look offsets up by time") as consumer:
            found = checked(consumer.offsets_for_times(asked, TIMEOUT_S))
        return {(p.topic, p.partition): p.offset if p.offset >= 0 else LATEST for p in found}

    def backlogs(self, offsets: Mapping[str, Mapping[int, int]]) -> dict[str, int]:
        """Return the number of records of each topic from the given offsets on.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        found: dict[str, int] = {}
        with self._connected("cannot read the end offsets of topics") as consumer:
            for topic, starts in offsets.items():
                found[topic] = 0
                for partition, start in starts.items():
                    place = TopicPartition(topic, partition)
                    low, high = consumer.get_watermark_offsets(place, TIMEOUT_S)
                    first = {EARLIEST: low, LATEST: high}.get(start, start)
                    found[topic] += max(0, high - max(low, first))
        return found

    def _check_visible(self, topic: str) -> None:
        """Refuse a topic that a list of all topics lacks because the user may not see it."""
        problem = f'cannot read topic "{topic}": the user cannot see it'
        # By default this client, like a producer, lets the broker create the topic.
        only_looks = {**self._quiet, "allow.auto.create.topics": False}
        try:
            found = AdminClient(only_looks).list_topics(topic, TIMEOUT_S).topics[topic]
        except ClientException as error:
            raise_kafka_error(problem, error)
        if found.error is not None and kind_of(found.error.code()) is not None:
            raise not_allowed(problem, Right("Describe", "topic", topic), found.error.str())

    def _create(self, topic: str, partitions: int, settings: Mapping[str, str]) -> None:
        if _LEGAL.fullmatch(topic) is None:
            raise StreamsException(
                f'cannot create internal topic "{topic}"',
                detail=_LEGAL_IS,
                hint="It begins with application.id; give the application another one.",
            )
        replication = self._config.getInt("replication.factor")
        new = NewTopic(topic, partitions, replication, config=dict(settings))
        admin = AdminClient(self._quiet)  # a name: the request ends with the client
        give_up = time.monotonic() + self._config.getLong("task.timeout.ms") / 1000
        level = logging.WARNING
        while True:
            (future,) = admin.create_topics([new]).values()
            try:
                future.result()
            except ClientException as error:
                if code_of(error) == KafkaError.TOPIC_ALREADY_EXISTS:
                    return
                # A broker that is busy may create it after it was out of time.
                if is_transient(error) and time.monotonic() < give_up:
                    log.log(level, "internal topic is asked for again topic=%s %s", topic, error)
                    # Once: brokers that have just started refuse at once.
                    level = logging.DEBUG
                    time.sleep(_NEW_TOPIC_PAUSE_S)
                    continue
                needed = [Right("Create", "topic", topic)]
                raise_kafka_error(f'cannot create internal topic "{topic}"', error, needed)
            return

    def _grow(self, topic: str, partitions: int) -> None:
        """Give a topic more partitions; return when the broker knows them."""
        admin = AdminClient(self._quiet)
        problem = f'cannot add partitions to internal topic "{topic}"'
        give_up = time.monotonic() + _AUTO_CREATE_S
        try:
            (future,) = admin.create_partitions([NewPartitions(topic, partitions)]).values()
            future.result()
            while len(admin.list_topics(topic, TIMEOUT_S).topics[topic].partitions) < partitions:
                if time.monotonic() > give_up:
                    raise StreamsException(problem, detail="The broker does not show them.")
                time.sleep(_NEW_TOPIC_PAUSE_S)
        except ClientException as error:
            raise_kafka_error(problem, error, [Right("Alter", "topic", topic)])

    def _connected(self, problem: str) -> AbstractContextManager[Consumer]:
        return connected(consumer_settings(self._config, self._application_id), problem)

    def _created_on_demand(self, topic: str) -> int:
        if _LEGAL.fullmatch(topic) is None:
            raise StreamsException(
                f'cannot write to topic "{topic}": no topic can have this name',
                detail=_LEGAL_IS,
                hint="Correct it where a sink or errors.dead.letter.queue.topic.name has it.",
            )
        producer = Producer(self._quiet)
        give_up = time.monotonic() + _AUTO_CREATE_S
        problem = f'cannot write to topic "{topic}": it does not exist'
        while True:
            try:
                found = producer.list_topics(topic, TIMEOUT_S).topics[topic]
            except ClientException as error:
                raise_kafka_error(problem, error)
            if found.error is None and found.partitions:
                return len(found.partitions)
            if found.error is not None and kind_of(found.error.code()) is not None:
                problem = f'cannot write to topic "{topic}": the user cannot see it'
                raise not_allowed(problem, Right("Describe", "topic", topic), found.error.str())
            if time.monotonic() > give_up:
                raise StreamsException(
                    problem,
                    detail="The broker did not create it either.",
                    hint="Create the topic first.",
                )
            time.sleep(_NEW_TOPIC_PAUSE_S)


def written_topics(plan: Plan, config: StreamsConfig) -> list[str]:
    """Return the known topics to write to: sinks and dead letter queues."""
    topics = (topic for part in plan.subtopologies for topic in part.sink_topics)
    sinks = [topic for topic in topics if topic not in plan.repartition_topics]
    dead_letters = config.getString("errors.dead.letter.queue.topic.name")
    # An empty name, as of a variable that is not set, is refused here: no topic can have it.
    return list(dict.fromkeys([*sinks, *([] if dead_letters is None else [dead_letters])]))


def _misconfigured(topic: str, there: int, needed: int) -> MisconfiguredInternalTopicException:
    return MisconfiguredInternalTopicException(
        f'internal topic "{topic}" has {there} partitions',
        detail=f"The topology needs {needed}.",
        hint="Keep a copy of the checkpoint. To begin anew, delete the topic together with the "
        "checkpoint: the contents of all stores are then lost.",
    )


def _sources(plan: Plan) -> list[str]:
    return [
        topic
        for part in plan.subtopologies
        for topic in part.source_topics
        if topic not in plan.repartition_topics
    ]


def _global_sources(plan: Plan) -> list[str]:
    return [topic for store in plan.globals for topic in store.source.topics]
