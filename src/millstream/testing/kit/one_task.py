"""Run of a task over all records of a topic, as on Spark's host but without Spark."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from millstream.core.chunk import RawChunk
from millstream.core.config import StreamsConfig
from millstream.core.engine.output import Sent
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.headers import headers_from_pairs
from millstream.core.processor import TaskId
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.names import with_plugins
from millstream.testing.driver_host import DriverHost
from millstream.topology.topology import Topology

Input = tuple[bytes | None, bytes | None, int]
"""Key, value, timestamp. Each record gets a header of its own, its number."""


class BatchHost(DriverHost):
    """Host that makes stores durable without logging single writes, for one task after another."""

    def logs_changes(self, store: str) -> bool:
        return False

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        return self._copies.get(store) or super().working_copy(store, kind)

    def has_all(self, task: Task) -> bool:
        """Tell whether every store of a task is here when the task is closed."""
        return task.stores.keys() <= self._copies.keys()

    def forget(self) -> None:
        """Drop what has been sent and written since the last commit."""
        self.sent = []
        for copy in self._copies.values():
            copy.forget()


def sent_by(
    topology: Topology,
    config: Mapping[str, Any],
    topic: str,
    records: Sequence[Input],
    *,
    by_chunks: bool,
    batch: int = 0,
    renewed: bool = False,
) -> list[Sent]:
    """Process all records of a topic in one partition; return the sent records, topic by topic.

    Args:
        topology: The task's topology.
        config: The application's configuration.
        topic: The source topic.
        records: The records; offsets start at 0.
        by_chunks: Whether they are processed as chunks; otherwise one by one.
        batch: How many of them are in a batch; 0 for all.
        renewed: Whether each batch has a new task, as after a restart; not if a store is a user's
            own, which no byte store keeps.
    """
    given = {"application.id": "kit", "bootstrap.servers": "nowhere:0", **config}
    settings = TaskSettings.of(with_plugins(StreamsConfig(given)))
    host = BatchHost(settings.application_id, settings.configs, 0)
    plan = topology.plan()

    def new_task() -> Task:
        return Task(plan, plan.subtopologies, TaskId(0, 0), settings, host, by_chunks=by_chunks)

    task = new_task()
    offsets: defaultdict[str, int] = defaultdict(int)
    done: list[Sent] = []
    for piece in _pieces(_numbered(topic, records), batch):
        if task.group.stream_time >= 0 and renewed and host.has_all(task):
            task = _renewed(task, host, new_task)
        waiting = piece
        while waiting:
            for chunk in _chunks(waiting, offsets):
                task.add(chunk)
            task.run()
            task.commit()
            host.apply()
            sent, host.sent = host.sent, []
            done += [each for each in sent if not task.reads(each.topic)]
            waiting = [each for each in sent if task.reads(each.topic)]
    task.close()
    host.close()
    return sorted(done, key=lambda each: each.topic)


def _renewed(task: Task, host: BatchHost, new_task: Callable[[], Task]) -> Task:
    """Close a task, and return one that goes on where it was; what the close does is dropped."""
    saved = task.snapshot()
    task.close()
    host.forget()
    following = new_task()
    following.restore(saved)
    return following


def _numbered(topic: str, records: Sequence[Input]) -> list[Sent]:
    return [
        Sent(topic, key, value, timestamp, headers_from_pairs([("number", b"%d" % number)]))
        for number, (key, value, timestamp) in enumerate(records)
    ]


def _pieces(records: list[Sent], size: int) -> Iterator[list[Sent]]:
    size = size or len(records) or 1
    for first in range(0, len(records), size):
        yield records[first : first + size]


def _chunks(records: Sequence[Sent], offsets: defaultdict[str, int]) -> list[RawChunk]:
    """Return one chunk for each topic."""
    topics: defaultdict[str, list[Sent]] = defaultdict(list)
    for record in records:
        topics[record.topic].append(record)
    chunks = []
    for topic, own in topics.items():
        first = offsets[topic]
        offsets[topic] = stop = first + len(own)
        headers = [each.headers for each in own]
        chunks.append(
            RawChunk(
                topic,
                0,
                range(first, stop),
                [each.timestamp for each in own],
                [each.key for each in own],
                [each.value for each in own],
                headers if any(headers) else None,
            )
        )
    return chunks
