"""A task as a worker keeps it, and one batch of its work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from millstream.core.chunk import RawChunk
from millstream.core.processor import TaskId
from millstream.core.task import Task
from millstream.topology.spark.changelog import SegmentLog
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.inbox import arrivals, source_chunks
from millstream.topology.spark.job import Job
from millstream.topology.spark.manifest import Manifest
from millstream.topology.spark.task_host import SparkTaskHost
from millstream.topology.spark.wire import OFFSETS, RECORDS, SINK
from millstream.topology.spark.worker_cache import Application


@dataclass(frozen=True, slots=True)
class Arrived:
    """A batch's rows for one task, by kind."""

    sources: Sequence[Any]
    internal: Sequence[Any]
    clock_ms: int


class LiveTask:
    """Runs one task batch after batch; rebuilt when this worker missed one."""

    def __init__(self, job: Job, stage: Stage, partition: int, owner: Application) -> None:
        self._job = job
        self._stage = stage
        self._partition = partition
        self._owner = owner
        self._id = TaskId(stage.subtopology, partition)
        self._host = SparkTaskHost(job, owner.settings.configs, repr(self._id))
        self._task: Task | None = None
        self._step: bytes | None = None

    def run(
        self, arrived: Arrived, saved: bytes | None, log: SegmentLog
    ) -> tuple[bytes, list[dict[str, Any]]]:
        """Process a batch.

        Args:
            arrived: The batch's rows.
            saved: The manifest that the batch before left; None in a task's first batch.
            log: The task's segments.

        Returns:
            The manifest to save, and the rows to send on.
        """
        manifest = Manifest() if saved is None else Manifest.decode(saved)
        changelog = self._host.changelog
        changelog.catch_up(manifest, log)
        self._host.begin(arrived.clock_ms)
        task = self._current_task(manifest)
        next_offsets = dict(manifest.arrivals)
        consumed: dict[tuple[str, int], int] = {}
        for chunk in self._chunks(arrived, next_offsets, consumed):
            task.add(chunk)
        task.run()
        task.punctuate_wall_clock()
        task.commit()
        following = changelog.commit(manifest, log, snapshot=task.snapshot(), arrivals=next_offsets)
        self._step = following.step
        return following.encode(), list(self._rows(consumed, arrived.clock_ms))

    def close(self) -> None:
        """Close the task and its stores."""
        try:
            if self._task is not None:
                self._task.close()
        finally:
            self._task = None
            self._host.changelog.close()

    def _current_task(self, manifest: Manifest) -> Task:
        if self._task is not None and self._step == manifest.step:
            return self._task
        if self._task is not None:
            # Another worker ran the batches since; what closing flushes must not count.
            self._task.close()
            self._host.changelog.abandon()
        task = Task(
            self._owner.plan,
            [self._owner.plan.subtopology(self._stage.subtopology)],
            self._id,
            self._owner.settings,
            self._host,
        )
        if manifest.snapshot:
            task.restore(manifest.snapshot)
        self._task = task
        return task

    def _chunks(
        self,
        arrived: Arrived,
        next_offsets: dict[str, int],
        consumed: dict[tuple[str, int], int],
    ) -> Iterator[RawChunk]:
        for chunk in source_chunks(arrived.sources):
            consumed[chunk.topic, chunk.partition] = chunk.offsets[-1] + 1
            yield chunk
        yield from arrivals(arrived.internal, self._partition, next_offsets)

    def _rows(
        self, consumed: Mapping[tuple[str, int], int], clock_ms: int
    ) -> Iterator[dict[str, Any]]:
        keys, routes = self._job.layout.keys, self._job.layout.routes
        own_key, origin = keys[self._partition], self._stage.index << 16 | self._partition
        for topic, target, number, blob in self._host.outbox.drain():
            yield {
                "key": own_key if target is None else keys[target],
                "stage": SINK if target is None else routes[topic][0],
                "kind": RECORDS,
                "topic": topic,
                "partition": origin,
                "seq": number,
                "clock": clock_ms,
                "blob": blob,
            }
        for (topic, partition), offset in consumed.items():
            yield {
                "key": own_key,
                "stage": SINK,
                "kind": OFFSETS,
                "topic": topic,
                "partition": partition,
                "seq": offset,
                "clock": clock_ms,
                "blob": b"",
            }
