"""Start and stop of an application's streaming query, and the preparations for it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.errors import ConfigException, TopologyException
from millstream.core.plan import Plan
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.spark.admission.instance import ApplicationInstance
from millstream.topology.spark.backfill.history import History
from millstream.topology.spark.changelogs.kept import KeptChangelogs
from millstream.topology.spark.checkpoint.descriptor import (
    Checkpoint,
    local_files,
    local_path,
)
from millstream.topology.spark.checkpoint.files import Files, RemoteFiles
from millstream.topology.spark.checkpoint.store_notes import kinds_of
from millstream.topology.spark.clients.settings import (
    client_settings,
    connector_settings,
    consumer_settings,
    producer_settings,
)
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.driver.backfill import Backfill, StartingApplication, check_finished
from millstream.topology.spark.driver.brokers import Brokers, written_topics
from millstream.topology.spark.driver.changelogs import ChangelogStart, wanted_changelogs
from millstream.topology.spark.driver.compiling import compiled_for
from millstream.topology.spark.driver.deleted_records import DeletedRecords, read_to, without_reset
from millstream.topology.spark.driver.jvm import quieten
from millstream.topology.spark.driver.line import BatchLimit, LineOptions
from millstream.topology.spark.driver.offsets import from_the_beginning, starting_offsets
from millstream.topology.spark.driver.owned import OwnedQuery
from millstream.topology.spark.driver.pickled import pickled
from millstream.topology.spark.driver.preflight import check_java, check_places
from millstream.topology.spark.driver.restores import RebuiltStores
from millstream.topology.spark.driver.savepoints import take_savepoint
from millstream.topology.spark.driver.segment_files import with_segment_files
from millstream.topology.spark.driver.standbys import standby_directory
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.moved import settle
from millstream.topology.spark.generations.moving import Compiled, StateMove, admitted, noted
from millstream.topology.spark.generations.telling import tell_of_savepoint
from millstream.topology.spark.generations.unread import check_feedback_read
from millstream.topology.spark.job import Job
from millstream.topology.spark.logs import LogOptions
from millstream.topology.spark.measurements import Measurements
from millstream.topology.spark.part_times import PartTimes
from millstream.topology.spark.placement.watcher import PlacementWatcher, steering_assignor
from millstream.topology.spark.private import private_state
from millstream.topology.spark.queries.carrying import with_changes
from millstream.topology.spark.shipped import shipped
from millstream.topology.topology import Topology


@dataclass(frozen=True, slots=True)
class Started:
    """Facts about a started application."""

    session: SparkSession
    plan: Plan
    """The topology; source patterns are already resolved to topics."""
    job: Job
    begins_with_state: bool
    """Whether the first batch takes up what an earlier program has left."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """What a start has prepared for its query."""

    brokers: Brokers
    compiled: Compiled
    generations: Generations
    note: Checkpoint
    sink_sizes: dict[str, int]
    spark: SparkSession
    session: SparkSession
    """With the settings of queries."""
    changelogs: KeptChangelogs | None
    """The changelog topics to write; None without that setting."""


class Runner(OwnedQuery):
    """One application's query on Spark.

    Args:
        topology: The topology to run.
        config: The application's configuration.
        spark: The session to run in; None to make one.
    """

    def __init__(
        self, topology: Topology, config: StreamsConfig, spark: SparkSession | None
    ) -> None:
        super().__init__(config, spark)
        self.application_id: str = config.getString("application.id")
        if not self.application_id:
            raise ConfigException(
                "Invalid value  for configuration application.id: It must not be empty",
                detail="It names the consumer group, internal topics and local directories.",
            )
        self._entries = config.merged()
        self.description = str(topology.describe())
        self.plan = topology.plan()
        self._assignor = steering_assignor(config)
        if not any(part.sources for part in self.plan.subtopologies) and not self.plan.globals:
            raise TopologyException(
                "Topology has no stream threads and no global threads, must subscribe to at least "
                "one source topic or global table.",
                hint="Give it at least one source, or a stream from StreamsBuilder.stream().",
            )
        self.log = LogOptions.of(config, self.state_dir)
        root = self.checkpoint_root
        self._instance = ApplicationInstance(config, self.state_dir, root, self.plan)
        self.checkpoint_location = self.checkpoint_root
        """Location of the checkpoint's current generation."""
        self.started: Started | None = None
        self.deleted = DeletedRecords(config)
        self.measurements = Measurements(
            config, self.application_id, self.description, lambda: self.deleted.count
        )
        """Metrics reported by workers."""
        self.backfill: Backfill | None = None
        """The run over history; None if the application runs on."""
        self.rebuilt: RebuiltStores | None = None
        """Reports of restored stores; None without a restore listener."""
        self.part_times: PartTimes | None = None
        """Reports of how long parts of batches took; None without an onlooker."""
        self.moving = ""
        """What the state is from that is being moved into a new generation; else empty."""

    @property
    def state_dir(self) -> Path:
        """The directory of this application's local files."""
        return Path(self._config.getString("state.dir")) / self.application_id

    def local_places(self) -> list[Path]:
        """Return the directories on this machine that a batch writes to."""
        checkpoint = local_path(self.checkpoint_root)
        return [self.state_dir, *([] if checkpoint is None else [checkpoint])]

    def store_names(self) -> set[str]:
        """Return the names of all stores, global ones included."""
        parts = self.plan.subtopologies
        own = {node.name for part in parts for node in part.stores}
        return own | {store.store.name for store in self.plan.globals}

    def tasks(self) -> int:
        """Return the number of tasks; 0 before the start."""
        stages = () if self.started is None else self.started.job.layout.stages
        return sum(stage.tasks for stage in stages)

    def start(self) -> None:
        """Check everything that can be checked without Spark, then start the query.

        Raises:
            StartCancelled: The application was stopped meanwhile.
        """
        self._check_wanted()
        # Checks that need neither broker nor Spark come first.
        pickled(self.plan, self._config)
        if self._spark is None:
            check_java()
        try:
            self._own(may_wait=True)
            self._start()
        except BaseException:
            self.release()
            raise

    def restart(self) -> None:
        """Start the query again; raise if records are gone that a reset policy does not allow."""
        if self._again is not None and self.backfill is None:
            session, _, options = self._again
            offsets = read_to(self.checkpoint_location, session, options.starting_offsets)
            self.deleted.check(self.plan, offsets)
        super().restart()

    def savepoint(self, directory: str) -> SavepointManifest:
        """Write a savepoint of the last committed batch."""
        session = self._spark if self.started is None else self.started.session
        return take_savepoint(self._config, directory, session)

    def restore(self, directory: str) -> None:
        """Make a savepoint the next generation of the checkpoint; start nothing.

        Raises:
            LockException: The application runs.
            StreamsException: The savepoint does not fit the program, or is damaged.
        """
        self.replace(lambda: directory)

    def replace(self, make: Callable[[], str | None]) -> bool:
        """Make a savepoint the next generation, like ``restore``; tell whether there was one.

        Args:
            make: Returns the savepoint's directory, while the application is locked; None to
                leave the checkpoint as it is.
        """
        try:
            self._own(may_wait=False)
            directory = make()
            if directory is None:
                return False
            self._prepared(directory)
            return True
        finally:
            self.release()

    def _start(self) -> None:
        ready = self._prepared()
        compiled, layout = ready.compiled, ready.compiled.layout
        ticks, spark = bool(compiled.wanted.ticks), ready.spark
        offsets = self._offsets(ready.brokers, compiled)
        if self.backfill is None:
            self.deleted.check(compiled.plan, offsets)
        changes = ChangelogStart(self._config, compiled, self._instance, ready.generations)
        changes.bring(ready.changelogs, ready.note, ready.session)
        options = LineOptions(
            checkpoint=self.checkpoint_location,
            seed=ready.generations.seed,
            connector=connector_settings(self._config),
            starting_offsets=offsets,
            backlog=self._backlog(ready.brokers, layout, offsets),
            batches=BatchLimit.of(self._config),
            trigger_ms=self._trigger_ms(ticks),
            ticks=ticks,
            history=self._history(ready, offsets),
            global_connector=connector_settings(self._config, "global.consumer."),
            global_offsets=from_the_beginning(compiled.global_sizes),
            without_reset=without_reset(compiled.plan, offsets, self._config),
        )
        job = replace(
            self._job(ready),
            kinds=kinds_of(compiled.wanted.stores),
            changelogs={} if ready.changelogs is None else ready.changelogs.stores(),
            files=frozenset(() if options.history is None else options.history.files),
            recorded=spark.sparkContext.accumulator([], self.measurements.reports),
        )
        job = with_changes(job, spark.sparkContext, self.carrying)
        if self.log.on and (spark.sparkContext.master or "").startswith("local"):
            job = replace(job, log=str(self.log.path))
        if self.rebuilt is not None:
            job = replace(job, rebuilt=spark.sparkContext.accumulator([], self.rebuilt))
        if self.part_times is not None:
            job = replace(job, timed=spark.sparkContext.accumulator([], self.part_times))
        standbys = standby_directory(self._config, spark, self.checkpoint_root, job)
        job = with_segment_files(
            replace(job, standbys=standbys), self._config, options, ready.session
        )
        self._again = (ready.session, job, options)
        self.placement = PlacementWatcher(
            self._config, self.state_dir, ready.session, compiled.plan, layout, self._assignor, job
        )
        self.started = Started(ready.session, compiled.plan, job, bool(options.seed))
        changelogs = {each.topic for each in job.changelogs.values()}
        self.sources.watch([*compiled.read, *compiled.global_sizes], changelogs)
        self._run()

    def _prepared(self, restore: str = "") -> _Ready:
        """Admit the instance, move the state where the program has changed, claim the output."""
        brokers = Brokers(self._config)
        sizes = brokers.topic_sizes(self.plan)
        local = local_files(self.checkpoint_root)
        generations = None if local is None else self._generations(local)
        program = self.plan, self.description, self._config
        compiled = compiled_for(*program, brokers, sizes, generations)
        plan, layout = compiled.plan, compiled.layout
        sink_sizes = brokers.sink_sizes(written_topics(plan, self._config), sizes)
        sinks = brokers.create_progress_topics(len(layout.keys), sizes)
        growing = brokers.create_feedback_topics(layout.feedback, sizes, grow=bool(restore))
        move = None
        if generations is not None:
            move = self._admitted(generations, compiled, sinks, restore)
        if generations is None or self._instance.positions is None:
            starting_offsets(plan, self._config, brokers, compiled.read, layout.feedback)
        self._check_wanted()
        spark = self._session_with_workers()
        check_places(spark, self._config, self.local_places())
        if self.log.on and not self.log.verbose:
            quieten(spark)
        self._check_wanted()
        private_state(self.state_dir)
        self._hold()
        if generations is None:
            generations = self._generations(RemoteFiles(spark, self.checkpoint_root), spark)
            compiled = compiled_for(*program, brokers, sizes, generations)
            move = self._admitted(generations, compiled, sinks, restore)
        session = self._session_of_the_query(spark, len(layout.keys))
        changelogs = None if restore else wanted_changelogs(compiled, sizes, self._config)
        if move is not None:
            self._check_wanted()
            if growing:
                check_feedback_read(self._config, self._instance.progress().done_to, growing)
                brokers.grow(growing)
            self.moving = move.origin
            try:
                move.make(session)
            finally:
                self.moving = ""
            self.checkpoint_location = generations.location
        note = noted(generations, compiled.wanted)
        self._instance.claim(generations.files, note.id, sinks, compiled.global_sizes)
        settle(generations.files, generations.location)
        return _Ready(brokers, compiled, generations, note, sink_sizes, spark, session, changelogs)

    def _generations(self, files: Files, spark: SparkSession | None = None) -> Generations:
        def open_files(location: str) -> Files:
            local = local_files(location)
            if local is not None:
                return local
            assert spark is not None
            return RemoteFiles(spark, location)

        generations = Generations(self.checkpoint_root, files, open_files)
        self.checkpoint_location = generations.location
        return generations

    def _admitted(
        self, generations: Generations, compiled: Compiled, sinks: int, restore: str
    ) -> StateMove | None:
        """Admit the instance; return the move of its state if one is needed."""
        move = admitted(self._instance, generations, compiled, self._config, sinks, restore)
        self.checkpoint_location = generations.location
        if not restore:
            tell_of_savepoint(generations, move, self._config)
            check_finished(self._instance.positions, self.backfill, changed=move is not None)
        return move

    def _offsets(self, brokers: Brokers, compiled: Compiled) -> dict[str, dict[int, int]]:
        """Return where the query begins: at the checkpoint's positions, or as a first start."""
        read = compiled.read
        # What an earlier program has read may be gone.
        known = {t: at for t, at in (self._instance.positions or {}).items() if t in read}
        if all(known.get(topic, {}).keys() >= set(range(count)) for topic, count in read.items()):
            return known
        begin = starting_offsets(
            compiled.plan, self._config, brokers, read, compiled.layout.feedback, known
        )
        return {topic: begin[topic] | known.get(topic, {}) for topic in read}

    def _backlog(
        self, brokers: Brokers, layout: Layout, offsets: Mapping[str, Mapping[int, int]]
    ) -> dict[str, int]:
        if self.backfill is not None or not layout.reads_at_several_places():
            return {}
        return brokers.backlogs(offsets)

    def _history(self, ready: _Ready, offsets: Mapping[str, Mapping[int, int]]) -> History | None:
        if self.backfill is None:
            return None
        starting = StartingApplication(
            config=self._config,
            layout=ready.compiled.layout,
            read=ready.compiled.read,
            offsets=offsets,
            positions=self._instance.positions,
            directory=self.state_dir,
            files=ready.generations.files,
            run=self._instance.id,
            commit=self._instance.settle,
            session=ready.session,
            location=self.checkpoint_location,
        )
        return self.backfill.prepare(starting)

    def _job(self, ready: _Ready) -> Job:
        data = pickled(ready.compiled.plan, self._config)
        return Job(
            application_id=self.application_id,
            checkpoint_id=ready.note.id,
            instance=self._instance.id,
            run_id=uuid.uuid4().hex,
            topology=shipped(data, ready.spark.sparkContext),
            layout=ready.compiled.layout,
            sink_partitions=ready.sink_sizes,
            exactly_once=self._config.exactly_once(),
            state_dir=str(Path(self._config.getString("state.dir")).absolute()),
            patience_s=self._config.getLong("task.timeout.ms") / 1000,
            client=client_settings(self._config),
            producer=producer_settings(self._config),
            consumer=consumer_settings(self._config, self.application_id),
        )

    def _trigger_ms(self, ticks: bool) -> int:
        if self.backfill is not None:
            return 0
        if "commit.interval.ms" in self._config.originals():
            return self._config.getLong("commit.interval.ms")
        return self._config.getLong("poll.ms") if ticks else 0
