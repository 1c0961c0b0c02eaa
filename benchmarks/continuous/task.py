"""One task that does not end: poll, process, commit."""

from __future__ import annotations

import gc
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from confluent_kafka import OFFSET_INVALID, Consumer, KafkaException, TopicPartition

from benchmarks.continuous.host import ContinuousHost
from benchmarks.continuous.job import ContinuousJob
from benchmarks.continuous.output import Output
from benchmarks.continuous.restore import Restorer
from millstream.core.chunk import RawChunk
from millstream.core.engine import snapshots
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.headers import Header, Headers
from millstream.topology.spark.clients.consumers import commit, committed
from millstream.topology.spark.migration.offset_metadata import OffsetMetadata, metadata_of
from millstream.topology.spark.migration.task_times import emitted_of, task_snapshots
from millstream.topology.spark.worker.logged_changes import LoggedChanges

_AT_ONCE = 10_000
"""Records of one poll: a chunk."""
_PATIENCE_S = 30.0
_CONSUMER = {
    "auto.offset.reset": "earliest",
    "fetch.queue.backoff.ms": 5,
    "queued.min.messages": 200_000,
}

Place = tuple[str, int]


class ContinuousTask:
    """A task, its clients and its stores, from the committed offsets on.

    Args:
        job: The application.
        partition: The task's partition.

    Raises:
        KafkaException: The broker refuses or does not answer.
    """

    def __init__(self, job: ContinuousJob, partition: int) -> None:
        self._job = job
        self._part = job.plan.subtopologies[0]
        began = time.perf_counter()
        # Before anything is read: from here on nobody else writes for this task.
        self._output = Output(job.producer, f"{job.application_id}-{job.task_id(partition)!r}")
        initialised = time.perf_counter()
        self._consumer = Consumer({**job.consumer, **_CONSUMER})
        places = [TopicPartition(topic, partition) for topic in job.layout.stages[0].topics]
        found = committed(self._consumer, places, _PATIENCE_S, _PATIENCE_S)
        self._next: dict[Place, int] = {
            (each.topic, each.partition): each.offset for each in found if each.offset >= 0
        }
        self._committed = self._version()
        logged = LoggedChanges(job.changelogs, partition)
        restorer = Restorer(job.changelogs, partition, self._committed, job.consumer)
        settings = TaskSettings.of(job.config)
        self._host = ContinuousHost(
            settings.configs, job.directory(partition), job.sizes, logged, restorer
        )
        task_id = job.task_id(partition)
        self._task = Task(job.plan, [self._part], task_id, settings, self._host)
        metadata = {
            (each.topic, each.partition): metadata_of(each) for each in found if each.offset >= 0
        }
        saved = task_snapshots(
            job.plan, job.layout, job.application_id, metadata, restorer.summaries
        )
        self._task.restore(saved[repr(task_id)])
        self._consumer.assign(
            [
                TopicPartition(
                    at.topic, partition, self._next.get((at.topic, partition), OFFSET_INVALID)
                )
                for at in places
            ]
        )
        self._late: list[TopicPartition] = []
        self._changed = False
        self.facts: dict[str, Any] = {
            "task": repr(task_id),
            "pid": os.getpid(),
            "at": time.time(),
            "initialised_ms": round((initialised - began) * 1000),
            "restored_ms": round((time.perf_counter() - initialised) * 1000),
            "restored": restorer.read,
        }
        """What its start has taken."""

    def step(self, wait_s: float) -> int:
        """Process what arrives in some time, or the first thousands of it; return how many."""
        messages = self._consumer.consume(_AT_ONCE, wait_s)
        self._host.tick()
        task = self._task
        for chunk in _chunks(messages):
            task.add(chunk)
            self._next[chunk.topic, chunk.partition] = chunk.offsets[-1] + 1
        if messages and self._job.offsets == "early":
            commit(self._consumer, self._offsets(), _PATIENCE_S)
        task.run()
        task.punctuations.run_stream_time()
        task.punctuations.run_wall_clock(new_wait=True)
        self._changed = bool(messages) or self._changed
        self._send(self._host.output())
        return len(messages)

    def commit(self) -> None:
        """Commit what was processed since the last commit, if anything was.

        Raises:
            KafkaException: It was aborted, or its end is not known: the task cannot go on.
        """
        task, host = self._task, self._host
        task.commit()
        self._send(host.output())
        self._send(host.changes(task.group.stream_time))
        if not self._changed:
            return
        mode, offsets = self._job.offsets, self._offsets()
        if self._version() == self._committed:
            host.distrust()
        within = offsets if mode == "transaction" else []
        self._output.commit(within, self._consumer.consumer_group_metadata())
        if mode == "late":
            if self._late:
                commit(self._consumer, self._late, _PATIENCE_S)
            self._late = offsets
        self._committed = self._version()
        host.apply(self._committed)
        self._changed = False

    def close(self) -> None:
        """Close clients and stores; what is not committed did not happen."""
        self._output.close()
        self._consumer.close()
        with suppress(Exception):
            self._task.close()
        self._host.close()

    def _send(self, chunks: Iterable[Any]) -> None:
        for chunk in chunks:
            self._changed = True
            self._output.send(chunk)

    def _offsets(self) -> list[TopicPartition]:
        """Return the offsets to commit, with the metadata of Kafka Streams."""
        snapshot = snapshots.decode(self._task.snapshot())
        emitted = emitted_of(self._part, snapshot)
        times = snapshot.partition_times
        return [
            TopicPartition(*at, offset, OffsetMetadata(times.get(at, -1), emitted).text())
            for at, offset in self._next.items()
        ]

    def _version(self) -> bytes:
        return json.dumps(sorted((*at, offset) for at, offset in self._next.items())).encode()


def run_partition(job: ContinuousJob, partitions: Iterable[int]) -> Iterator[int]:
    """Run tasks until their process ends; Spark calls it with one partition."""
    # As in the workers of the micro-batch host: records have no reference cycles.
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)
    return map(partial(_run, job), partitions)


def _run(job: ContinuousJob, partition: int) -> int:
    task = ContinuousTask(job, partition)
    job.journal.parent.mkdir(parents=True, exist_ok=True)
    with job.journal.open("a") as journal:
        journal.write(json.dumps(task.facts) + "\n")
    due = time.monotonic() + job.commit_s
    while True:
        task.step(max(0.0, due - time.monotonic()))
        if time.monotonic() >= due:
            task.commit()
            due = max(due + job.commit_s, time.monotonic())


def _chunks(messages: Iterable[Any]) -> Iterator[RawChunk]:
    """Yield the records of a poll, a chunk for each partition."""
    runs: dict[Place, list[Any]] = {}
    for message in messages:
        if (error := message.error()) is not None:
            raise KafkaException(error)
        runs.setdefault((message.topic(), message.partition()), []).append(message)
    for (topic, partition), run in runs.items():
        headers = [_headers(message.headers()) for message in run]
        yield RawChunk(
            topic,
            partition,
            [message.offset() for message in run],
            [message.timestamp()[1] for message in run],
            [message.key() for message in run],
            [message.value() for message in run],
            headers if any(headers) else None,
        )


def _headers(pairs: Any) -> Headers | None:
    return Headers(Header(name, value) for name, value in pairs) if pairs else None
