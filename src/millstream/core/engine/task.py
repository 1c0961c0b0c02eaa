"""The task: one partition of one or more sub-topologies, run by any host.

The life of a record: ``add`` decodes it and queues it; ``run`` takes the record with the smallest
head event time of all partitions, sends it depth first through the nodes, then runs the
punctuations of stream time that fall due; ``commit`` flushes the record caches, which sends more
records down. What leaves goes to the host at once.

Record at a time is the meaning. ``run`` takes records in runs and hands them on as chunks where
nobody can tell the difference: where no two nodes below the source share a store.

Source: Kafka's ``StreamTask``, ``PartitionGroup``, ``ProcessorContextImpl``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from millstream.core.chunk import Chunk, LastOfEachKey, RawChunk
from millstream.core.engine import snapshots
from millstream.core.engine.assembly import close_all, make_nodes, open_stores
from millstream.core.engine.context import due_first, new_punctuation
from millstream.core.engine.failure import (
    FATAL,
    FailedProcessing,
    Failures,
    flush_failure,
    located,
    note_record,
)
from millstream.core.engine.held_back import held_back, overwritten
from millstream.core.engine.host import TaskHost
from millstream.core.engine.punctuation import Punctuation, PunctuationQueue
from millstream.core.engine.queues import Decoded, PartitionGroup, RecordQueue
from millstream.core.engine.run import Run, Runs, context_of
from millstream.core.engine.runtime import ProcessorRuntime
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.source import SourceRuntime
from millstream.core.engine.turns import Turns, sides_of
from millstream.core.errors import (
    StreamsException,
)
from millstream.core.metrics import TaskMetrics
from millstream.core.plan import Plan, SubTopology
from millstream.core.processor import Cancellable, PunctuationType, TaskId
from millstream.core.record_context import RecordContext
from millstream.core.records import Record
from millstream.core.state import CacheBudget

log = logging.getLogger(__name__)

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
        cache: What the record caches may use, if other tasks share it.
        measures: Where it records; metrics of its own if nobody else reads them.
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
        self._clock: RecordContext | None = None
        self.processed: RecordContext | None = None
        """The record that ``process_one`` took last."""
        self.commit_callbacks: list[Callable[[], Any]] = []
        self.stores: dict[str, Any] = {}
        self._plan = plan
        self._parts = tuple(subtopologies)
        self._group = PartitionGroup()
        self._run: Run | None = None
        self._runs = Runs()
        self._each_depth = 0
        self._schedules_in_run = False
        self._streams = PunctuationQueue()
        self._clocks = PunctuationQueue()
        self.failures = Failures(
            task_id, settings.processing_handler, self.measures.dropped, self.send_dead_letters
        )
        self._read: dict[str, bool] = {}
        self.stores = open_stores(self, self._parts)
        self._sources, self._processors = make_nodes(self, plan, self._parts)
        # What a processor writes to a store in its init has the present time in the changelog.
        self.record_context = RecordContext(None, -1, -1, host.now_ms())
        for processor in self._processors:
            processor.init()
        self._streams.settle()
        self._clocks.settle()
        self.record_context = None
        for source in self._sources:
            self.measures.node_sensor("node-process", source.name)
        self.metrics.before_look.append(self._measure)
        # What is measured of every record cannot be told of many.
        self._sides = {} if self.measures.debug else sides_of(self._sources, self._parts)

    # -- input -----------------------------------------------------------------

    def add(self, raw: RawChunk) -> None:
        """Queue records of one topic partition, in offset order after those added before.

        Raises:
            StreamsException: A record cannot be decoded and its handler says to fail.
        """
        if not len(raw):
            return
        source = self._source_of(raw.topic)
        queue = self._group.queue(raw.topic, raw.partition, source)
        decoded = source.decode(queue, raw)
        if raw.measured is not None:
            taken = len(decoded.chunk)
            self.measures.consumed(source.name, raw.topic, raw.measured, taken)
        self._group.add(queue, decoded)

    def reads(self, topic: str) -> bool:
        """Tell whether a source of this task reads ``topic`` (its name on the broker)."""
        found = self._read.get(topic)
        if found is None:
            plain = self._plain(topic)
            found = any(source.node.reads(plain) for source in self._sources)
            self._read[topic] = found
        return found

    def source_name(self, topic: str) -> str | None:
        """Return the source that reads ``topic`` by a pattern; None if it reads it by name."""
        for source in self._sources:
            if source.node.pattern is not None and source.node.reads(topic):
                return source.name
        return None

    def has_queued(self) -> bool:
        """Tell whether records wait to be processed."""
        return bool(self._group)

    def queued_topics(self) -> set[str]:
        """Return the topics of the records that wait."""
        return {queue.topic for queue in self._group.heads()}

    # -- processing ------------------------------------------------------------

    def process_one(self) -> bool:
        """Process the next record and what falls due with it; tell whether there was one.

        Raises:
            StreamsException: A processor failed and its handler says to fail.
        """
        taken = self._group.take(1)
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
        if self.by_chunks and self._streams.next_ms() is None:
            for queue, decoded in held_back(self._group, self.cache):
                self._process_run(queue, decoded, 0, len(decoded.chunk))
                total += len(decoded.chunk)
            total += self._run_in_turns()
        while (taken := self._group.take(RUN_LIMIT)) is not None:
            queue, decoded, count = taken
            if count == 1 or not (self.by_chunks and queue.source.chunked):
                self._process(queue, decoded)
                total += 1
                continue
            start = decoded.position
            stop = self._until_punctuation(decoded, start, start + count)
            self._process_run(queue, decoded, start, stop)
            self._group.done(queue, stop - start)
            self.punctuate_stream_time()
            total += stop - start
        return total

    def may_overwrite(self, topic: str) -> bool:
        """Tell whether ``overwrite`` is worth trying with records of ``topic``."""
        return self._by_columns() and self._source_of(topic).may_overwrite

    def overwrite(self, runs: Sequence[LastOfEachKey]) -> int:
        """Process runs, the last record of each key in the place of all its records.

        Returns:
            How many records that stands for. 0: nothing was done, because somebody can tell the
            difference; add all records, and run.

        Raises:
            StreamsException: A processor failed and its handler says to fail.
        """
        if not self._by_columns():
            return 0
        found = overwritten(self._group, self.cache, runs, self._source_of)
        for run, (queue, decoded) in zip(runs, found, strict=False):
            self._process_run(queue, decoded, 0, len(decoded.chunk))
            queue.partition_time = decoded.chunk.timestamps[-1]
            if run.last.measured is not None:
                name, topic = queue.source.name, run.last.topic
                self.measures.consumed(name, topic, run.last.measured, run.count)
        return sum(run.count for run in runs) if found else 0

    def _by_columns(self) -> bool:
        """Tell whether it is of no interest, record by record, what happens and when."""
        due = self._streams.next_ms() is not None
        return self.by_chunks and not due and not self.measures.debug

    def _process_run(self, queue: RecordQueue, decoded: Decoded, start: int, stop: int) -> None:
        source, before = queue.source, self._group.stream_time
        self._run = Run(decoded, start, stop, before)
        self._runs.add(self._run)
        self._each_depth, self._schedules_in_run = 0, False
        self.record_context = None
        began = self.measures.began()
        self._guarded(source.process_chunk, decoded.chunk.slice(start, stop))
        self._run = None
        timestamps = decoded.chunk.timestamps[start:stop]
        if began:
            self.measures.processed(source.name, timestamps, before, began)
        self._group.stream_time = max(before, max(timestamps))

    def _run_in_turns(self) -> int:
        """Process what waits at the two sides of a join; return how many records that was."""
        turns = Turns.of(self._group, self._sides) if self._sides else None
        if turns is None:
            return 0
        try:
            for source, decoded, index in turns.busy():
                self._process_at(source, decoded, index)
                if self._streams.next_ms() is not None:
                    break
        finally:
            count = turns.finish()
        last, index = turns.last()
        self.record_context = self.processed = context_of(last, index)
        self.punctuate_stream_time()
        return count

    def _process(self, queue: RecordQueue, decoded: Decoded) -> None:
        self._process_at(queue.source, decoded, decoded.position)
        self._group.done(queue, 1)
        self.punctuate_stream_time()

    def _process_at(self, source: SourceRuntime, decoded: Decoded, index: int) -> None:
        record = decoded.chunk.record(index)
        before = self._group.stream_time
        self._group.stream_time = max(before, record._timestamp)
        self.record_context = self.processed = context_of(decoded, index)
        began = self.measures.began()
        self._guarded(source.process, record)
        if began:
            self.measures.processed(source.name, (record._timestamp,), before, began)

    def each(
        self,
        chunk: Chunk,
        process: Callable[[Record[Any, Any]], None],
        judge: str | None = None,
    ) -> None:
        """Hand a chunk's records on one by one, each as the record in hand.

        Args:
            chunk: The records.
            process: Takes one.
            judge: The operator that forwards them, whose exception handler decides on what
                ``process`` could not; None at a source, where nothing else can.
        """
        before = self.record_context
        outermost = self._each_depth == 0
        self._each_depth += 1
        try:
            for index in range(len(chunk)):
                record = chunk.record(index)
                self.record_context = self.chunk_context(chunk, index)
                try:
                    process(record)
                except (FailedProcessing, *FATAL):
                    raise
                except StreamsException as failure:
                    if judge is None:
                        raise
                    self.failures.handle(judge, record, failure, self.record_context)
                if self._schedules_in_run and outermost:
                    self._punctuate_in_run(chunk, index)
        finally:
            self._each_depth -= 1
        # A failure leaves the context as it is: it says which record it was.
        self.record_context = before

    def chunk_context(self, chunk: Chunk, index: int) -> RecordContext:
        """Return the context of one record of a chunk."""
        offset = chunk.offsets[index]
        headers = None if chunk.headers is None else chunk.headers[index]
        raw_key, raw_value = self._runs.raw(chunk, index)
        return RecordContext(
            chunk.topic,
            chunk.partition,
            offset,
            chunk.timestamps[index],
            headers,
            raw_key,
            raw_value,
        )

    @contextmanager
    def as_record(self, record_context: RecordContext) -> Iterator[None]:
        """Make another record the one in hand; stream time stays as it is, if there was one."""
        before, clock = self.record_context, self._clock
        self.record_context, self._clock = record_context, clock or before or record_context
        try:
            yield
        except Exception as error:
            note_record(error, self.record_context)
            raise
        finally:
            self.record_context, self._clock = before, clock

    @property
    def in_run(self) -> bool:
        """Whether records of one partition are going down as a chunk."""
        return self._run is not None

    @property
    def stream_time(self) -> int:
        """The largest event time taken in; -1 before the first record."""
        context = self._clock or self.record_context
        if self._run is not None and context is not None:
            return self._run.stream_time(context.offset())
        return self._group.stream_time

    # -- time ------------------------------------------------------------------

    def schedule(
        self,
        node: Any,
        ordinal: int,
        start_ms: int | None,
        interval_ms: int,
        kind: PunctuationType,
        callback: Any,
    ) -> Cancellable:
        """Take up a node's punctuation."""
        on_stream = kind is PunctuationType.STREAM_TIME
        now_ms = self.stream_time if on_stream else self.host.now_ms()
        first_ms = due_first(start_ms, interval_ms, kind, now_ms)
        punctuation = new_punctuation(node, ordinal, first_ms, interval_ms, callback)
        punctuation.made_ms = now_ms
        (self._streams if on_stream else self._clocks).add(punctuation)
        # The run was cut where the punctuations that were known then would be due.
        self._schedules_in_run |= on_stream and self._run is not None
        return punctuation

    def punctuate_wall_clock(self, *, new_wait: bool = False) -> bool:
        """Run the punctuations that the host's wall clock makes due; tell whether any ran.

        With ``new_wait``, those scheduled at this very time wait until the clock has moved on: it
        stands still for as long as a batch takes, and a schedule is not run by what made it.
        """
        return self._clocks.run(self.host.now_ms(), self._punctuate, new_wait=new_wait)

    def next_wall_clock_ms(self) -> int | None:
        """Return when the next wall-clock punctuation is due; None if none is scheduled."""
        return self._clocks.next_ms()

    # -- commit ----------------------------------------------------------------

    def commit(self) -> None:
        """Flush the stores' caches, in order, which sends their updates down.

        Raises:
            ProcessorStateException: A store or one of its serdes failed, or a node below it.
        """
        for name, store in self.stores.items():
            try:
                store.commit({})
            except FATAL:
                raise
            except Exception as error:
                if isinstance(error, StreamsException):
                    error = self._located("cannot process a record", error)
                raise flush_failure(name, self.id, error) from error
        self._runs.clear()
        for callback in self.commit_callbacks:
            callback()

    def snapshot(self) -> bytes:
        """Return what the task has to know after a restart besides its stores."""
        return snapshots.encode(
            stream_time=self._group.stream_time,
            partition_times={
                key: queue.partition_time for key, queue in self._group.queues().items()
            },
            stream_punctuations=self._streams.saved(),
            clock_punctuations=self._clocks.saved(),
            processors={
                processor.name: saved
                for processor in self._processors
                if (saved := processor.save()) is not None
            },
        )

    def restore(self, data: bytes) -> None:
        """Take up where the task that made the snapshot left off."""
        saved = snapshots.decode(data)
        self._group.stream_time = saved.stream_time
        for (topic, partition), time in saved.partition_times.items():
            self._group.queue(topic, partition, self._source_of(topic)).partition_time = time
        self._streams.restore(saved.stream_punctuations)
        self._clocks.restore(saved.clock_punctuations)
        for processor in self._processors:
            if processor.name in saved.processors:
                processor.restore(saved.processors[processor.name])

    def close(self) -> None:
        """Close processors, then stores; the first error is raised when all have been tried."""
        try:
            close_all((*self._processors, *self.stores.values()))
        finally:
            self.stores = {}
            self.measures.closed()

    def _measure(self) -> None:
        """Record what is known only in sum."""
        self.measures.moved({} if self.measures.is_global else self.host.measures.taken())
        if self.measures.debug:
            self.measures.cache_size(self.cache.used)

    # -- failures and what is dropped --------------------------------------------

    def fail(self, node: ProcessorRuntime, chunk: Chunk, index: int, error: Exception) -> None:
        """Apply the processing exception handler to one record of a chunk; return to skip it."""

        def decide(record: Record[Any, Any]) -> None:
            self.failures.handle(node.name, record, error, self.record_context)

        self.each(chunk.slice(index, index + 1), decide, node.above)

    def count_dropped(
        self, reason: str, node: str, context: RecordContext | None = None, *, told: bool = False
    ) -> None:
        """Count a record that is dropped by rule, and log it unless that was ``told`` before."""
        self.measures.dropped()
        if told:
            return
        context = context or self.record_context
        log.warning(
            "dropped a record reason=%r operator=%s task=%s topic=%s partition=%s offset=%s",
            *(reason, node, self.id),
            *((None, None, None) if context is None else _place(context)),
        )

    def record_context_or_none(self) -> RecordContext:
        """Return the record in hand, or an empty context."""
        return self.record_context or RecordContext(None, -1, -1, -1)

    def send_dead_letters(self, records: list[Any]) -> None:
        """Send records that a handler wants in the dead letter queue."""
        for record in records:
            self.host.send(
                record.topic(),
                record.key(),
                record.value(),
                record.timestamp() if record.timestamp() is not None else self.host.now_ms(),
                record.headers(),
                record.partition(),
            )

    def _guarded(self, process: Callable[[Any], None], item: Any) -> None:
        try:
            process(item)
        except FATAL:
            raise
        except Exception as error:  # noqa: BLE001 - a node may raise anything
            # The cause is the user's own error, whatever it went through on its way here.
            failure = self._located("cannot process a record", error)
            raise failure from failure.__cause__

    def _located(self, problem: str, error: Exception) -> StreamsException:
        if isinstance(error, StreamsException) and not isinstance(error, FailedProcessing):
            return error
        app = self.settings.application_id
        return located(problem, self.id, error, self.record_context, app)

    # -- punctuation -----------------------------------------------------------

    def punctuate_stream_time(self) -> None:
        """Run the stream-time punctuations that are due; none is before the first record.

        Raises:
            StreamsException: A punctuator failed and its handler says to fail.
        """
        next_ms = self._streams.next_ms()
        if next_ms is not None and next_ms <= self._group.stream_time != -1:
            self._streams.run(self._group.stream_time, self._punctuate)

    def _punctuate_in_run(self, chunk: Chunk, index: int) -> None:
        """Run what is due after a record of a run in which something was scheduled."""
        offset = chunk.offsets[index]
        if index + 1 < len(chunk) and chunk.offsets[index + 1] == offset:
            return  # more comes of the same source record
        assert self._run is not None
        now_ms, next_ms = self._run.stream_time(offset), self._streams.next_ms()
        if next_ms is None or next_ms > now_ms:
            return
        before, self._clock = self._clock, self.chunk_context(chunk, index)
        try:
            self._streams.run(now_ms, self._punctuate)
        finally:
            self._clock = before

    def _punctuate(self, punctuation: Punctuation, now_ms: int) -> None:
        self.record_context = RecordContext(None, -1, -1, now_ms)
        began = self.measures.began()
        try:
            punctuation.callback(now_ms)
        except FATAL:
            raise
        except Exception as error:  # noqa: BLE001 - a user's punctuator may raise anything
            try:
                self.failures.handle(punctuation.node.name, None, error, self.record_context)
            except StreamsException as failure:
                located_failure = self._located("cannot punctuate", failure)
                raise located_failure from located_failure.__cause__
        finally:
            self.record_context = None
            if began:
                self.measures.punctuated(began)

    def _until_punctuation(self, decoded: Decoded, start: int, stop: int) -> int:
        """Return the end of the run that stops after the record which makes a punctuation due."""
        next_ms = self._streams.next_ms()
        if next_ms is None:
            return stop
        if next_ms <= self._group.stream_time:
            return start + 1
        timestamps = decoded.chunk.timestamps
        for index in range(start, stop):
            if timestamps[index] >= next_ms:
                return index + 1
        return stop

    def _source_of(self, topic: str) -> SourceRuntime:
        plain = self._plain(topic)
        for source in self._sources:
            if source.node.reads(plain):
                return source
        raise StreamsException(
            f'task {self.id} got records of topic "{topic}", which none of its sources reads'
        )

    def _plain(self, topic: str) -> str:
        """Return the plan's name of a topic: repartition topics lack the application's prefix."""
        plain = topic.removeprefix(f"{self.settings.application_id}-")
        return plain if plain in self._plan.repartition_topics else topic


def _place(context: RecordContext) -> tuple[str | None, int, int]:
    return context.topic(), context.partition(), context.offset()
