"""Hand-back of a stopped application to Kafka Streams: its changelogs and offsets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaException as ClientException
from confluent_kafka import Producer, TopicPartition
from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.engine import snapshots
from millstream.core.errors import LockException, StreamsException
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.admission.lease import running_owner
from millstream.topology.spark.changelogs.feeds import Feed, feeds_of
from millstream.topology.spark.changelogs.in_step import note_out_of_step, topics_in_step
from millstream.topology.spark.changelogs.topics import (
    Topics,
    changelog_settings,
    repartition_settings,
)
from millstream.topology.spark.changelogs.writing import (
    ChangelogTarget,
    observed_times,
    write_changelogs,
)
from millstream.topology.spark.clients.deadlines import in_time
from millstream.topology.spark.clients.fitted import with_transactions
from millstream.topology.spark.clients.settings import (
    connector_settings,
    producer_settings,
    raise_kafka_error,
)
from millstream.topology.spark.driver.savepoints import Opened, opened_checkpoint
from millstream.topology.spark.generations.image import Image
from millstream.topology.spark.generations.moving import described
from millstream.topology.spark.job import progress_topic
from millstream.topology.spark.migration.group import GroupClient
from millstream.topology.spark.migration.offset_metadata import OffsetMetadata
from millstream.topology.spark.migration.program import MovingProgram, moving_program
from millstream.topology.spark.migration.sessions import locked
from millstream.topology.spark.migration.task_times import emitted_of
from millstream.topology.spark.ownership import owner_topic
from millstream.topology.spark.worker.zero_time import ZeroTimeProducer
from millstream.topology.topology import Topology

_TIMEOUT_S = 60.0

Place = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedBack:
    """What a Java application finds."""

    records: Mapping[Place, int]
    """Changelog topic and partition -> records written."""
    kept: bool
    """Whether the application has written its changelog topics itself, so that they are whole."""
    offsets: Mapping[Place, int]
    """Topic and partition -> committed offset."""
    unlogged: tuple[str, ...]
    """Stores without a changelog, whose contents stay here."""

    def facts(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return {
            "changelogs": [
                {"topic": topic, "partition": number, "records": count}
                for (topic, number), count in sorted(self.records.items())
            ],
            "offsets": [
                {"topic": topic, "partition": number, "offset": offset}
                for (topic, number), offset in sorted(self.offsets.items())
            ],
            "changelogs_kept": self.kept,
            "unlogged": list(self.unlogged),
        }


def hand_back(
    topology: Topology, config: StreamsConfig, spark: SparkSession | None = None
) -> HandedBack:
    """Write an application's stores and offsets so that the Java program goes on.

    The checkpoint stays as it is. Interrupted, it can be repeated: the claim is removed last.

    Args:
        topology: The program.
        config: Its configuration.
        spark: The session to use; None for that of this process, or a new one that ends here.

    Raises:
        IllegalStateException: No batch of the application has been committed.
        LockException: An instance of it runs.
        StreamsException: Another program has left the checkpoint, its last batch is not whole, the
            group has members, or the broker does not answer.
    """
    program = moving_program(topology, config)
    with locked(config), opened_checkpoint(config, spark) as opened:
        _check_stopped(opened, config)
        note = described(opened.generations)
        if note is not None and note.over_broker:
            program = moving_program(topology, config, note.over_broker)
        _check(program, opened, config)
        feeds = feeds_of(program.plan, program.layout, program.application_id, program.sizes)
        wanted = tuple(f for f in (*feeds.feeds, *feeds.missing) if not f.of_source)
        _create(program, wanted, config)
        files, checkpoint = opened.generations.root_files, opened.image.manifest.checkpoint
        names = {each.topic for each in wanted}
        kept = topics_in_step(files, checkpoint, Group(config).topic_ids(names)) >= names
        records = {} if kept else _write(program, opened, wanted, config)
        # From now on the Java application changes them.
        note_out_of_step(files)
        offsets = list(_offsets(program, opened.image, config))
        _commit(offsets, program.application_id, config)
        Topics(config).delete(
            owner_topic(program.application_id), progress_topic(program.application_id)
        )
    return HandedBack(
        kept=kept,
        records=records,
        offsets={(each.topic, each.partition): each.offset for each in offsets},
        unlogged=feeds.unlogged,
    )


def _write(
    program: MovingProgram, opened: Opened, feeds: tuple[Feed, ...], config: StreamsConfig
) -> dict[Place, int]:
    entries = opened.image.entries
    formats = {feed.store: program.format_of(feed.store) for feed in feeds}
    target = ChangelogTarget(
        feeds=feeds,
        formats=formats,
        observed=observed_times(entries, formats),
        application_id=program.application_id,
        producer=producer_settings(config),
        connector=connector_settings(config),
    )
    return write_changelogs(opened.session, entries, target)


def _check_stopped(opened: Opened, config: StreamsConfig) -> None:
    """Refuse an application that runs elsewhere on the same checkpoint; its lock is not here."""
    if (owner := running_owner(opened.generations.root_files, config)) is not None:
        name = config.getString("application.id")
        raise LockException(
            f'application "{name}" cannot be handed back: it runs',
            detail=f"Its lease on the checkpoint belongs to {owner}, and was renewed a moment ago.",
            hint="Close it first.",
        )


def _check(program: MovingProgram, opened: Opened, config: StreamsConfig) -> None:
    name = program.application_id
    note, image = described(opened.generations), opened.image.manifest
    assert note is not None
    if note.topology != program.description.topology or note.tasks != program.description.tasks:
        raise StreamsException(
            f'the state of application "{name}" was left by another program',
            detail="Its topology, or its numbers of tasks, are others than this program's.",
            hint="Run this program once (millstream run APP --until-idle), or give the one that "
            "ran last.",
        )
    _end_former(name, config)
    # This ends what a sink that was killed has left open; the other would wait for it.
    tokens = Group(config).state((), max(image.tasks.values(), default=1)).tokens.values()
    if members := GroupClient(config).state().members:
        raise StreamsException(
            f'application "{name}" cannot be handed back: its group has members',
            detail=f"They are {', '.join(members)}.",
            hint="Stop the Java application first.",
        )
    if any(
        each.mark is not None and each.mark.checkpoint == note.id and each.offset - 1 > image.batch
        for each in tokens
    ):
        raise StreamsException(
            f'the last batch of application "{name}" has been written in part',
            detail="It was killed before the batch had ended.",
            hint="Run it once more (millstream run APP --until-idle), then hand it back.",
        )


def _end_former(group: str, config: StreamsConfig) -> None:
    """End the transaction of offsets that an interrupted hand-back has left open."""
    producer = Producer(with_transactions(producer_settings(config), _transactional_id(group)))
    try:
        in_time("init_transactions", lambda: producer.init_transactions(_TIMEOUT_S))
    except ClientException as error:
        raise_kafka_error(f'cannot end the former hand-back of group "{group}"', error)


def _transactional_id(group: str) -> str:
    return f"{group}-hand-back"


def _commit(offsets: list[TopicPartition], group: str, config: StreamsConfig) -> None:
    """Commit offsets with exactly this metadata.

    librdkafka sends a text without its terminating zero, so that Java could not read it.
    """
    try:
        producer = ZeroTimeProducer(producer_settings(config), _transactional_id(group))
        try:
            producer.write_transaction([], offsets, group)
        finally:
            producer.close()
    except ClientException as error:
        raise_kafka_error(f'cannot commit the offsets of group "{group}"', error)


def _create(program: MovingProgram, feeds: tuple[Feed, ...], config: StreamsConfig) -> None:
    topics, stores = Topics(config), program.stores()
    for feed in feeds:
        if feed.topic not in program.sizes:
            note = program.notes[feed.store]
            settings = changelog_settings(
                stores[feed.store], note, program.retention_of(feed.store), config
            )
            topics.create(feed.topic, feed.partitions, settings)
    for topic, (_, partitions) in program.layout.routes.items():
        if topic not in program.sizes:
            topics.create(topic, partitions, repartition_settings(config))


def _offsets(
    program: MovingProgram, image: Image, config: StreamsConfig
) -> Iterator[TopicPartition]:
    """Yield the offsets as Kafka Streams commits them, with the times of their partitions."""
    positions = image.manifest.positions
    routes = program.layout.routes
    ends = Group(config).ends([(topic, n) for topic in routes for n in range(routes[topic][1])])
    for stage in program.layout.stages:
        part = program.plan.subtopology(stage.subtopology)
        for partition in range(stage.tasks):
            saved = image.manifest.snapshots.get(f"{stage.subtopology}_{partition}")
            task = None if saved is None else snapshots.decode(saved)
            emitted = {} if task is None else emitted_of(part, task)
            times = {} if task is None else task.partition_times
            for plain in part.source_topics:
                topic = program.plan.internal_name(plain, program.application_id)
                offset = positions.get(topic, {}).get(partition, ends.get((topic, partition)))
                if offset is not None and offset >= 0:
                    time = times.get((topic, partition), -1)
                    text = OffsetMetadata(time, emitted).text()
                    yield TopicPartition(topic, partition, offset, text)
