"""Worker-side state of a task across micro-batches."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from millstream.core.engine.shortcuts.last_records import LastRecords
from millstream.core.engine.task import Task
from millstream.core.errors import StreamsException, TaskCorruptedException
from millstream.core.metrics import Drained, TaskMetrics
from millstream.core.processor import TaskId
from millstream.core.wording import a_kind, said
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.isolation import Phase
from millstream.topology.spark.job import Job
from millstream.topology.spark.measurements import thread_name
from millstream.topology.spark.state.changelog import Rebuilt, SegmentLog
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.segment_files import Cleaning, SegmentFiles
from millstream.topology.spark.state.segments import damaged
from millstream.topology.spark.state.slots import DirectoryLock
from millstream.topology.spark.state.standby_files import StandbyFiles
from millstream.topology.spark.wire import OFFSETS, RECORDS, SINK
from millstream.topology.spark.worker.carrying import Carrier
from millstream.topology.spark.worker.forked import ends_forked
from millstream.topology.spark.worker.global_tables import GlobalTables
from millstream.topology.spark.worker.inbox import Columns, arrived_runs, raw_chunks, source_runs
from millstream.topology.spark.worker.last_records import last_of_each_key
from millstream.topology.spark.worker.logged_changes import LoggedChanges
from millstream.topology.spark.worker.mirroring import Mirroring
from millstream.topology.spark.worker.refilling import Refilling
from millstream.topology.spark.worker.task_host import SparkTaskHost
from millstream.topology.spark.worker.watched_task import DeathWatch, Watch
from millstream.topology.spark.worker.worker_cache import Application

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Arrived:
    """A batch's rows for one task, by kind."""

    sources: Sequence[Any]
    internal: Sequence[Any]
    globals: Sequence[Any]
    clock_ms: int


def task_host(
    job: Job,
    stage: Stage,
    owner: Application,
    partition: int,
    place: DirectoryLock | None = None,
) -> SparkTaskHost:
    """Return the host of a task, or of a copy of it.

    Args:
        job: Facts about the application.
        stage: The task's stage.
        owner: The application in this worker.
        partition: The task's partition.
        place: Locked directory for the stores; None for the worker's slot.
    """
    return SparkTaskHost(
        job,
        owner.settings.configs,
        repr(TaskId(stage.subtopology, partition)),
        shares=True,
        logged=LoggedChanges(job.changelogs, partition) if job.changelogs else None,
        place=place,
    )


class WorkerTask:
    """Runs one task batch after batch; builds it anew if this worker missed a batch."""

    def __init__(
        self,
        job: Job,
        stage: Stage,
        partition: int,
        owner: Application,
        host: SparkTaskHost | None = None,
    ) -> None:
        self._job = job
        self._stage = stage
        self._partition = partition
        self._owner = owner
        self._id = TaskId(stage.subtopology, partition)
        parts = owner.plan.subtopologies
        self._parts = [part for part in parts if part.id == stage.subtopology]
        self._host = task_host(job, stage, owner, partition) if host is None else host
        isolates = job.isolating is not None
        self._watch = DeathWatch(job, self._id, owner.settings.configs) if isolates else Watch()
        self._by_record = False
        """Whether the task processes record by record."""
        self._mirroring: Mirroring | None = None
        if job.standbys:
            files = StandbyFiles(Path(job.standbys))
            self._mirroring = Mirroring(files, job.instance, self._id)
        self._cleaning = Cleaning(SegmentFiles.of(job.segments, self._id), job.kept_batches)
        self._oldest = 0
        """Number of the oldest segment that the last batch began with."""
        self._task: Task | None = None
        self._globals: GlobalTables | None = None
        self._step: bytes | None = None
        self.carrier = Carrier()
        """What the driver is told of the last batch."""

    def run(
        self, arrived: Arrived, saved: bytes | None, segments: SegmentLog
    ) -> tuple[bytes, list[dict[str, Any]]]:
        """Process a batch.

        If a store is found damaged or missing, the batch is retried: first with reopened stores,
        as another worker may have replaced them, then with restored stores. This is safe, because
        only the last step of a batch writes.

        Args:
            arrived: The batch's rows.
            saved: The manifest of the previous batch; None in a task's first batch.
            segments: The task's changelog.

        Returns:
            The manifest to save, and the rows to send on.
        """
        try:
            if not self._host.lock_shared():
                self.close()
            remedies: list[Callable[[], None]] = [self.close, self._host.discard_stores]
            while True:
                try:
                    return self._run(arrived, saved, segments)
                except TaskCorruptedException as error:
                    if not remedies:
                        if isinstance(error.__cause__, StreamsException):
                            raise error.__cause__ from error.__cause__.__cause__
                        # What a user's store raises does not say which store it is.
                        raise error from error.__cause__
                    log.warning("repairing the stores of a task task=%s %s", self._id, error)
                    # Closing may fail after an error; the result does not matter.
                    with suppress(Exception):
                        self._close_tasks()
                    with suppress(Exception):
                        remedies.pop(0)()
        except StreamsException as error:
            if error.taskId() is None:
                error.setTaskId(self._id)
            raise
        except Exception:
            raise
        except BaseException as error:
            raise self._no_exception(error) from error
        finally:
            self._host.unlock_shared()

    def _no_exception(self, error: BaseException) -> StreamsException:
        """Return the error for what a user's function has raised and no handler is asked about."""
        failure = StreamsException(
            f"a function of the program raised {a_kind(error)}, which is no Exception",
            detail=f"Task {self._id}; {said(error)}. No exception handler is asked about it.",
            hint="Catch it in the function. To give up a record, raise an Exception; to end the "
            "application, close it in the driver's process: the worker's belongs to Spark.",
        )
        failure.setTaskId(self._id)
        return failure

    def _run(
        self, arrived: Arrived, saved: bytes | None, segments: SegmentLog
    ) -> tuple[bytes, list[dict[str, Any]]]:
        manifest = _manifest(saved, segments)
        topics = {row.topic for row in (*arrived.sources, *arrived.internal)}
        with self._watch.batch(manifest.step, sorted(topics)), ends_forked() as end_forked:
            return self._processed(arrived, manifest, saved, segments, end_forked)

    def _processed(
        self,
        arrived: Arrived,
        manifest: Manifest,
        saved: bytes | None,
        segments: SegmentLog,
        end_forked: Callable[[], None],
    ) -> tuple[bytes, list[dict[str, Any]]]:
        watch, changelog = self._watch, self._host.changelog
        changelog.catch_up(manifest, segments)
        if self._mirroring is not None:
            own = self._step == manifest.step
            segments = self._mirroring.log_for(manifest, saved, segments, own=own)
        self._host.begin(arrived.clock_ms)
        task = self._current_task(manifest, arrived.globals)
        began = time.perf_counter_ns()
        next_offsets = dict(manifest.arrivals)
        runs = source_runs(arrived.sources, self._job.layout.feedback)
        all_runs = runs | arrived_runs(arrived.internal, self._partition, next_offsets)
        isolates = watch.by_record or bool(watch.poisoned)
        if isolates or not _last_records_do(task, all_runs):
            for chunk in raw_chunks(all_runs):
                for piece in watch.pieces(task, chunk):
                    task.add(piece)
        task.measures.ran(task.run(), began)
        end_forked()
        watch.enter(Phase.COMMIT)
        # Also when the source has dropped all records.
        task.punctuations.run_stream_time()
        task.punctuations.run_wall_clock(new_wait=True)
        began = time.perf_counter_ns()
        task.commit()
        snapshot = task.snapshot()
        if self._globals is not None:
            snapshot = self._globals.pack(snapshot)
        self._host.log_changes(task.group.stream_time)
        following = changelog.commit(manifest, segments, snapshot=snapshot, arrivals=next_offsets)
        self._step, self._oldest = following.step, manifest.oldest
        self.carrier.note(manifest, following, changelog)
        task.measures.committed(began)
        consumed = {
            at: (chunks[0]["offsets"][0].as_py(), chunks[-1]["offsets"][-1].as_py() + 1)
            for at, chunks in runs.items()
            if at[0] not in self._job.files
        }
        return following.encode(), list(self._rows(consumed, arrived.clock_ms))

    def rebuilt(self) -> list[Rebuilt]:
        """Return the stores restored since the last call."""
        found = self._host.changelog.rebuilt
        self._host.changelog.rebuilt = []
        return [replace(store, partition=self._partition) for store in found]

    def clean(self, batch: int) -> None:
        """Delete old files of segments, if it is time.

        Args:
            batch: Number of the batch that has just been processed.
        """
        self._cleaning.after(batch, self._oldest)

    def recorded(self) -> list[Drained]:
        """Return the metrics recorded since the last call."""
        return [] if self._task is None else self._task.metrics.drained()

    def close(self) -> None:
        """Close the task and its stores."""
        try:
            self._close_tasks()
        finally:
            self._host.changelog.close()

    @property
    def has_own_place(self) -> bool:
        """Whether its stores are in a locked directory of their own."""
        return self._host.own_place is not None

    def leave(self) -> SparkTaskHost:
        """Close the task but for its stores; return their host, which a copy goes on with.

        What the close writes is dropped, and the last batch with it: the copy takes that from the
        mirror, if it was committed.
        """
        # As in any close of a cached task, what fails in the user's code does not matter.
        with suppress(Exception):
            self._close_tasks()
        self._host.changelog.abandon()
        self._host.begin(0)
        return self._host

    def _current_task(self, manifest: Manifest, updates: Sequence[Any]) -> Task:
        by_record = self._watch.by_record
        if self._task is not None and (self._step, self._by_record) == (manifest.step, by_record):
            if self._globals is not None:
                self._globals.apply(updates)
            return self._task
        self._by_record = by_record
        if self._task is not None:
            # Another worker ran the batches since, or the task processes records in another way.
            # What the close sends and writes is dropped: it is of batches that another task has
            # processed, and must not go out with this one. What it raises is no error of this one.
            try:
                self._close_tasks()
            except Exception as error:  # noqa: BLE001 - a user's store or processor may raise any
                log.warning("cannot close what was left of task=%s: %s", self._id, error)
            self._host.changelog.abandon()
            self._host.begin(self._host.now_ms())
        plan, settings = self._owner.plan, self._owner.settings
        snapshot = manifest.snapshot
        self._host.renew_state_dir()
        if self._stage.has_globals:
            refilling = Refilling(self._job, self._owner.config)
            self._globals = GlobalTables(plan, settings, self._host, refilling)
            # Before the task, as in Kafka Streams: its processors may read them in their init.
            snapshot = self._globals.unpack(snapshot) if snapshot else snapshot
            self._globals.apply(updates)
        metrics = settings.metrics(self._host.now_ms)
        metrics.thread = thread_name(settings.application_id)
        measures = TaskMetrics(metrics, repr(self._id), rolls_up=True)
        task = self._task = self._watch.task(
            plan, self._parts, self._id, settings, self._host, measures=measures
        )
        self._log_other_stores(manifest)
        if snapshot:
            task.restore(snapshot)
        return task

    def _log_other_stores(self, manifest: Manifest) -> None:
        """Log the stores that only the checkpoint or only the topology has."""
        asked = self._host.asked
        if manifest.step:
            for store in sorted(asked - manifest.stores.keys()):
                log.warning(
                    "store starts empty: it is not in the checkpoint store=%s task=%s",
                    store,
                    self._id,
                )
        # A store may have parts, whose names start with its name.
        own = tuple(self._store_names())
        for store in sorted(manifest.stores.keys() - asked):
            if store.startswith(own):
                continue
            log.info(
                "store stays in the checkpoint, although the topology does not have it "
                "store=%s task=%s",
                store,
                self._id,
            )

    def _store_names(self) -> set[str]:
        own = {node.name for part in self._parts for node in part.stores}
        return own | {each.store.name for each in self._owner.plan.globals}

    def _close_tasks(self) -> None:
        task, tables = self._task, self._globals
        self._task = self._globals = None
        try:
            if task is not None:
                task.close()
        finally:
            if tables is not None:
                tables.close()

    def _rows(
        self, consumed: Mapping[tuple[str, int], tuple[int, int]], clock_ms: int
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
                # The stage hands it over, or copies it for Spark.
                "blob": memoryview(blob),
            }
        for (topic, partition), (first, offset) in consumed.items():
            yield {
                "key": own_key,
                "stage": SINK,
                "kind": OFFSETS,
                "topic": topic,
                "partition": partition,
                "seq": offset,
                "clock": clock_ms,
                "blob": first.to_bytes(8, "big"),
            }


def _manifest(saved: bytes | None, segments: SegmentLog) -> Manifest:
    """Return the manifest of the previous batch; an empty one in a task's first batch.

    Raises:
        ProcessorStateException: The manifest is damaged or missing.
    """
    if saved is not None:
        return Manifest.decode(saved)
    if segments.get(0) is not None:
        raise damaged("a task's manifest", "It is missing, although there are segments.")
    return Manifest()


def _last_records_do(task: Task, runs: Mapping[tuple[str, int], Sequence[Columns]]) -> bool:
    """Offer the task the last record of each key of all runs; return whether it accepts."""
    shortcut = task.shortcut(LastRecords)
    if shortcut is None or not all(shortcut.covers(topic) for topic, _ in runs):
        return False
    found = []
    for (topic, partition), chunks in runs.items():
        run = last_of_each_key(topic, partition, chunks)
        if run is None:
            return False
        found.append(run)
    return shortcut.offer(found)
