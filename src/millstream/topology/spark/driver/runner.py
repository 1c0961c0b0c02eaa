"""Start and stop of an application's streaming query, and all that has to be made for it."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import CHECKPOINT_LOCATION, RECORDS_PER_BATCH
from millstream.core.errors import (
    ConfigException,
    MissingSourceTopicException,
    TopologyException,
)
from millstream.core.plan import Node, Plan, SourceNode
from millstream.topology.spark.admission.instance import Instance, local_files
from millstream.topology.spark.checkpoint.descriptor import (
    FILE,
    Checkpoint,
    check_same,
    new_checkpoint,
)
from millstream.topology.spark.checkpoint.files import Files, RemoteFiles
from millstream.topology.spark.checkpoint.store_notes import (
    compatible_stores,
    kinds_of,
    log_carried,
    merged,
    notes_of,
)
from millstream.topology.spark.clients.settings import (
    client_settings,
    connector_settings,
    consumer_settings,
    global_connector_settings,
    producer_settings,
)
from millstream.topology.spark.compile import Layout, compile_plan
from millstream.topology.spark.damage import damage_told, with_causes
from millstream.topology.spark.driver.brokers import Brokers
from millstream.topology.spark.driver.jvm import quieten
from millstream.topology.spark.driver.line import LineOptions, start_line
from millstream.topology.spark.driver.offsets import from_the_beginning, starting_offsets
from millstream.topology.spark.driver.on_this_machine import warn_without_retries
from millstream.topology.spark.driver.pickled import pickled
from millstream.topology.spark.driver.preflight import check_java
from millstream.topology.spark.driver.probe import needs_wall_clock
from millstream.topology.spark.driver.purge import Purger
from millstream.topology.spark.driver.restores import RebuiltStores
from millstream.topology.spark.driver.session import new_session, query_session
from millstream.topology.spark.job import Job
from millstream.topology.spark.logs import LogOptions
from millstream.topology.spark.measurements import Measurements
from millstream.topology.spark.placement.watcher import Placement, steering_assignor
from millstream.topology.spark.private import private_state
from millstream.topology.topology import Topology

_STOP_POLL_S = 0.005


@dataclass(frozen=True, slots=True)
class Started:
    """What is known of an application once it has been started."""

    session: SparkSession
    plan: Plan
    """No source has a pattern any more."""
    job: Job


class Unwanted(Exception):
    """The application is to be closed before its query was started."""


@dataclass(frozen=True, slots=True)
class _Compiled:
    plan: Plan
    layout: Layout
    wanted: Checkpoint
    """What a new checkpoint would note."""
    read: dict[str, int]
    """The topics that are read and committed, and how many partitions they have."""
    global_sizes: dict[str, int]


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
        if not self.application_id:
            raise ConfigException(
                "Invalid value  for configuration application.id: It must not be empty",
                detail="It names the consumer group, internal topics and local directories.",
            )
        self._config = config
        self._entries = config.merged()
        self._spark = spark
        self._description = str(topology.describe())
        self._plan = topology.plan()
        self._assignor = steering_assignor(config)
        self.placement: Placement | None = None
        """Where the tasks run; None before the start."""
        if not any(part.sources for part in self._plan.subtopologies) and not self._plan.globals:
            raise TopologyException(
                "Topology has no stream threads and no global threads, must subscribe to at least "
                "one source topic or global table.",
                hint="Give it at least one source, or a stream from StreamsBuilder.stream().",
            )
        self.log = LogOptions.of(config, self.state_dir)
        self._instance = Instance(
            config, self.state_dir, self.checkpoint_location, stores=bool(self.store_names())
        )
        self._query: StreamingQuery | None = None
        self._again: tuple[SparkSession, Job, LineOptions] | None = None
        self._changing = threading.RLock()
        """Held by who starts or stops the query."""
        self._held = False
        self._over = False
        """The query is not to be started, or started again."""
        self._hurry = False
        """The batch under way is not to be waited for."""
        self.started: Started | None = None
        self._progress: dict[str, Any] | None = None
        self.measurements = Measurements(config, self.application_id, self._description)
        """What workers have measured."""
        self.rebuilt: RebuiltStores | None = None
        """Where to put aside what workers report of stores they have built anew; None: nowhere."""

    @property
    def state_dir(self) -> Path:
        """The directory of this application's local files."""
        return Path(self._config.getString("state.dir")) / self.application_id

    @property
    def checkpoint_location(self) -> str:
        """Where Spark keeps progress and stores; any file system that it knows."""
        given = self._config.getString(CHECKPOINT_LOCATION)
        return str(given) if given else f"file://{(self.state_dir / 'checkpoint').absolute()}"

    def store_names(self) -> set[str]:
        """Return the names of all stores, global ones included."""
        parts = self._plan.subtopologies
        own = {node.name for part in parts for node in part.stores}
        return own | {store.store.name for store in self._plan.globals}

    def tasks(self) -> int:
        """Return how many tasks the application has; 0 before the start."""
        stages = () if self.started is None else self.started.job.layout.stages
        return sum(stage.tasks for stage in stages)

    def start(self) -> None:
        """Check everything that can be checked without Spark, then start the query.

        Raises:
            Unwanted: It was stopped meanwhile.
        """
        self._check_wanted()
        # What needs neither broker nor Spark comes first.
        pickled(self._plan, self._config)
        if self._spark is None:
            check_java()
        self._instance.lock()
        try:
            self._start()
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Let other instances have the state directory; for the application's end."""
        self._instance.release()

    def clean_up(self) -> list[Path]:
        """Delete the local copies of stores; the next start may have to empty the checkpoint."""
        return self._instance.clean_up()

    def _start(self) -> None:
        brokers = Brokers(self._config)
        sizes = brokers.topic_sizes()
        files: Files | None = local_files(self.checkpoint_location)
        compiled = self._compiled(brokers, sizes, self._note(files))
        sink_sizes = brokers.sink_sizes(self._written(compiled.plan), sizes)
        sinks = brokers.create_progress_topics(len(compiled.layout.keys), sizes)
        brokers.create_feedback_topics(compiled.layout.feedback, sizes)
        if files is not None:
            if self._instance.admit(files, compiled.read, sinks):
                compiled = self._compiled(brokers, sizes, None)
            if (found := self._note(files)) is not None:
                self._check_same(found, compiled.wanted)
        plan, layout = compiled.plan, compiled.layout
        if files is None or self._instance.positions is None:
            starting_offsets(plan, self._config, brokers, compiled.read, layout.feedback)
        ticks = needs_wall_clock(plan, self._config)
        self._check_wanted()
        spark = self._spark or new_session(self._entries, self.application_id, self.log)
        if self._spark is not None:
            warn_without_retries(spark.sparkContext.master or "")
        if self.log.on and not self.log.verbose:
            quieten(spark)
        self._check_wanted()
        private_state(self.state_dir)
        if files is None:
            files = RemoteFiles(spark, self.checkpoint_location)
            self._instance.admit(files, compiled.read, sinks)
        note = self._noted(files, compiled.wanted)
        self._instance.claim(files, note.id, sinks)
        offsets = self._instance.positions or {}
        if compiled.read.keys() - offsets.keys():
            begin = starting_offsets(plan, self._config, brokers, compiled.read, layout.feedback)
            offsets = begin | offsets
        options = LineOptions(
            checkpoint=self.checkpoint_location,
            connector=connector_settings(self._config),
            starting_offsets=offsets,
            backlog=brokers.backlogs(offsets) if _reads_at_several_places(layout) else {},
            records_per_batch=self._config.getInt(RECORDS_PER_BATCH),
            trigger_ms=self._trigger_ms(ticks),
            ticks=ticks,
            global_connector=global_connector_settings(self._config),
            global_offsets=from_the_beginning(compiled.global_sizes),
        )
        session = query_session(spark, self._entries, len(layout.keys))
        job = replace(
            self._job(plan, layout, sink_sizes, note), kinds=kinds_of(compiled.wanted.stores)
        )
        if self.log.on and (spark.sparkContext.master or "").startswith("local"):
            job = replace(job, log=str(self.log.path))
        if self.rebuilt is not None:
            job = replace(job, rebuilt=spark.sparkContext.accumulator([], self.rebuilt))
        recorded = spark.sparkContext.accumulator([], self.measurements.reports)
        job = replace(job, recorded=recorded)
        self._again = (session, job, options)
        self.placement = Placement(
            self._config, self.state_dir, session, plan, layout, self._assignor
        )
        self.started = Started(session, plan, job)
        self._run()

    def restart(self) -> None:
        """Start the query again from its checkpoint, unless it is held.

        Raises:
            Unwanted: It has been stopped.
            TaskMigratedException: Another instance has taken over meanwhile.
        """
        self._instance.check()
        self._run()

    def _run(self) -> None:
        assert self._again is not None
        session, job, options = self._again
        with self._changing:
            self._check_wanted()
            if not self._held:
                again = replace(job, run_id=uuid.uuid4().hex)
                with damage_told():
                    self._query = start_line(session, again, options)
                if self.placement is not None:
                    self.placement.watch(self._query)
                if job.layout.feedback:
                    interval_ms = self._config.getLong("repartition.purge.interval.ms")
                    Purger(job.layout.feedback, interval_ms, job.client).watch(self._query)

    def no_more(self) -> None:
        """Start no query from now on."""
        self._over = True

    def hurry(self) -> None:
        """Wait for no batch any longer: what it has done is undone, and done at the next start."""
        self._hurry = True

    def halt(self) -> None:
        """Stop the query at once; another one may be started."""
        with self._changing:
            if self._query is not None:
                self._query.stop()

    def stop(self, timeout_s: float | None) -> None:
        """Let the current batch finish, as far as time allows, and stop the query."""
        self.no_more()
        with self._changing:
            if self._query is not None:
                self._stop(self._query, timeout_s)

    def hold(self) -> None:
        """Stop the query after the current batch; if there is none yet, start none."""
        with self._changing:
            self._held = True
            self._progress = self.last_progress()
            # First, so that the end of the query is not taken for a failure.
            query, self._query = self._query, None
            if query is not None:
                self._stop(query, None)

    def go_on(self) -> None:
        """Start the query that was held, if it should have been running."""
        with self._changing:
            self._held = False
            if self._again is None or self._query is not None:
                return
            try:
                self.restart()
            except BaseException:
                self._held = True
                raise

    def failure(self) -> str | None:
        """Return the text of what ended the query; None while it is active."""
        query = self._query
        if query is None or query.isActive:
            return None
        error = query.exception()
        if error is None:
            return "the query was stopped from outside"
        reported: Any = query
        return with_causes(str(error), reported._jsq.exception().get())

    def last_progress(self) -> dict[str, Any] | None:
        """Return Spark's account of the last batch; None before the first has ended."""
        progress = None if self._query is None else self._query.lastProgress
        return self._progress if progress is None else json.loads(progress.json)

    def recent_progress(self) -> list[dict[str, Any]]:
        """Return Spark's accounts of the last batches, oldest first, as many as it keeps."""
        query: Any = self._query
        if query is None:
            return []
        return [json.loads(each.json()) for each in query._jsq.recentProgress()]

    def _check_wanted(self) -> None:
        if self._over:
            raise Unwanted

    def _stop(self, query: StreamingQuery, timeout_s: float | None) -> None:
        give_up = None if timeout_s is None else time.monotonic() + timeout_s
        batch = _batch_of(query)
        while query.isActive and query.status["isTriggerActive"] and _batch_of(query) == batch:
            if self._hurry or (give_up is not None and time.monotonic() > give_up):
                break
            time.sleep(_STOP_POLL_S)
        query.stop()

    def _compiled(
        self, brokers: Brokers, sizes: dict[str, int], found: Checkpoint | None
    ) -> _Compiled:
        plan, matched = without_patterns(self._plan, {} if found is None else found.topics, sizes)
        source_sizes = brokers.source_sizes(plan, sizes)
        global_sizes = brokers.global_sizes(plan, sizes)
        layout = compile_plan(plan, self.application_id, source_sizes)
        store_format = self._config.getString("dsl.store.format")
        notes = notes_of(plan, self._config)
        wanted = new_checkpoint(self._description, _tasks(layout), matched, store_format, notes)
        return _Compiled(plan, layout, wanted, source_sizes | dict(layout.feedback), global_sizes)

    def _note(self, files: Files | None) -> Checkpoint | None:
        """Return the note in a checkpoint; None if it is new, or not here."""
        if files is None or not files.has(FILE):
            return None
        return Checkpoint.from_json(files.text(FILE), self.checkpoint_location)

    def _noted(self, files: Files, wanted: Checkpoint) -> Checkpoint:
        """Return the note in the checkpoint, which is written if the checkpoint is new."""
        found = self._note(files)
        if found is None:
            files.write(FILE, wanted.to_json())
            return wanted
        self._check_same(found, wanted)
        log_carried(found.stores, wanted.stores)
        noted = replace(found, stores=merged(found.stores, wanted.stores))
        if noted != found:
            files.write(FILE, noted.to_json())
        return noted

    def _check_same(self, found: Checkpoint, wanted: Checkpoint) -> None:
        compatible = compatible_stores(self._config, wanted.stores)
        check_same(found, wanted, self.checkpoint_location, compatible)

    def _job(
        self, plan: Plan, layout: Layout, sink_sizes: dict[str, int], checkpoint: Checkpoint
    ) -> Job:
        return Job(
            application_id=self.application_id,
            checkpoint_id=checkpoint.id,
            instance=self._instance.id,
            run_id=uuid.uuid4().hex,
            topology=pickled(plan, self._config),
            layout=layout,
            sink_partitions=sink_sizes,
            exactly_once=self._config.exactly_once(),
            state_dir=str(Path(self._config.getString("state.dir")).absolute()),
            patience_s=self._config.getLong("task.timeout.ms") / 1000,
            client=client_settings(self._config),
            producer=producer_settings(self._config),
            consumer=consumer_settings(self._config, self.application_id),
        )

    def _written(self, plan: Plan) -> list[str]:
        """Return the topics that are known to be written to: the sinks', and of dead letters."""
        dead_letters = self._config.getString("errors.dead.letter.queue.topic.name")
        return list(dict.fromkeys([*_sink_topics(plan), *filter(None, [dead_letters])]))

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


def _reads_at_several_places(layout: Layout) -> bool:
    return sum(1 for stage in layout.stages if stage.topics) > 1


def _tasks(layout: Layout) -> dict[str, int]:
    return {str(stage.subtopology): stage.tasks for stage in layout.stages}


def _sink_topics(plan: Plan) -> list[str]:
    topics = (topic for part in plan.subtopologies for topic in part.sink_topics)
    return [topic for topic in dict.fromkeys(topics) if topic not in plan.repartition_topics]


def _batch_of(query: StreamingQuery) -> int:
    progress = query.lastProgress
    return -1 if progress is None else progress.batchId
