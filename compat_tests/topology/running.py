"""Runs a plan's task over many records at once, and notes everything that leaves it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from millstream import Headers, SessionStore, StreamsConfig
from millstream.core.chunk import RawChunk
from millstream.core.engine.output import Sent
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.shortcuts import SHORTCUTS, Shortcut
from millstream.core.engine.task import Task
from millstream.core.plan import Plan
from millstream.core.processor import TaskId
from millstream.core.working_copy import WorkingCopy
from millstream.testing.driver_host import DriverHost
from millstream.topology.operators.suppression_store import SuppressionStore

KEYS = ("a", "b", "cc")
"""The keys of the events."""


@dataclass(frozen=True)
class Event:
    """A record of topic ``in``; a commit may follow it."""

    key: str | None
    value: str | None
    timestamp: int
    header: bytes | None = None
    commit: bool = False


class BatchHost(DriverHost):
    """A host that takes changes from its working copies at a commit, as Spark's does."""

    kept: Mapping[str, WorkingCopy] = {}
    """What an earlier task left behind."""

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        return self.kept.get(store) or super().working_copy(store, kind)

    def logs_changes(self, store: str) -> bool:
        return False


def shown(sent: Sent) -> tuple[Any, ...]:
    """Return what a test compares of a record: all but the stack that a dead letter has."""
    headers = [each for each in sent.headers or () if not each.key().endswith("stacktrace")]
    return (*sent._replace(headers=None), headers)


def run(
    plan: Plan, config: Mapping[str, Any], events: Sequence[Event], *, by_chunks: bool
) -> list[Sent]:
    """Return what a task sends and keeps if it gets all records between two commits at once."""
    task, host = new_task(plan, config, by_chunks=by_chunks)
    offset = 0
    for batch in _batches(events):
        task.add(raw_chunk(batch, offset))
        offset += len(batch)
        task.run()
        task.commit()
    # At level INFO, where nothing shows how the records were taken.
    measured = sorted(
        (repr(name), each.metricValue()) for name, each in task.metrics.asMap().items()
    )
    sent = [*host.sent, Sent("metrics", None, repr(measured).encode(), 0, None)]
    for name, store in task.stores.items():
        sent.append(Sent(name, None, repr(_contents(store)).encode(), 0, None))
    task.close()
    return sent


def _contents(store: Any) -> list[Any]:
    if isinstance(store, SuppressionStore):
        return [store.count(), store.size(), store.first_time()]
    by_key = isinstance(store, SessionStore)
    found = [store.fetch(key) for key in KEYS] if by_key else [store.all()]
    contents = [list(entries) for entries in found]
    for entries in found:
        entries.close()
    return contents


def new_task(
    plan: Plan,
    config: Mapping[str, Any],
    *,
    by_chunks: bool = True,
    shortcuts: Collection[type[Shortcut]] = SHORTCUTS,
    kept: Mapping[str, WorkingCopy] | None = None,
    now_ms: int = 0,
) -> tuple[Task, BatchHost]:
    """Return a task with all of a plan in it, and the host that notes what it sends."""
    given = {"application.id": "app", "bootstrap.servers": "nowhere:0", **config}
    settings = TaskSettings.of(StreamsConfig(given))
    host = BatchHost("app", settings.configs, now_ms)
    host.kept = kept or {}
    parts, id_ = plan.subtopologies, TaskId(0, 0)
    task = Task(plan, parts, id_, settings, host, by_chunks=by_chunks, shortcuts=shortcuts)
    return task, host


def add_in_parts(
    task: Task,
    rows: Sequence[tuple[str, bytes | None, bytes | None, int]],
    offsets: dict[str, int],
) -> None:
    """Give records to a task, those of each topic in two chunks.

    Args:
        task: Which takes them.
        rows: Topic, key, value and timestamp of each.
        offsets: The next offset of each topic; moved on.
    """
    for topic in tuple(offsets):
        own = [row for row in rows if row[0] == topic]
        for part in (own[:3], own[3:]):
            first, offsets[topic] = offsets[topic], offsets[topic] + len(part)
            if part:
                _, keys, values, times = map(list, zip(*part, strict=True))
                places = range(first, offsets[topic])
                task.add(RawChunk(topic, 0, places, times, keys, values, None))


def _batches(events: Sequence[Event]) -> Iterator[list[Event]]:
    number = 0
    marked = []
    for event in events:
        marked.append((number, event))
        number += event.commit
    for _, group in groupby(marked, key=lambda item: item[0]):
        yield [event for _, event in group]


def raw_chunk(events: Sequence[Event], offset: int) -> RawChunk:
    headers: list[Headers | None] = [
        None if event.header is None else Headers().add("h", event.header) for event in events
    ]
    return RawChunk(
        "in",
        0,
        range(offset, offset + len(events)),
        [event.timestamp for event in events],
        [None if event.key is None else event.key.encode() for event in events],
        [None if event.value is None else event.value.encode() for event in events],
        headers if any(headers) else None,
    )
