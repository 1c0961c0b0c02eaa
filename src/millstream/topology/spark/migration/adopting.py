"""Adoption of a stopped application of Kafka Streams: its state becomes a checkpoint."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from importlib.metadata import version

from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.topology.savepoints.manifest import SavepointManifest, StoreManifest
from millstream.topology.spark.admission.beginning import check_new
from millstream.topology.spark.admission.emptying import finish_emptying
from millstream.topology.spark.changelogs.reading import Changelogs, restored
from millstream.topology.spark.checkpoint.origin import KAFKA_STREAMS, Origin
from millstream.topology.spark.checkpoint.store_notes import kinds_of
from millstream.topology.spark.clients.settings import connector_settings
from millstream.topology.spark.driver.savepoints import checkpoint_root, files_at
from millstream.topology.spark.driver.session import query_session
from millstream.topology.spark.evolution.comparison import compare
from millstream.topology.spark.evolution.reading import checkpoint_facts
from millstream.topology.spark.evolution.words import Words
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.image import Image
from millstream.topology.spark.generations.moving import described
from millstream.topology.spark.generations.seed import Program
from millstream.topology.spark.migration.adoption import Adoption
from millstream.topology.spark.migration.sessions import locked, spark_session
from millstream.topology.spark.migration.task_times import task_snapshots


def adopt(config: StreamsConfig, adoption: Adoption, spark: SparkSession | None = None) -> str:
    """Write a checkpoint with the state of a stopped Java application; return its location.

    Killed before its end, nothing has changed.

    Args:
        config: The application's configuration.
        adoption: The plan.
        spark: The session to use; None for that of this process, or a new one that ends here.

    Raises:
        StreamsException: The adoption is refused, there is a checkpoint already, or the broker does
            not answer.
    """
    adoption.check()
    program, root = adoption.program, checkpoint_root(config)
    with locked(config), spark_session(config, spark) as used:
        files = files_at(root, used)
        # Else the first start would delete what is adopted.
        finish_emptying(files)
        generations = Generations(root, files, lambda at: files_at(at, used))
        if described(generations) is not None:
            raise replace(adoption, checkpoint=generations.location).refusal()
        check_new(generations.files, generations.location)
        session = query_session(used, config.merged(), len(program.layout.keys))
        image = adopted_state(session, adoption, config)
        going_on = Program(
            checkpoint=program.description.id,
            plan=program.plan,
            layout=program.layout,
            facts=image.facts,
            kinds=kinds_of(program.notes),
            convert={},
        )
        origin = Origin(
            source=KAFKA_STREAMS,
            location=program.application_id,
            positions=adoption.positions(),
        )
        comparison = compare(image.facts, image.facts, Words())
        generations.begin(
            session, image, comparison, going_on, program.description, origin, at_root=True
        )
        return generations.location


def adopted_state(session: SparkSession, adoption: Adoption, config: StreamsConfig) -> Image:
    """Read the state of a stopped Java application.

    Args:
        session: A session with the settings of queries.
        adoption: The plan.
        config: The application's configuration.
    """
    program, group = adoption.program, adoption.group
    positions = adoption.positions()
    feeds = adoption.feeds.feeds
    changelogs = Changelogs(
        feeds=feeds,
        formats={feed.store: program.format_of(feed.store) for feed in feeds},
        ends={feed.topic: positions.get(feed.topic, {}) for feed in feeds if feed.of_source},
        connector=connector_settings(config),
    )
    found = restored(session, changelogs)
    parts = {node.name: part.id for part in program.plan.subtopologies for node in part.stores}
    manifest = SavepointManifest(
        application_id=program.application_id,
        topology=program.description.topology,
        tasks={stage.subtopology: stage.tasks for stage in program.layout.stages},
        stores={
            name: StoreManifest(note=asdict(program.notes[name]), subtopology=part)
            for name, part in parts.items()
        },
        positions=positions,
        snapshots=task_snapshots(
            program.plan,
            program.layout,
            program.application_id,
            group.metadata,
            found.summaries,
        ),
        topics=program.description.topics,
        store_format=program.description.store_format,
        created_ms=int(time.time() * 1000),
        library=version("millstream"),
    )
    facts = checkpoint_facts(program.description, program.application_id)
    return Image(manifest, found.entries, facts)
