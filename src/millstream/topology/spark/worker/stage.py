"""Stateful operator of a stage: one sub-topology, whose groups are tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from millstream.core.processor import TaskId
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.failures import reported
from millstream.topology.spark.job import Job
from millstream.topology.spark.state.changelog import SegmentLog
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.seeded import with_seed
from millstream.topology.spark.state.segment_files import FiledSegments, SegmentFiles
from millstream.topology.spark.wire import GLOBAL, RECORDS
from millstream.topology.spark.worker.carrying import asked_of_stage, batch_id
from millstream.topology.spark.worker.declared_stage import declared
from millstream.topology.spark.worker.handed_over import OpenFiles
from millstream.topology.spark.worker.live_task import live_task, rested, task_name
from millstream.topology.spark.worker.worker_cache import cached, discard
from millstream.topology.spark.worker.worker_task import Arrived, WorkerTask


class StageProcessor(StatefulProcessor):
    """Runs each task with its rows, and passes on the rows for later stages and sinks."""

    def __init__(self, job: Job, stage: int, *, to_sink: bool = False) -> None:
        self._job = job
        self._index = stage
        # Between the last stage and the sink there is no exchange: both are in one Spark task.
        self._to_sink = to_sink and stage == len(job.layout.stages) - 1

    def init(self, handle: Any) -> None:
        """Declare the state: a manifest, and segments by number."""
        self.use(*declared(handle))

    def use(self, manifest: Any, segments: Any) -> None:
        """Work on state that has been declared."""
        self._manifest, self._segments = manifest, segments

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:
        """Take up one row of what an earlier program left."""
        del timerValues
        with reported():
            saved = self._manifest.get()
            manifest = with_seed(
                None if saved is None else Manifest.decode(saved[0]),
                initialState.seq,
                bytes(initialState.blob),
                self._job.checkpoint_id,
                self._log(self._job.layout.keys.index(key[0])),
            )
            self._manifest.update((manifest.encode(),))

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        """Run one task's batch."""
        del timerValues
        mine = []
        for row in rows:
            if row.stage == self._index:
                mine.append(row)
            else:
                yield row
        if mine:
            with reported():
                out = self._run(self._job.layout.keys.index(key[0]), mine)
            for fields in out:
                # Arrow never lets go of a memoryview that it has made an array of, as Spark does:
                # the worker would keep all that it has ever sent.
                if type(fields["blob"]) is memoryview:
                    fields["blob"] = bytes(fields["blob"])
                yield Row(**fields)

    def close(self) -> None:
        """Do nothing: tasks stay in the worker's cache."""

    def _run(self, partition: int, rows: Iterable[Any]) -> list[dict[str, Any]]:
        stage = self._job.layout.stages[self._index]
        try:
            return self._processed(stage, live_task(self._job, stage, partition), partition, rows)
        finally:
            rested(self._job, stage)

    def _processed(
        self, stage: Stage, live: WorkerTask, partition: int, rows: Iterable[Any]
    ) -> list[dict[str, Any]]:
        records = [row for row in rows if row.kind == RECORDS]
        arrived = Arrived(
            [row for row in records if row.topic not in self._job.layout.routes],
            [row for row in records if row.topic in self._job.layout.routes],
            [row for row in rows if row.kind == GLOBAL],
            max(row.clock for row in rows),
        )
        saved = self._manifest.get()
        log = self._log(partition)
        live.carrier.asked = asked_of_stage(self._job, stage)
        try:
            manifest, out = live.run(arrived, None if saved is None else saved[0], log)
        except BaseException:
            discard(self._job, task_name(stage, partition))
            raise
        self._manifest.update((manifest,))
        # Reports need this batch's accumulators: the cached task has the job of an older batch.
        if self._job.rebuilt is not None and (rebuilt := live.rebuilt()):
            self._job.rebuilt.add(rebuilt)
        if self._job.recorded is not None and (recorded := live.recorded()):
            self._job.recorded.add([(arrived.clock_ms, recorded)])
        batch = batch_id()
        live.carrier.report(self._job, stage, partition, batch)
        live.clean(batch)
        if not self._to_sink:
            return out
        files = cached(self._job, ("handed over", stage.index), lambda _: OpenFiles())
        return files.hand_over(partition, batch, out)

    def _log(self, partition: int) -> SegmentLog:
        stage = self._job.layout.stages[self._index]
        files = SegmentFiles.of(self._job.segments, TaskId(stage.subtopology, partition))
        writes = self._job.writes_segments
        return FiledSegments(StateSegments(self._segments), files, writes=writes)


class StateSegments(SegmentLog):
    """A task's segments in Spark's map state."""

    def __init__(self, state: Any) -> None:
        self._state = state

    def get(self, seq: int) -> bytes | None:
        found = self._state.getValue((seq,))
        return None if found is None else bytes(found[0])

    def put(self, seq: int, segment: bytes) -> None:
        self._state.updateValue((seq,), (segment,))

    def remove(self, seq: int) -> None:
        self._state.removeKey((seq,))
