"""``TopologyTestDriver``: runs a topology record by record, in this process, in milliseconds."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from typing_extensions import Self

from millstream.core.chunk import RawChunk
from millstream.core.config import StreamsConfig
from millstream.core.durations import to_epoch_millis, to_millis
from millstream.core.engine.assembly import close_all
from millstream.core.engine.global_context import GLOBAL_TASK
from millstream.core.engine.output import Sent
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.errors import (
    IllegalArgumentException,
    IllegalStateException,
    StreamsException,
    TopologyException,
)
from millstream.core.handlers import LogAndContinueExceptionHandler
from millstream.core.headers import Headers
from millstream.core.metrics import TaskMetrics
from millstream.core.metrics.measured import NULL_BYTES, measured
from millstream.core.plan import Plan
from millstream.core.processor import TaskId
from millstream.core.state import CacheBudget
from millstream.plugins.names import observers, with_plugins
from millstream.testing.driver_host import DriverHost
from millstream.testing.driver_savepoints import DriverSavepoints
from millstream.testing.driver_topics import inputs, internal_topics, matches, named_sources
from millstream.testing.idling import Idling
from millstream.testing.topic_making import MakesTopics
from millstream.testing.topics import not_none
from millstream.topology.given_topology import check_topology
from millstream.topology.topology import Topology

if TYPE_CHECKING:
    from millstream.testing.saved_state import SavedState

K = TypeVar("K")
V = TypeVar("V")

log = logging.getLogger(__name__)

LEGAL = re.compile(r"[a-zA-Z0-9._-]+")

_DEFAULTS = {
    StreamsConfig.APPLICATION_ID_CONFIG: "topology-test-driver",
    StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: "nowhere:0",
}


class TopologyTestDriver(MakesTopics, DriverSavepoints):
    """Runs a topology in the engine's ``Task``, without broker and JVM.

    It commits after each record, so a cached store emits at once. Records sent to a repartition
    topic, or to another source topic, are processed as new input records.
    The wall clock is a mock: it moves only by ``advanceWallClockTime``.
    Records that several threads pipe in are processed one after another.

    Args:
        topology: The topology, of ``StreamsBuilder.build`` or built by hand.
        config: Entries as a dict, or a ``StreamsConfig``; no entry is required.
        initialWallClockTime: Start of the mock clock, epoch milliseconds or aware ``datetime``; the
            machine's time by default.
        real_stores: Open persistent stores in their own kind of byte store, not in memory.
        state: What it begins with; ``fromSavepoint`` gives it.

    Example:
        >>> from millstream import Serdes, Topology
        >>> from millstream.testing import TopologyTestDriver
        >>> copy = Topology().addSource("in", "words").addSink("out", "copies", "in")
        >>> text = Serdes.String()
        >>> config = {"default.key.serde": text, "default.value.serde": text}
        >>> with TopologyTestDriver(copy, config) as driver:
        ...     words = driver.createInputTopic("words", text.serializer(), text.serializer())
        ...     reader = text.deserializer()
        ...     copies = driver.createOutputTopic("copies", reader, reader)
        ...     words.pipeInput("k", "hello", 5)
        ...     copies.readKeyValue()
        KeyValue('k', 'hello')

    Source: ``org.apache.kafka.streams.TopologyTestDriver``.
    """

    def __init__(
        self,
        topology: Topology,
        config: Any = None,
        initialWallClockTime: Any = None,
        *,
        real_stores: bool = False,
        state: SavedState | None = None,
    ) -> None:
        check_topology(topology)
        if config is not None and not isinstance(config, Mapping | StreamsConfig):
            config, initialWallClockTime = None, config
        given = config.originals() if isinstance(config, StreamsConfig) else dict(config or {})
        self._config = with_plugins(StreamsConfig(_DEFAULTS | given))
        self._config.made("rocksdb.config.setter")
        settings = TaskSettings.of(self._config)
        self._application_id = settings.application_id
        self._observers = observers(settings.application_id, settings.configs)
        if initialWallClockTime is None:
            initialWallClockTime = time.time_ns() // 1_000_000
        now_ms = to_epoch_millis(initialWallClockTime, "initialWallClockTime")
        self._closed = False
        # Of one task, which is of one thread. A processor may pipe into its own driver.
        self._one_by_one = threading.RLock()
        self._topology, plan = topology, topology.plan()
        if state is not None:
            state.check(plan, str(topology.describe()), self._config)
        self._host = DriverHost(
            settings.application_id, settings.configs, now_ms, real_stores=real_stores, state=state
        )
        self._internal = internal_topics(plan, settings.application_id)
        self._named_sources = named_sources(plan, settings.application_id)
        # Kafka's driver also reads a legal name as a pattern, in which a dot matches any character.
        self._misread = [name for name in self._named_sources if not LEGAL.fullmatch(name)]
        self._idling = Idling(
            settings.configs[StreamsConfig.MAX_TASK_IDLE_MS_CONFIG],
            inputs(plan, self._named_sources),
        )
        self._offsets: dict[str, int] = {}
        self._skipped: str | None = None
        self._produced: dict[str, deque[Sent]] = {}
        # As in Kafka's driver; in an application global stores have their own cache.
        cache = CacheBudget(settings.cache_bytes)
        self._metrics = settings.metrics(self._host.now_ms)
        with self._host.closed_on_failure():
            self._global_tasks = self._tasks_of_globals(plan, settings, cache)
            for task in self._global_tasks:
                self._host.global_stores.update(task.stores)
            self._task = Task(
                plan,
                plan.subtopologies,
                TaskId(0, 0),
                settings,
                self._host,
                cache=cache,
                measures=TaskMetrics(self._metrics, "0_0", nanos=self._nanos),
            )
        super().__init__(self._task, *self._global_tasks, names=topology.store_names())
        if state is not None:
            self._begin(state)
        self._collect()
        self._observers.state_changed("RUNNING", "CREATED")

    def advanceWallClockTime(self, advance: Any) -> None:
        """Advance the mock clock and run the wall-clock punctuations that are due.

        Raises:
            IllegalArgumentException: ``advance`` is negative.
            NullPointerException: ``advance`` is None.
            StreamsException: A punctuator failed.
        """
        self._check_open("advance the clock")
        step_ms = to_millis(not_none(advance, "advance"), "advance")
        if step_ms < 0:
            raise IllegalArgumentException(
                "Sleep ms cannot be negative.", detail=f"The advance is {step_ms} ms."
            )
        with self._one_by_one:
            self._metrics.settle()
            self._host.advance(step_ms)
            self._task.punctuations.run_wall_clock()
            self._task.processed = None
            self._commit(self._task)
            self._complete()

    def producedTopicNames(self) -> set[str]:
        """Return all topics with output so far, internal ones included."""
        return set(self._produced)

    def metrics(self) -> dict[Any, Any]:
        """Return Kafka's metrics by name, at the mock clock's time.

        Latencies are 0, because the mock clock stands still; ages of records are not.
        """
        return self._metrics.asMap()

    def __repr__(self) -> str:
        return f"TopologyTestDriver({self._application_id!r})"

    def close(self) -> None:
        """Close processors, whose last records can be read then, and stores; once is enough.

        Raises:
            StreamsException: A processor or store failed to close; all others are closed.
        """
        if self._closed:
            return
        self._closed = True
        tasks = (self._task, *self._global_tasks)
        try:
            close_all([*(task.close for task in tasks), self._host.close])
        finally:
            for sent in self._host.sent:
                self._produced.setdefault(sent.topic, deque()).append(sent)
            if self._observers:
                self._observers.batch_done(self.metrics())
            self._observers.state_changed("NOT_RUNNING", "RUNNING")
            self._observers.close()

    def pipe(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        timestamp: int,
        headers: Headers | None = None,
    ) -> None:
        """Pipe in one record as bytes, and process everything that follows from it.

        Raises:
            IllegalArgumentException: The topology does not read ``topic``.
            StreamsException: The topology failed.
        """
        self._check_open(f'pipe into topic "{topic}"')
        self._refuse_misread_pattern(topic)
        if not self.reads(topic):
            raise IllegalArgumentException(
                f"Unknown topic: {topic}",
                detail="No source of the topology reads it.",
                hint="Pipe into a topic of one of its sources.",
            )
        sent = Sent(topic, key, value, timestamp, headers)
        with self._one_by_one:
            if self._task.reads(topic):
                self._enqueue(sent)
                self._complete()
            self._feed_globals(sent)

    def _check_open(self, what: str) -> None:
        if self._closed:
            raise IllegalStateException(
                f"cannot {what}: the driver is closed", hint="Make a new TopologyTestDriver."
            )

    def reads(self, topic: str) -> bool:
        """Tell whether the topology reads ``topic``."""
        return any(task.reads(topic) for task in (self._task, *self._global_tasks))

    def is_internal(self, topic: str) -> bool:
        """Tell whether ``topic`` is internal: a repartition or a changelog topic."""
        return topic in self._internal

    def produced(self, topic: str) -> deque[Sent]:
        """Return the records sent to ``topic`` and not yet read."""
        return self._produced.get(topic, deque())

    def _tasks_of_globals(
        self, plan: Plan, settings: TaskSettings, cache: CacheBudget
    ) -> list[Task]:
        # As in Kafka's driver; an application calls the handler of its configuration.
        skipping = LogAndContinueExceptionHandler()
        for_globals = replace(settings.for_globals(), deserialization_handler=skipping)
        return [
            Task(
                plan,
                [store.as_subtopology()],
                GLOBAL_TASK,
                for_globals,
                self._host,
                cache=cache,
                measures=TaskMetrics(self._metrics, "-1_-1", nanos=self._nanos, is_global=True),
            )
            for store in plan.globals
        ]

    def _nanos(self) -> int:
        return self._host.now_ms() * 1_000_000 + 1

    def _refuse_misread_pattern(self, topic: str) -> None:
        """Raise if a source's name, read as a pattern, matches the topic."""
        for name in self._misread:
            if name != topic and matches(name, topic):
                raise TopologyException(
                    f"Topology add source of type String for topic: {name} cannot contain regex "
                    f"pattern for input record topic: {topic} and hence cannot process the message."
                )

    def _enqueue(self, sent: Sent) -> None:
        row = self._task.sources.by_pattern(sent.topic) or sent.topic
        self._task.add(self._raw(sent, row))
        if not self._task.has_queued():
            self._skipped = row

    def _raw(self, sent: Sent, row: str) -> RawChunk:
        # All topics of a pattern share one sequence of offsets, as in Kafka's driver.
        offset = self._offsets.get(row, 0)
        self._offsets[row] = offset + 1
        # A copy: processors may change headers, but not those of the sent record.
        headers: list[Headers | None] | None = [sent.headers.copy()] if sent.headers else None
        columns = [sent.timestamp], [sent.key], [sent.value]
        raw = RawChunk(sent.topic, 0, [offset], *columns, headers)
        raw.measured = measured(
            sent.topic, raw.keys, raw.values, raw.timestamps, headers, null_bytes=NULL_BYTES
        )
        return raw

    def _feed_globals(self, sent: Sent) -> None:
        """Update the global store that reads the record's topic."""
        for task in self._global_tasks:
            if task.reads(sent.topic):
                task.add(self._raw(sent, sent.topic))
                while _processed_global(task):
                    self._commit(task)

    def _complete(self) -> None:
        self._collect()
        while (self._task.has_queued() or self._skipped is not None) and self._ready():
            if self._skipped is not None:
                # Kafka looks for punctuations, and commits, after a record that its source drops.
                self._skipped = None
                self._task.punctuations.run_stream_time()
                self._task.processed = None
                self._commit(self._task)
            while self._task.has_queued() and self._ready() and self._task.process_one():
                self._commit(self._task)
        if self._task.has_queued():
            log.info("records wait for other inputs (max.task.idle.ms)")

    def _ready(self) -> bool:
        if not self._idling.waits:
            return True
        names = (
            self._task.sources.by_pattern(topic) or topic for topic in self._task.queued_topics()
        )
        skipped = () if self._skipped is None else (self._skipped,)
        return self._idling.ready((*names, *skipped), self._host.now_ms())

    def _commit(self, task: Task) -> None:
        task.commit()
        changed, record = self._host.apply(), task.processed
        if record is not None and (topic := record.topic()) is not None:
            for name in set(changed) & set(task.stores):
                position = task.stores[name].getPosition()
                position.withComponent(topic, record.partition(), record.offset())
        self._collect()

    def _collect(self) -> None:
        sent, self._host.sent = self._host.sent, []
        for record in sent:
            self._produced.setdefault(record.topic, deque()).append(record)
            self._refuse_misread_pattern(record.topic)
            if self._task.reads(record.topic):
                self._enqueue(record)
            self._feed_globals(record)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except Exception:
            if error is None:
                raise
            # As in Java: what failed in the block is raised, not what comes of it at the end.
            log.warning("the driver failed to close, after the error of its block", exc_info=True)


def _processed_global(task: Task) -> bool:
    try:
        return task.process_one()
    except StreamsException as failure:
        # Errors of a global store's processor reach the caller unchanged.
        if failure.__cause__ is not None:
            raise failure.__cause__ from None
        raise
