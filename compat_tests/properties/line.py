"""The line of stages as Spark runs it, without Spark: real tasks, changelogs, manifests and rows.

What Spark does is here in a few lines: a batch's state counts only if the whole batch succeeds, and
tasks move between workers, which keep what they had on disk.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
from typing_extensions import Self

from compat_tests.conformance.replay import build, scenario_config
from compat_tests.properties.world import STACK, Json, Line, raw_chunks
from millstream.core.chunk import RawChunk
from millstream.core.config import StreamsConfig
from millstream.core.engine.output import Sent
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.snapshots import Snapshot, decode
from millstream.core.errors import MillstreamError
from millstream.core.processor import TaskId
from millstream.topology.spark.arrow_headers import headers_column, headers_list
from millstream.topology.spark.changelogs.kept import kept_changelogs
from millstream.topology.spark.checkpoint.store_notes import notes_of
from millstream.topology.spark.compile import Layout, Stage, compile_plan
from millstream.topology.spark.job import Job
from millstream.topology.spark.logged_store import LoggedStore
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.segment_files import FiledSegments, SegmentFiles
from millstream.topology.spark.wire import (
    RECORDS,
    SINK,
    binary_column,
    decode_chunk,
    encode_chunk,
    to_list,
)
from millstream.topology.spark.worker.task_host import SparkTaskHost
from millstream.topology.spark.worker.worker_cache import Application
from millstream.topology.spark.worker.worker_task import Arrived, WorkerTask

WORKERS = 2


class Crash(Exception):
    """The end of a worker in the middle of a batch."""


@dataclass
class Segments:
    """A task's segments as one attempt at a batch sees them.

    Args:
        kept: The committed ones.
        crashes: Fail at the first that is written.
    """

    kept: dict[int, bytes]
    crashes: bool = False

    def get(self, seq: int) -> bytes | None:
        """Return a segment."""
        return self.kept.get(seq)

    def put(self, seq: int, segment: bytes) -> None:
        """Add a segment."""
        if self.crashes:
            raise Crash
        self.kept[seq] = segment

    def remove(self, seq: int) -> None:
        """Delete a segment."""
        self.kept.pop(seq, None)


@dataclass
class TaskState:
    """What Spark's checkpoint holds of one stage's task."""

    manifest: bytes | None = None
    segments: dict[int, bytes] = field(default_factory=dict)


@dataclass
class LineSeen:
    """All that can be seen of a run."""

    batches: list[dict[str, list[Line]]] = field(default_factory=list)
    """What each batch sent to each topic; consumed offsets."""
    stores: dict[str, list[tuple[bytes, bytes]]] = field(default_factory=dict)
    """The bytes of each store as its changelog has them."""
    snapshots: list[Snapshot | bytes] = field(default_factory=list)
    """What each task keeps besides."""
    error: str | None = None
    """What ended the run."""


class LineOfTasks:
    """A scenario's stages, one task each; use as a context manager.

    Args:
        scenario: The scenario.
        changelogs: Write changelog topics, too.
    """

    def __init__(self, scenario: Json, *, changelogs: bool = False) -> None:
        config = scenario_config(scenario)
        self.plan = build(scenario, config).plan()
        streams_config = StreamsConfig(config)
        settings = TaskSettings.of(streams_config)
        topics = [topic for topic in scenario["topics"] if not topic.endswith("*")]
        partitions = dict.fromkeys(topics, 1)
        self.layout: Layout = compile_plan(self.plan, settings.application_id, partitions)
        self.notes = notes_of(self.plan, streams_config)
        self.logged: dict[str, LoggedStore] = {}
        if changelogs:
            kept = kept_changelogs(self.plan, self.layout, self.notes, {}, streams_config)
            self.logged = kept.stores()
        self.checkpoint = uuid.uuid4().hex
        self.segments = _roots()[0] / f"segments-{self.checkpoint}"
        self.jobs = [self._job(settings.application_id, root, partitions) for root in _roots()]
        self.owner = Application("run", self.plan, settings, streams_config)
        self.states = [TaskState() for _ in self.layout.stages]
        self.live: dict[tuple[int, int], WorkerTask] = {}
        self.offsets: dict[str, int] = defaultdict(int)
        self.fed_back: list[Sent] = []
        self.globals = {topic for each in self.plan.globals for topic in each.source.topics}
        self.seen = LineSeen()

    def _job(self, application_id: str, root: Path, partitions: dict[str, int]) -> Job:
        return Job(
            application_id=application_id,
            checkpoint_id=self.checkpoint,
            run_id="run",
            topology=b"",
            layout=self.layout,
            sink_partitions=partitions,
            exactly_once=True,
            state_dir=str(root),
            changelogs=self.logged,
        )

    def batch(self, records: Sequence[Sent], clock_ms: int, worker: int) -> None:
        """Run a batch on a worker and commit it."""
        given = [*self.fed_back, *records]
        chunks = raw_chunks(given, self.offsets)
        states = [TaskState(s.manifest, dict(s.segments)) for s in self.states]
        sent, self.fed_back = self._run(chunks, clock_ms, worker, states)
        self.states = states
        self.seen.batches.append(sent)

    def fail(self, records: Sequence[Sent], clock_ms: int, worker: int, stages: int) -> None:
        """Run the same batch in vain: so many stages succeed, the next one crashes."""
        chunks = raw_chunks([*self.fed_back, *records], dict(self.offsets) | _zeros(records, self))
        states = [TaskState(s.manifest, dict(s.segments)) for s in self.states]
        self._run(chunks, clock_ms, worker, states, stages)

    def restart(self, worker: int, *, lose: bool) -> None:
        """End a worker's process, perhaps with its disk, and start it again."""
        for name in [name for name in self.live if name[0] == worker]:
            self.live.pop(name).close()
        if lose:
            self._forget(self.jobs[worker])

    def _run(
        self,
        chunks: Iterable[RawChunk],
        clock_ms: int,
        worker: int,
        states: list[TaskState],
        crash_at: int | None = None,
    ) -> tuple[dict[str, list[Line]], list[Sent]]:
        chunks = list(chunks)
        rows: list[Any] = []
        back: list[Sent] = []
        sent: dict[str, list[Line]] = defaultdict(list)
        for stage, state in zip(self.layout.stages, states, strict=True):
            arrived = self._arrived(stage, chunks, rows, clock_ms)
            live = self.live.get((worker, stage.index))
            if live is None:
                live = WorkerTask(self.jobs[worker], stage, 0, self.owner)
                self.live[worker, stage.index] = live
            crashes = stage.index == crash_at
            log = self._log(stage, Segments(state.segments, crashes))
            try:
                state.manifest, out = live.run(arrived, state.manifest, log)
            except Crash:
                self.live.pop((worker, stage.index)).close()
                break
            for row in map(_row, out):
                if row.stage != SINK:
                    rows.append(row)
                elif row.kind != RECORDS:
                    sent["offsets"].append((row.topic, row.partition, row.seq))
                else:
                    records = _records(row)
                    sent[row.topic] += map(_line, records)
                    back += records if row.topic in self.layout.feedback else []
        return dict(sent), back

    def _log(self, stage: Stage, state: Segments) -> FiledSegments:
        files = SegmentFiles.of(self.segments, TaskId(stage.subtopology, 0))
        return FiledSegments(state, files, writes=True, small=0)

    def _arrived(
        self, stage: Stage, chunks: list[RawChunk], rows: list[Any], clock_ms: int
    ) -> Arrived:
        return Arrived(
            sources=[_source_row(chunk) for chunk in chunks if chunk.topic in stage.topics],
            internal=[row for row in rows if row.stage == stage.index],
            globals=[
                _source_row(chunk)
                for chunk in chunks
                if chunk.topic in self.globals and stage.has_globals
            ],
            clock_ms=clock_ms,
        )

    def finish(self) -> LineSeen:
        """Look at what the changelogs hold."""
        self.restart(0, lose=True)
        for stage, state in zip(self.layout.stages, self.states, strict=True):
            if state.manifest is None:
                continue
            manifest = Manifest.decode(state.manifest)
            host = SparkTaskHost(self.jobs[0], self.owner.settings.configs, f"{stage.index}_0")
            host.changelog.catch_up(manifest, self._log(stage, Segments(state.segments)))
            for store, kind in manifest.stores.items():
                copy = host.changelog.working_copy(store, kind)
                self.seen.stores[f"{stage.index} {store}"] = list(copy.scan(None, None))
            host.changelog.close()
            snapshot = manifest.snapshot
            self.seen.snapshots.append(snapshot if stage.has_globals else decode(snapshot))
        return self.seen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for live in self.live.values():
            # What is left of a failed batch may not close well.
            with suppress(MillstreamError):
                live.close()
        for job in self.jobs:
            self._forget(job)
        shutil.rmtree(self.segments, ignore_errors=True)

    def _forget(self, job: Job) -> None:
        for place in ("slots/*", "shared"):
            for directory in Path(job.state_dir).glob(f"*/{place}/{self.checkpoint}"):
                shutil.rmtree(directory)


@cache
def _roots() -> list[Path]:
    """Directories of the workers; each holds a lock for as long as this process lives.

    In memory, where the system has such a place: a byte store waits for its disk at every opening.
    """
    memory = Path("/dev/shm")
    place = memory if memory.is_dir() else None
    roots = [Path(tempfile.mkdtemp(prefix="properties-", dir=place)) for _ in range(WORKERS)]
    for root in roots:
        atexit.register(shutil.rmtree, root, ignore_errors=True)
    return roots


def _zeros(records: Sequence[Sent], line: LineOfTasks) -> dict[str, int]:
    """Offsets of topics that have not been read yet."""
    named = {record.topic for record in (*records, *line.fed_back)}
    return {topic: line.offsets.get(topic, 0) for topic in named}


def _row(fields: dict[str, Any]) -> Any:
    return SimpleNamespace(**fields)


def _source_row(chunk: RawChunk) -> Any:
    blob = encode_chunk(
        offsets=pa.array(chunk.offsets, pa.int64()),
        timestamps=pa.array(chunk.timestamps, pa.int64()),
        keys=binary_column(chunk.keys),
        values=binary_column(chunk.values),
        headers=headers_column(chunk.headers),
    )
    return SimpleNamespace(
        topic=chunk.topic, partition=chunk.partition, seq=chunk.offsets[0], blob=blob
    )


def _records(row: Any) -> list[Sent]:
    columns = decode_chunk(row.blob)
    keys, values = to_list(columns["keys"]), to_list(columns["values"])
    headers = headers_list(columns.get("headers")) or [None] * len(keys)
    times = to_list(columns["timestamps"])
    return [Sent(row.topic, *each) for each in zip(keys, values, times, headers, strict=True)]


def _line(record: Sent) -> Line:
    headers = tuple((h.key(), h.value()) for h in record.headers or () if h.key() != STACK)
    return (record.key, record.value, record.timestamp, headers)
