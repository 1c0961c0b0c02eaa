"""Puts an application together, starts its query and stops it."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from millstream.core.config import StreamsConfig
from millstream.core.errors import (
    MissingSourceTopicException,
    TopologyException,
    UnsupportedOperationException,
)
from millstream.core.plan import Node, Plan, SourceNode
from millstream.topology.spark.brokers import Brokers
from millstream.topology.spark.checkpoint import (
    Checkpoint,
    LocalCheckpoint,
    RemoteCheckpoint,
    check_same,
    local_path,
    new_checkpoint,
)
from millstream.topology.spark.clients import (
    client_settings,
    connector_settings,
    consumer_settings,
    producer_settings,
)
from millstream.topology.spark.compile import Layout, compile_plan
from millstream.topology.spark.job import Job
from millstream.topology.spark.line import LineOptions, start_line
from millstream.topology.spark.offsets import starting_offsets
from millstream.topology.spark.probe import needs_wall_clock
from millstream.topology.spark.session import new_session, query_session
from millstream.topology.topology import Topology

CHECKPOINT_LOCATION = "millstream.checkpoint.location"
RECORDS_PER_BATCH = "millstream.max.records.per.batch"
DEFAULT_RECORDS_PER_BATCH = 500_000
_STOP_POLL_S = 0.005


class Runner:
    """One application's query on Spark.

    Args:
        topology: What to run.
        config: The application's configuration.
        spark: The session to run in; None to make one.
    """

    def __init__(
        self, topology: Topology, config: StreamsConfig, spark: SparkSession | None
    ) -> None:
        self.application_id: str = config.getString("application.id")
        self._config = config
        self._entries = config.merged()
        self._spark = spark
        self._description = str(topology.describe())
        self._plan = topology.plan()
        if not any(part.sources for part in self._plan.subtopologies):
            raise TopologyException(
                "the topology reads no topic",
                hint="Give it at least one source, or a stream from StreamsBuilder.stream().",
            )
        if self._plan.globals:
            raise UnsupportedOperationException(
                "cannot run a topology with a global store on Spark",
                detail=f'It has "{self._plan.globals[0].store.name}".',
                hint="Read the topic as a table instead.",
            )
        self._query: StreamingQuery | None = None
        self._again: tuple[SparkSession, Job, LineOptions] | None = None

    @property
    def state_dir(self) -> Path:
        """The directory of this application's local files."""
        return Path(self._config.getString("state.dir")) / self.application_id

    @property
    def checkpoint_location(self) -> str:
        """Where Spark keeps progress and stores; any file system that it knows."""
        given = self._entries.get(CHECKPOINT_LOCATION)
        return str(given) if given else f"file://{(self.state_dir / 'checkpoint').absolute()}"

    def start(self) -> None:
        """Check everything that can be checked without Spark, then start the query."""
        brokers = Brokers(self._config)
        sizes = brokers.topic_sizes()
        local = local_path(self.checkpoint_location)
        found = None if local is None else LocalCheckpoint(local).read()
        plan, matched = without_patterns(self._plan, {} if found is None else found.topics, sizes)
        source_sizes = brokers.source_sizes(plan, sizes)
        layout = compile_plan(plan, self.application_id, source_sizes)
        wanted = new_checkpoint(self._description, _tasks(layout), matched)
        if found is not None:
            check_same(found, wanted, self.checkpoint_location)
        sink_sizes = brokers.sink_sizes(_sink_topics(plan), sizes)
        brokers.create_progress_topic(len(layout.keys), sizes)
        offsets = starting_offsets(plan, self._config, brokers, source_sizes)
        ticks = needs_wall_clock(plan, self._config)
        spark = self._spark or new_session(self._entries, self.application_id)
        note = self._noted(spark, wanted)
        options = LineOptions(
            checkpoint=self.checkpoint_location,
            connector=connector_settings(self._config),
            starting_offsets=offsets,
            records_per_batch=int(
                self._entries.get(RECORDS_PER_BATCH) or DEFAULT_RECORDS_PER_BATCH
            ),
            trigger_ms=self._trigger_ms(ticks),
            ticks=ticks,
        )
        session = query_session(spark, self._entries, len(layout.keys))
        self._again = (session, self._job(plan, layout, sink_sizes, note), options)
        self._query = start_line(*self._again)

    def restart(self) -> None:
        """Start the query again from its checkpoint."""
        assert self._again is not None
        session, job, options = self._again
        self._query = start_line(session, replace(job, run_id=uuid.uuid4().hex), options)

    def stop(self, timeout_s: float | None) -> None:
        """Let the batch in hand finish, as far as time allows, and stop the query."""
        query = self._query
        if query is None:
            return
        give_up = None if timeout_s is None else time.monotonic() + timeout_s
        batch = _batch_of(query)
        while query.isActive and query.status["isTriggerActive"] and _batch_of(query) == batch:
            if give_up is not None and time.monotonic() > give_up:
                break
            time.sleep(_STOP_POLL_S)
        query.stop()

    def failure(self) -> str | None:
        """Return the text of what ended the query; None while it is active."""
        query = self._query
        if query is None or query.isActive:
            return None
        error = query.exception()
        return "the query was stopped from outside" if error is None else str(error)

    def last_progress(self) -> dict[str, Any] | None:
        """Return Spark's account of the last batch; None before the first has ended."""
        progress = None if self._query is None else self._query.lastProgress
        return None if progress is None else json.loads(progress.json)

    def _noted(self, spark: SparkSession, wanted: Checkpoint) -> Checkpoint:
        """Return the note in the checkpoint, which is written if the checkpoint is new."""
        location = self.checkpoint_location
        local = local_path(location)
        files = RemoteCheckpoint(spark, location) if local is None else LocalCheckpoint(local)
        found = files.read()
        if found is None:
            files.write(wanted)
            return wanted
        check_same(found, wanted, location)
        return found

    def _job(
        self, plan: Plan, layout: Layout, sink_sizes: dict[str, int], checkpoint: Checkpoint
    ) -> Job:
        return Job(
            application_id=self.application_id,
            checkpoint_id=checkpoint.id,
            run_id=uuid.uuid4().hex,
            topology=cloudpickle.dumps((plan, self._config)),  # type: ignore[no-untyped-call]
            layout=layout,
            sink_partitions=sink_sizes,
            exactly_once=self._config.exactly_once(),
            state_dir=str(Path(self._config.getString("state.dir")).absolute()),
            client=client_settings(self._config),
            producer=producer_settings(self._config),
            consumer=consumer_settings(self._config, self.application_id),
        )

    def _trigger_ms(self, ticks: bool) -> int:
        if "commit.interval.ms" in self._config.originals():
            return self._config.getLong("commit.interval.ms")
        return self._config.getLong("poll.ms") if ticks else 0


def without_patterns(
    plan: Plan, known: Mapping[str, list[str]], sizes: Mapping[str, int]
) -> tuple[Plan, dict[str, list[str]]]:
    """Return the plan with topics in the place of patterns, and which they are by source node.

    Args:
        plan: The topology.
        known: What a checkpoint has noted; the topics of a checkpoint never change.
        sizes: All topics of the broker.
    """
    named = {topic for part in plan.subtopologies for topic in part.source_topics}
    matched: dict[str, list[str]] = {}

    def resolved(node: Node) -> Node:
        if not isinstance(node, SourceNode) or node.pattern is None:
            return node
        candidates = sorted(sizes.keys() - named)
        topics = [t for t in candidates if node.reads(t) and not t.startswith("__")]
        matched[node.name] = topics = list(known.get(node.name, topics))
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


def _tasks(layout: Layout) -> dict[str, int]:
    return {str(stage.subtopology): stage.tasks for stage in layout.stages}


def _sink_topics(plan: Plan) -> list[str]:
    topics = (topic for part in plan.subtopologies for topic in part.sink_topics)
    return [topic for topic in dict.fromkeys(topics) if topic not in plan.repartition_topics]


def _batch_of(query: StreamingQuery) -> int:
    progress = query.lastProgress
    return -1 if progress is None else progress.batchId
