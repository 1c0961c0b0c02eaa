"""A run of one side, and a round of both."""

from __future__ import annotations

import subprocess
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.vs_kafka_streams.commits import POLL_S, CommitWatcher, is_drained
from benchmarks.vs_kafka_streams.costs import Costs, Meter
from benchmarks.vs_kafka_streams.errors import BenchmarkError
from benchmarks.vs_kafka_streams.preload import create_topic, preload, preload_rows
from benchmarks.vs_kafka_streams.sides import Side
from benchmarks.vs_kafka_streams.workloads import PARTITIONS, WORKLOADS, Input, Job

_BATCH = "millstream.max.records.per.batch"
_CLOSE_S = 120
_QUIET_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """What a side did: records between start and stop of the clock, and the time between."""

    records: int
    seconds: float
    output_topic: str
    costs: Costs = field(default_factory=Costs)

    @property
    def rate(self) -> float:
        """Records a second."""
        return self.records / self.seconds


def prepare(
    bootstrap_servers: str,
    *,
    workload: str,
    guarantee: str,
    cache_bytes: int,
    warm_up: int,
    records: int,
    timeout_s: float,
    broker_pid: int | None = None,
) -> Job:
    """Fill new input topics."""
    wanted = WORKLOADS[workload]
    name = f"bench-input-{uuid.uuid4().hex[:8]}"
    two = wanted.right_every or wanted.rows
    topics = [f"{name}-left", f"{name}-right"] if two else [name]
    for topic in topics:
        create_topic(bootstrap_servers, topic)
    if wanted.rows:
        preload_rows(bootstrap_servers, topics, wanted.rows)
    warm_up_ends = preload(bootstrap_servers, topics, wanted, 0, warm_up)
    end_offsets = preload(bootstrap_servers, topics, wanted, warm_up, records)
    if wanted.rows:
        warm_up_ends[1] = end_offsets[1] = (0,) * PARTITIONS  # what is there before is not counted
    columns = zip(topics, warm_up_ends, end_offsets, strict=True)
    return Job(
        workload=workload,
        guarantee=guarantee,
        cache_bytes=cache_bytes,
        bootstrap_servers=bootstrap_servers,
        inputs=tuple(Input(topic=t, warm_up_ends=w, end_offsets=e) for t, w, e in columns),
        timeout_s=timeout_s,
        broker_pid=broker_pid,
    )


def play(job: Job, order: Sequence[Side], folder: Path) -> dict[str, Drain]:
    """Let each side drain the topics, one after the other."""
    return {side.name: drain(job, side, folder) for side in order}


def drain(job: Job, side: Side, folder: Path, *, timed: bool = True) -> Drain:
    """Let `side` drain the topics under a fresh application id, into a fresh output topic.

    Raises:
        BenchmarkError: The side ended with an error, or did not end in time, or did not commit
            every record; or (if `timed`) it took in everything before its warm-up was committed.
    """
    application = f"bench-{side.name.replace('_', '-')}-{uuid.uuid4().hex[:8]}"
    output = f"{application}-output"
    create_topic(job.bootstrap_servers, output)
    work = folder / application
    work.mkdir()
    watched = [*job.end_offsets, *job.between(application)]
    with CommitWatcher(job.bootstrap_servers, application, watched) as watcher:
        batch = job.records_per_batch if timed else None
        given = side if batch is None else replace(side, config={_BATCH: batch, **side.config})
        reports, meter = _run(job, given, work, application, output, watcher)
        watcher.finish()
    if not watcher.commits or not watcher.commits[-1].reached(job.end_offsets):
        raise BenchmarkError(
            f"{side.name} ended before it had committed every record",
            detail=f"Committed: {watcher.commits[-1].offsets if watcher.commits else 'nothing'}; "
            f"there is: {job.end_offsets}.",
        )
    start_us, before = reports.get("warm") or _warmed_up(job, watcher)
    # What it took to find out that nothing was left to do is not the side's own time.
    _, idle_ms = reports.get("idle", (0, 0))
    stop_us = watcher.commits[-1].seen_us - 1000 * idle_ms
    seconds = (stop_us - start_us) / 1e6
    if timed and (job.records == before or seconds <= 0):
        raise BenchmarkError(
            f"{side.name} took in every record together with its warm-up",
            hint="Give more records, or a smaller batch.",
        )
    costs = meter.costs(start_us, stop_us)
    return Drain(records=job.records - before, seconds=seconds, output_topic=output, costs=costs)


def _run(
    job: Job, side: Side, work: Path, application: str, output: str, watcher: CommitWatcher
) -> tuple[dict[str, tuple[int, int]], Meter]:
    errors, reports = work / "stderr", work / "stdout"
    with errors.open("wb") as stderr, reports.open("wb") as stdout:
        process = subprocess.Popen(
            [*side.command, *_arguments(job, side, work, application, output)],
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
        )
        try:
            with Meter(process.pid, job.broker_pid) as meter:
                _wait(job, side, process, application, watcher)
        except BaseException:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            raise
    if process.returncode:
        raise BenchmarkError(
            f"{side.name} ended with status {process.returncode}",
            detail=f"Its last words:\n{errors.read_text(errors='replace').strip()[-3000:]}",
        )
    return _announced(reports), meter


def _wait(
    job: Job,
    side: Side,
    process: subprocess.Popen[bytes],
    application: str,
    watcher: CommitWatcher,
) -> None:
    deadline = time.monotonic() + job.timeout_s
    while process.poll() is None:
        if watcher.first(job.end_offsets) and _is_through(job, application, watcher):
            assert process.stdin is not None
            process.stdin.close()
            try:
                # A repartitioning topology can have its input committed long before it is done.
                process.wait(max(_CLOSE_S, deadline - time.monotonic()))
            except subprocess.TimeoutExpired as error:
                raise BenchmarkError(f"{side.name} does not close") from error
            return
        if time.monotonic() > deadline:
            raise BenchmarkError(
                f"{side.name} did not drain the topic in {job.timeout_s:.0f} s",
                hint="Allow more with --timeout.",
            )
        time.sleep(POLL_S)


def _is_through(job: Job, application: str, watcher: CommitWatcher) -> bool:
    """Whether what goes back to an earlier part of the topology has arrived there."""
    feedback = job.feedback(application)
    if not feedback:
        return True
    # Partitions commit one after the other, and what has been sent back takes a while to appear.
    # The clock has stopped by then.
    if watcher.quiet_s() < _QUIET_S:
        return False
    return is_drained(job.bootstrap_servers, feedback, watcher.commits[-1])


def _arguments(job: Job, side: Side, work: Path, application: str, output: str) -> list[str]:
    config = {
        "application.id": application,
        "bootstrap.servers": job.bootstrap_servers,
        "auto.offset.reset": "earliest",
        "processing.guarantee": job.guarantee,
        "statestore.cache.max.bytes": job.cache_bytes,
        "state.dir": work / "state",
        **side.config,
    }
    file = work / "config.properties"
    file.write_text("".join(f"{key}={value}\n" for key, value in config.items()))
    ends = [
        ",".join(str(offset) for each in topics.values() for offset in each)
        for topics in (job.warm_up_ends, job.end_offsets)
    ]
    return [job.workload, ",".join(job.end_offsets), output, *ends, str(file)]


def _announced(reports: Path) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for line in reports.read_text(errors="replace").splitlines():
        match line.split():
            case [("warm" | "idle") as event, at_us, number]:
                found[event] = int(at_us), int(number)
    return found


def _warmed_up(job: Job, watcher: CommitWatcher) -> tuple[int, int]:
    commit = watcher.first(job.warm_up_ends)
    assert commit is not None  # the end is past the warm-up
    return commit.seen_us, commit.taken_in(job.end_offsets)
