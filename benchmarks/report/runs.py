"""The rounds of a report, one after the other."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report.figures import Round, SideFigures, read_rounds
from benchmarks.vs_kafka_streams.errors import BenchmarkError
from benchmarks.vs_kafka_streams.rounds import play, prepare
from benchmarks.vs_kafka_streams.sides import Side, kafka_streams, millstream
from benchmarks.vs_kafka_streams.workloads import WORKLOADS, Job
from millstream.testing.broker import EmbeddedBroker


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be measured."""

    workloads: Sequence[str]
    guarantees: Sequence[str]
    rounds: int
    records: int
    cache_bytes: int
    timeout_s: float


def run(plan: Plan, file: Path) -> list[tuple[str, str]]:
    """Add to `file` the rounds that it does not have yet.

    Returns:
        Workloads that failed, each with the reason; the others have been run all the same.
    """
    done = Counter((r.workload, r.guarantee, r.cache, r.records) for r in read_rounds(file))
    sides = (kafka_streams(), millstream())
    failed: list[tuple[str, str]] = []
    for workload in plan.workloads:
        records = max(1, plan.records // WORKLOADS[workload].weight)
        places = {g: (workload, g, plan.cache_bytes, records) for g in plan.guarantees}
        left = {g: plan.rounds - done[place] for g, place in places.items()}
        if all(count <= 0 for count in left.values()):
            continue
        try:
            # A broker of its own, so that no workload pays for what others have left on the disk.
            with EmbeddedBroker() as broker, TemporaryDirectory() as folder:
                for guarantee, count in left.items():
                    job = _job(plan, broker, workload, guarantee, records)
                    _play(job, sides, count, records, Path(folder), file)
        except BenchmarkError as error:
            failed.append((workload, str(error)))
    return failed


def _job(plan: Plan, broker: EmbeddedBroker, workload: str, guarantee: str, records: int) -> Job:
    return prepare(
        broker.bootstrap_servers,
        workload=workload,
        guarantee=guarantee,
        cache_bytes=plan.cache_bytes,
        warm_up=max(1, records // 4),
        records=records,
        timeout_s=plan.timeout_s,
        broker_pid=broker.pid,
    )


def _play(
    job: Job, sides: Sequence[Side], count: int, records: int, folder: Path, file: Path
) -> None:
    for number in range(count):
        drains = play(job, sides if number % 2 == 0 else sides[::-1], folder)
        found = Round(
            workload=job.workload,
            guarantee=job.guarantee,
            cache=job.cache_bytes,
            records=records,
            ours=SideFigures.of(drains["millstream"]),
            theirs=SideFigures.of(drains["kafka_streams"]),
        )
        with file.open("a", encoding="utf-8") as kept:
            kept.write(f"{found.line()}\n")
        print(
            f"{job.workload}, {job.guarantee}: ratio {found.ratio:.2f}", file=sys.stderr, flush=True
        )
