"""Run of one task over all records of a topic, as on Spark's host but without Spark."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from millstream.core.chunk import RawChunk
from millstream.core.config import StreamsConfig
from millstream.core.engine.output import Sent
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.processor import TaskId
from millstream.plugins.names import with_plugins
from millstream.testing.driver_host import DriverHost
from millstream.topology.topology import Topology

Input = tuple[bytes | None, bytes | None, int]
"""Key, value, timestamp."""


class BatchHost(DriverHost):
    """Host that makes stores durable without logging single writes."""

    def logs_changes(self, store: str) -> bool:
        return False


def sent_by(
    topology: Topology,
    config: Mapping[str, Any],
    topic: str,
    records: Sequence[Input],
    *,
    by_chunks: bool,
) -> list[Sent]:
    """Process all records of a topic in one task and one batch; return the sent records.

    Args:
        topology: The task's topology.
        config: The application's configuration.
        topic: The source topic.
        records: The records; offsets start at 0.
        by_chunks: Whether they are processed as chunks; otherwise one by one.
    """
    given = {"application.id": "kit", "bootstrap.servers": "nowhere:0", **config}
    settings = TaskSettings.of(with_plugins(StreamsConfig(given)))
    host = BatchHost(settings.application_id, settings.configs, 0)
    plan = topology.plan()
    task = Task(plan, plan.subtopologies, TaskId(0, 0), settings, host, by_chunks=by_chunks)
    offsets: defaultdict[str, int] = defaultdict(int)
    waiting = [Sent(topic, key, value, timestamp, None) for key, value, timestamp in records]
    done: list[Sent] = []
    while waiting:
        for chunk in _chunks(waiting, offsets):
            task.add(chunk)
        task.run()
        task.commit()
        sent, host.sent = host.sent, []
        done += [each for each in sent if not task.reads(each.topic)]
        waiting = [each for each in sent if task.reads(each.topic)]
    task.close()
    host.close()
    return done


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
