"""A program's tasks in memory, one for each sub-topology, and all that can be seen of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from compat_tests.conformance.replay import build, raw_record, scenario_config
from millstream.core.chunk import RawChunk
from millstream.core.config import StreamsConfig
from millstream.core.engine.output import Sent
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.errors import MillstreamError
from millstream.core.headers import Headers
from millstream.core.plan import Plan, SubTopology
from millstream.core.processor import TaskId
from millstream.core.working_copy import WorkingCopy
from millstream.testing.driver_host import DriverHost

Json = dict[str, Any]
STACK = "__streams.errors.stacktrace"
"""A dead letter's header that shows how the engine got there."""

Line = tuple[Any, ...]
"""A record as it left: topic, key, value, time, headers."""
TaskFactory = Callable[..., Task]


@dataclass
class Seen:
    """All that can be seen of a run."""

    sent: list[Line] = field(default_factory=list)
    """Every record in the order in which it left, but for these:"""
    logged: dict[str, list[Line]] = field(default_factory=lambda: defaultdict(list))
    """Changelog topics, and that of dead letters."""
    stores: dict[str, list[tuple[bytes, bytes]]] = field(default_factory=dict)
    """The bytes in each store, in key order."""
    counts: dict[str, float] = field(default_factory=dict)
    """Metrics."""
    snapshots: dict[int, bytes] = field(default_factory=dict)
    """What each sub-topology's task keeps besides its stores."""
    error: str | None = None
    """What ended the run."""

    def by_topic(self) -> dict[str, list[Line]]:
        """Each topic's records."""
        topics = defaultdict(list)
        for line in self.sent:
            topics[line[0]].append(line[1:])
        return dict(topics)


class Host(DriverHost):
    """The driver's host for one task; its stores' bytes can be looked at."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.opened: dict[str, WorkingCopy] = {}

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        """Open a store."""
        copy = self.opened[store] = super().working_copy(store, kind)
        return copy


@dataclass
class Application:
    """A scenario's plan and settings."""

    plan: Plan
    settings: TaskSettings

    @staticmethod
    def of(scenario: Json) -> Application:
        """Build a scenario's topology."""
        config = scenario_config(scenario)
        plan = build(scenario, config).plan()
        return Application(plan, TaskSettings.of(StreamsConfig(config)))

    def host(self, *, real_stores: bool = False) -> Host:
        """The world of one task; its clock stands at 0."""
        settings = self.settings
        return Host(settings.application_id, settings.configs, 0, real_stores=real_stores)

    def task(self, part: SubTopology, host: Host, *, by_chunks: bool) -> Task:
        """A task of one sub-topology."""
        number = TaskId(part.id, 0)
        return Task(self.plan, [part], number, self.settings, host, by_chunks=by_chunks)

    def fill_globals(self, scenario: Json) -> tuple[dict[str, Any], Callable[[], None]]:
        """Return the global stores with the records of their topics in them, and how to close."""
        stores: dict[str, Any] = {}
        opened: list[tuple[Task, Host]] = []
        for each in self.plan.globals:
            host = self.host()
            part = each.as_subtopology()
            task = self.task(part, host, by_chunks=False)
            for raw in raw_chunks(records(scenario), defaultdict(int)):
                if task.reads(raw.topic):
                    task.add(raw)
            task.run()
            task.commit()
            host.apply()
            stores |= task.stores
            opened.append((task, host))

        def close() -> None:
            for task, host in opened:
                task.close()
                host.close()

        return stores, close


class World:
    """A broker and one task for each sub-topology."""

    def __init__(self, scenario: Json, *, by_chunks: bool) -> None:
        self.application = app = Application.of(scenario)
        self.seen = Seen()
        self.offsets: dict[str, int] = defaultdict(int)
        self.tasks: list[tuple[Task, Host]] = []
        self.inputs: dict[int, list[RawChunk]] = defaultdict(list)
        """What each sub-topology's task was given."""
        stores, self._close_globals = app.fill_globals(scenario)
        for part in app.plan.subtopologies:
            host = app.host()
            host.global_stores = stores
            self.tasks.append((app.task(part, host, by_chunks=by_chunks), host))

    def take(self, batch: Sequence[Sent]) -> None:
        """Process a batch and all that follows from it."""
        self.add(batch)
        self.work()

    def advance(self, step_ms: int) -> None:
        """Move every task's wall clock on."""
        for task, host in self.tasks:
            host.advance(step_ms)
            task.punctuations.run_wall_clock()
            self.commit(task, host)
        self.work()

    def work(self) -> None:
        """Let the tasks run in turn until none has anything to do."""
        while any(task.has_queued() for task, _ in self.tasks):
            for task, host in self.tasks:
                if task.has_queued():
                    task.run()
                    self.commit(task, host)

    def commit(self, task: Task, host: Host) -> None:
        """Commit one task; what it sent reaches the tasks that read it."""
        task.commit()
        host.apply()
        sent, host.sent = host.sent, []
        note(sent, self.seen, self.application.settings.application_id)
        self.add(sent)

    def add(self, sent: Iterable[Sent]) -> None:
        """Hand records to the tasks that read their topics."""
        for raw in raw_chunks(sent, self.offsets):
            for task, _ in self.tasks:
                if task.reads(raw.topic):
                    self.inputs[task.id.subtopology()].append(raw)
                    task.add(raw)

    def finish(self) -> Seen:
        """Look at what is left and close everything."""
        failed = self.seen.error is not None
        for task, host in self.tasks:
            if not failed:
                look(task, host, self.seen)
            # A cache that could not be flushed cannot be flushed by closing either.
            with suppress(*[MillstreamError] * failed):
                task.close()
            host.close()
        self._close_globals()
        return self.seen


def run(scenario: Json, batches: Sequence[Sequence[Sent] | int], *, by_chunks: bool) -> Seen:
    """Run a scenario's program over batches of records and steps of the wall clock."""
    world = World(scenario, by_chunks=by_chunks)
    try:
        for batch in batches:
            if isinstance(batch, int):
                world.advance(batch)
            else:
                world.take(batch)
    except MillstreamError as error:
        world.seen.error = type(error).__name__
    return world.finish()


def inputs_of(scenario: Json) -> dict[int, list[RawChunk]]:
    """Return what each sub-topology's task is given if all records arrive at once."""
    world = World(scenario, by_chunks=False)
    try:
        world.take(records(scenario))
    except MillstreamError as error:
        world.seen.error = type(error).__name__
    world.finish()
    return world.inputs


def records(scenario: Json) -> list[Sent]:
    """The events of a scenario as bytes."""
    made = []
    for event in scenario["events"]:
        raw = raw_record(scenario, event)
        headers = Headers()
        for name, value in raw.headers:
            headers.add(name, value)
        made.append(
            Sent(raw.topic, raw.key, raw.value, raw.timestamp, headers if raw.headers else None)
        )
    return made


def raw_chunks(sent: Iterable[Sent], offsets: dict[str, int]) -> list[RawChunk]:
    """Return records as one chunk for each topic, and count offsets on."""
    topics: dict[str, list[Sent]] = defaultdict(list)
    for record in sent:
        topics[record.topic].append(record)
    chunks = []
    for topic, own in topics.items():
        first = offsets[topic]
        offsets[topic] += len(own)
        headers = [record.headers for record in own]
        chunks.append(
            RawChunk(
                topic,
                0,
                range(first, first + len(own)),
                [record.timestamp for record in own],
                [record.key for record in own],
                [record.value for record in own],
                [h and h.copy() for h in headers] if any(headers) else None,
            )
        )
    return chunks


def note(sent: Iterable[Sent], seen: Seen, application_id: str) -> None:
    """Write down what a task sent."""
    for record in sent:
        headers = tuple((h.key(), h.value()) for h in record.headers or () if h.key() != STACK)
        line = (record.topic, record.key, record.value, record.timestamp, headers)
        own = record.topic.startswith(f"{application_id}-")
        if record.topic == "dead" or (own and record.topic.endswith("-changelog")):
            seen.logged[record.topic].append(line)
        else:
            seen.sent.append(line)


def look(task: Task, host: Host, seen: Seen) -> None:
    """Write down what a task keeps."""
    for name, copy in host.opened.items():
        seen.stores[name] = list(copy.scan(None, None))
    for place, metric in task.metrics.asMap().items():
        if place.name() == "dropped-records-total" and (dropped := metric.metricValue()):
            seen.counts[repr(place)] = dropped
    seen.snapshots[task.id.subtopology()] = task.snapshot()
