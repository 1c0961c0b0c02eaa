"""Task: one partition of one or more sub-topologies, run by any host.

The life of a record: ``add`` decodes it and queues it; ``run`` takes the record with the smallest
head event time of all partitions, sends it depth first through the nodes, then runs the
punctuations of stream time that fall due; ``commit`` flushes the record caches, which forwards
their updates. What leaves goes to the host at once.

Record at a time is the meaning. ``run`` takes records in runs and hands them on as chunks where the
results are the same: where no two nodes below the source share a store. Before that it asks the
shortcuts, which may process many records with less work.

Source: Kafka's ``StreamTask``, ``PartitionGroup``, ``ProcessorContextImpl``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from millstream.core.chunk import Chunk, RawChunk
from millstream.core.chunk_processor import ChunkProcessor, JointRun, Take
from millstream.core.engine import snapshots
from millstream.core.engine.assembly import close_parts, init_processors, make_nodes, open_stores
from millstream.core.engine.failure import (
    FATAL,
    FailedProcessing,
    Failures,
    note_record,
)
from millstream.core.engine.host import TaskHost
from millstream.core.engine.punctuations import Punctuations
from millstream.core.engine.queues import Decoded, PartitionGroup, RecordQueue
from millstream.core.engine.run import Run, Runs, context_of
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.shortcuts import SHORTCUTS, Shortcut, gathered
from millstream.core.engine.snapshots import Snapshot
from millstream.core.engine.source import SourceRuntime
from millstream.core.engine.sources import Sources
from millstream.core.engine.store_life import own
from millstream.core.errors import StreamsException
from millstream.core.metrics import Measured, TaskMetrics
from millstream.core.plan import Plan, SubTopology
from millstream.core.processor import TaskId
from millstream.core.record_context import RecordContext
from millstream.core.records import Record
from millstream.core.state import CacheBudget
from millstream.core.user_code import codes_in

S = TypeVar("S", bound=Shortcut)
RUN_LIMIT = 1 << 16


class Task:
    """Runs sub-topologies on the records of one partition number.

    Args:
        plan: The whole topology.
        subtopologies: Those that this task runs: one on Spark, all in the test driver.
        task_id: Its name.
        settings: What the configuration says.
        host: Where bytes come from and go to.
        by_chunks: False runs everything record by record; the result is the same.
        shortcuts: The shortcuts that it may take; the result is the same without them.
        cache: What the record caches may use, if other tasks share it.
        measures: Where it records; metrics of its own by default.
    """

    def __init__(
        self,
        plan: Plan,
        subtopologies: Iterable[SubTopology],
        task_id: TaskId,
        settings: TaskSettings,
        host: TaskHost,
        *,
        by_chunks: bool = True,
        shortcuts: Collection[type[Shortcut]] = SHORTCUTS,
        cache: CacheBudget | None = None,
        measures: TaskMetrics | None = None,
    ) -> None:
        self.id = task_id
        self.settings = settings
        self.host = host
        self.by_chunks = by_chunks
        self.cache = cache or CacheBudget(settings.cache_bytes)
        self.measures = measures or TaskMetrics(settings.metrics(host.now_ms), repr(task_id))
        self.metrics = self.measures.metrics
        self.record_context: RecordContext | None = None
        """The context of the current record."""
        self.clock: RecordContext | None = None
        """The record whose stream time counts, where it is not the current one."""
        self.processed: RecordContext | None = None
        """The record that ``process_one`` took last."""
        self.commit_callbacks: list[Callable[[], Any]] = []
        self.stores: dict[str, Any] = {}
        self.plan = plan
        self.parts = tuple(subtopologies)
        self.group = PartitionGroup()
        self.current_run: Run | None = None
        """The records that are processed as a chunk; None while single records are."""
        self._runs = Runs()
        self._each_depth = 0
        self.punctuations = Punctuations(self)
        fills_globals = {store.subtopology for store in plan.globals}
        self.failures = Failures(self, sends=not fills_globals & {part.id for part in self.parts})
        self.stores = open_stores(self, self.parts)
        sources, self._processors = make_nodes(self, plan, self.parts)
        self.sources = Sources(sources, plan, settings.application_id)
        init_processors(self, self._processors)
        for source in sources:
            self.measures.node_sensor("node-process", source.name)
        self.metrics.before_reading.append(self._measure)
        self._shortcuts = gathered(self, shortcuts)

    def code_of(self, node: str) -> str:
        """Return where the user's functions of a processor are, for an error."""
        return ", ".join(codes_in(each.processor) for each in self._processors if each.name == node)

    # -- input -----------------------------------------------------------------

    def add(self, raw: RawChunk) -> None:
        """Queue records of one topic partition, in offset order after those added before.

        Raises:
            StreamsException: A record cannot be decoded and its handler says to fail.
        """
        if not len(raw):
            return
        source = self.source_of(raw.topic)
        queue = self.group.queue(raw.topic, raw.partition, source)
        decoded = source.decode(queue, raw)
        if raw.measured is not None:
            times = decoded.chunk.timestamps
            ages = raw.measured if times is raw.timestamps else Measured.of_times(times)
            self.measures.consumed(source.name, raw.topic, raw.measured, ages)
        self.group.add(queue, decoded)

    def reads(self, topic: str) -> bool:
        """Tell whether a source of this task reads ``topic`` (its name on the broker)."""
        return self.sources.find(topic) is not None

    def source_of(self, topic: str) -> SourceRuntime:
        """Return the source that reads ``topic``.

        Raises:
            StreamsException: None does.
        """
        return self.sources.get(topic, self.id)

    def has_queued(self) -> bool:
        """Tell whether records wait to be processed."""
        return bool(self.group)

    def queued_topics(self) -> set[str]:
        """Return the topics of the records that wait."""
        return {queue.topic for queue in self.group.heads()}

    def shortcut(self, kind: type[S]) -> S | None:
        """Return the task's shortcut of a kind; None if it never applies here."""
        return next((each for each in self._shortcuts if isinstance(each, kind)), None)

    # -- processing ------------------------------------------------------------

    def process_one(self) -> bool:
        """Process the next record and what falls due with it; tell whether there was one.

        Raises:
            StreamsException: A processor failed and its handler says to fail.
        """
        taken = self.group.take(1)
        if taken is None:
            return False
        queue, decoded, _ = taken
        self._process(queue, decoded)
        return True

    def run(self) -> int:
        """Process everything that is queued; return how many records that was.

        Raises:
            StreamsException: A processor failed and its handler says to fail.
        """
        total = 0
        if not self.punctuations.on_stream_time:
            total = sum(shortcut.take(self.group) for shortcut in self._shortcuts)
        while (taken := self.group.take(RUN_LIMIT)) is not None:
            queue, decoded, count = taken
            if count == 1 or not (self.by_chunks and queue.source.chunked):
                self._process(queue, decoded)
                total += 1
                continue
            start = decoded.position
            stop = self.punctuations.end_of_run(decoded, start, start + count)
            self.process_run(queue, decoded, start, stop)
            self.group.done(queue, stop - start)
            self.punctuations.run_stream_time()
            total += stop - start
        return total

    def process_run(
        self, queue: RecordQueue, decoded: Decoded, start: int, stop: int, take: Take | None = None
    ) -> None:
        """Let the nodes, or ``take``, process decoded records of one partition as a chunk."""
        source, before = queue.source, self.group.stream_time
        run = self.current_run = Run(decoded, start, stop, before)
        self.begin(run)
        began = self.measures.began()
        chunk = decoded.chunk.slice(start, stop)
        run.offsets = chunk.offsets
        self.failures.guarded(take or source.process_chunk, chunk)
        self.punctuations.end_run(run)
        self.current_run = run.offsets = None
        timestamps = chunk.timestamps
        if began:
            self.measures.processed(source.name, timestamps, before, began)
        self.group.stream_time = max(before, max(timestamps))

    def begin(self, *runs: Run) -> None:
        """Begin whole runs, of one or several partitions."""
        self._runs.add(*runs)
        self._each_depth, self.punctuations.scheduled_in_run = 0, False
        self.record_context = None

    def process_joint(self, runs: list[Decoded], process: JointRun, order: list[int]) -> None:
        """Let ``process`` take whole runs of several partitions, merged in an order."""
        before = self.group.stream_time
        self.begin(*(Run(run, 0, len(run.chunk), before) for run in runs))
        self.failures.guarded(process, order)
        self.group.stream_time = max(before, *(max(run.chunk.timestamps) for run in runs))

    def _process(self, queue: RecordQueue, decoded: Decoded) -> None:
        try:
            self.process_at(queue.source, decoded, decoded.position)
        finally:
            # As in Kafka, a record that fails is gone, too: the test driver goes on after it.
            self.group.done(queue, 1)
        self.punctuations.run_stream_time()

    def process_at(self, source: SourceRuntime, decoded: Decoded, index: int) -> None:
        """Let the nodes process one decoded record."""
        record = decoded.chunk.record(index)
        before = self.group.stream_time
        self.group.stream_time = max(before, record._timestamp)
        self.record_context = self.processed = context_of(decoded, index)
        self._runs.note(decoded, index)
        began = self.measures.began()
        self.failures.guarded(source.process, record)
        if began:
            self.measures.processed(source.name, (record._timestamp,), before, began)

    def each(
        self,
        chunk: Chunk,
        process: Callable[[Record[Any, Any]], None],
        judge: str | None = None,
    ) -> None:
        """Process the records of a chunk one by one, each as the current record.

        Args:
            chunk: The records.
            process: Takes one.
            judge: The operator that forwards them, whose exception handler decides on what
                ``process`` could not; None at a source, where nothing else can.
        """
        before, punctuations = self.record_context, self.punctuations
        outermost = self._each_depth == 0 and before is None
        if outermost:
            punctuations.run_before(chunk)
        self._each_depth += 1
        try:
            contexts = self._runs.contexts(chunk, self.current_run)
            for index, (record, context) in enumerate(zip(chunk, contexts, strict=True)):
                self.record_context = context
                try:
                    process(record)
                except (FailedProcessing, *FATAL):
                    raise
                except StreamsException as failure:
                    if judge is None:
                        raise
                    self.failures.handle(judge, record, failure, self.record_context)
                if punctuations.scheduled_in_run and outermost:
                    punctuations.run_after(chunk, index)
        finally:
            self._each_depth -= 1
        # A failure leaves the context as it is: it says which record it was.
        self.record_context = before

    def chunk_context(self, chunk: Chunk, index: int) -> RecordContext:
        """Return the context of one record of a chunk."""
        return self._runs.context(chunk, index)

    @contextmanager
    def as_record(self, record_context: RecordContext) -> Iterator[None]:
        """Make another record the current one; stream time stays as it is, if there was one."""
        before, clock = self.record_context, self.clock
        self.record_context, self.clock = record_context, clock or before or record_context
        try:
            yield
        except Exception as error:
            note_record(error, self.record_context)
            raise
        finally:
            self.record_context, self.clock = before, clock

    @property
    def in_run(self) -> bool:
        """Whether records of one partition are processed as a chunk."""
        return self.current_run is not None

    @property
    def stream_time(self) -> int:
        """The largest event time taken in; -1 before the first record."""
        context = self.clock or self.record_context
        if self.current_run is not None and context is not None:
            return self.current_run.stream_time(context.offset())
        return self.group.stream_time

    def record_context_or_none(self) -> RecordContext:
        """Return the context of the current record, or an empty one."""
        return self.record_context or RecordContext(None, -1, -1, 0)

    # -- commit ----------------------------------------------------------------

    def commit(self) -> None:
        """Flush the stores' caches, in order, which forwards their updates.

        Raises:
            StreamsException: A store or one of its serdes failed, or a node below it. It is the
                first error, and raised when all stores have been flushed.
        """
        first: StreamsException | None = None
        for name, store in self.stores.items():
            try:
                own(store, "commit")({})
            except FATAL as error:
                raise self.failures.placed(error) from error.__cause__
            except Exception as error:  # noqa: BLE001 - a store or a node may raise anything
                first = first or self.failures.of_flush(name, error)
        if first is not None:
            raise first from first.__cause__
        self._runs.clear()
        for callback in self.commit_callbacks:
            callback()

    def snapshot(self) -> bytes:
        """Return what the task has to know after a restart besides its stores."""
        return snapshots.encode(
            stream_time=self.group.stream_time,
            partition_times={
                key: queue.partition_time for key, queue in self.group.queues().items()
            },
            stream_punctuations=self.punctuations.streams.saved(),
            clock_punctuations=self.punctuations.clocks.saved(),
            processors={
                each.name: saved
                for each in self._processors
                if (saved := snapshots.saved_by(each.name, each.processor.save)) is not None
            },
        )

    def restore(self, data: bytes) -> None:
        """Take up where the task that made the snapshot left off."""
        self.resume(snapshots.decode(data))

    def resume(self, saved: Snapshot) -> None:
        """Take up where a snapshot says."""
        self.group.stream_time = saved.stream_time
        for (topic, partition), time in saved.partition_times.items():
            self.group.queue(topic, partition, self.source_of(topic)).partition_time = time
        self.punctuations.streams.restore(saved.stream_punctuations, saved.stream_time)
        self.punctuations.clocks.restore(saved.clock_punctuations, self.host.now_ms())
        for processor in self._processors:
            if processor.name in saved.processors:
                with snapshots.part_of(processor.name):
                    processor.processor.restore(saved.processors[processor.name])

    def processor(self, node: str) -> ChunkProcessor | None:
        """Return a node's processor; None if the task has no processor of that name."""
        return next((each.processor for each in self._processors if each.name == node), None)

    def close(self) -> None:
        """Close processors, then stores; one error is raised when all have been tried."""
        try:
            close_parts(self._processors, self.stores)
        finally:
            self.stores = {}
            self.measures.closed()

    def _measure(self) -> None:
        """Record what is known only in sum."""
        self.measures.moved({} if self.measures.is_global else self.host.measures.taken())
        if self.measures.debug:
            self.measures.cache_size(self.cache.used)
