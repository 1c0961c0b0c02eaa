"""One measurement: an application in a process of its own, steady input, the ages of results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from confluent_kafka import Producer

from benchmarks.java_program import java_program
from benchmarks.latency.batches import medians
from benchmarks.latency.load import Feeder, Reader
from benchmarks.latency.shapes import PARTITIONS, RESULTS, RIGHT, SHAPES, SOURCE, right_rows
from benchmarks.latency.tasks import StageTimes, event_log, stage_times
from benchmarks.vs_kafka_streams.errors import BenchmarkError
from millstream.testing.broker import EmbeddedBroker

_START_S = 300.0
_CLOSE_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is run."""

    side: str
    """``millstream``, ``kafka_streams`` or ``floor``."""
    shape: str
    guarantee: str
    rate: int
    """Records a second."""
    keys: int
    warm_up_s: float
    seconds: float
    interval_ms: int = 0
    """Kafka Streams' ``commit.interval.ms``; 0: the side's own default."""
    entries: Mapping[str, str] = field(default_factory=dict)
    """Further entries of the configuration."""
    tasks: bool = False
    """Whether Spark writes an event log, from which the times of tasks are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run showed; times in milliseconds."""

    case: Case
    ages: Sequence[int]
    """Sorted ages of the results of records that were sent after the warm-up."""
    first_output_s: float
    """From the start of the process to the first result."""
    parts: Mapping[str, float]
    """Median duration of each part of a batch, by Spark's names; empty for Kafka Streams."""
    load: float
    """The machine's load at the end."""
    stages: Sequence[StageTimes] = ()
    """Of a batch's tasks, if asked for."""

    def percentile(self, share: float) -> float:
        """Return the age below which so many of the results are; the share is 0 to 1."""
        if not self.ages:
            return float("nan")
        return float(self.ages[min(len(self.ages) - 1, int(len(self.ages) * share))])


def run(case: Case, folder: Path) -> Outcome:
    """Run one case on a broker of its own.

    Raises:
        BenchmarkError: The application ended, or gave no result in time.
    """
    folder.mkdir(parents=True)
    with EmbeddedBroker() as broker:
        broker.create_topics(SOURCE, RIGHT, RESULTS, partitions=PARTITIONS)
        servers = broker.bootstrap_servers
        if SHAPES[case.shape].has_right:
            _fill_right(servers)
        began = time.monotonic()
        with (
            Reader(servers) as reader,
            Feeder(servers, case.rate, case.keys),
            _application(case, servers, folder) as application,
        ):
            _wait_for_results(application, reader, folder / "stderr")
            first_s = time.monotonic() - began
            time.sleep(case.warm_up_s)
            measured_from = time.time_ns() // 1_000_000
            time.sleep(case.seconds)
            until, load = time.time_ns() // 1_000_000, os.getloadavg()[0]
            # What was sent just before the end has a result a little later.
            time.sleep(3)
            batches = _close(application)
    ages = sorted(age for at, age in reader.ages_ms if measured_from <= at < until)
    return Outcome(
        case=case,
        ages=ages,
        first_output_s=first_s,
        parts=medians(batches),
        load=load,
        stages=stage_times(folder / "events") if case.tasks else (),
    )


@contextmanager
def _application(case: Case, servers: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    with (folder / "stderr").open("w", encoding="utf-8") as stderr:
        process = subprocess.Popen(
            _command(case, servers, folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def _command(case: Case, servers: str, folder: Path) -> list[str]:
    config: dict[str, object] = {
        "application.id": f"latency-{uuid.uuid4().hex[:8]}",
        "bootstrap.servers": servers,
        "auto.offset.reset": "earliest",
        "processing.guarantee": case.guarantee,
        "state.dir": str(folder / "state"),
    }
    if case.side == "kafka_streams":
        config |= {"num.stream.threads": PARTITIONS, "replication.factor": 1}
        config |= {"commit.interval.ms": case.interval_ms, **case.entries}
        file = folder / "config.properties"
        file.write_text("".join(f"{k}={v}\n" for k, v in config.items()), encoding="utf-8")
        return [
            *java_program(Path(__file__).with_name("java"), "LatencySide"),
            case.shape,
            str(file),
        ]
    config |= {"spark.master": f"local[{PARTITIONS}]", "latency.shape": case.shape, **case.entries}
    if case.tasks:
        config |= event_log(folder / "events")
    program = "program" if case.side == "millstream" else "floor"
    return [sys.executable, "-m", f"benchmarks.latency.{program}", json.dumps(config)]


def _fill_right(servers: str) -> None:
    producer = Producer({"bootstrap.servers": servers, "log_level": 3})
    for key, value in right_rows():
        producer.produce(RIGHT, value, key)
    producer.flush(30)


def _wait_for_results(application: subprocess.Popen[str], reader: Reader, errors: Path) -> None:
    deadline = time.monotonic() + _START_S
    while not reader.ages_ms:
        ended = application.poll()
        if ended is not None or time.monotonic() > deadline:
            words = errors.read_text(encoding="utf-8", errors="replace").strip()
            what = f"gave no result in {_START_S:.0f} s" if ended is None else f"ended with {ended}"
            raise BenchmarkError(f"the application {what}", detail=f"Last words:\n{words[-3000:]}")
        time.sleep(0.02)


def _close(application: subprocess.Popen[str]) -> list[dict[str, int]]:
    out, _ = application.communicate("", timeout=_CLOSE_S)
    lines = [line for line in out.splitlines() if line.startswith("[")]
    found: list[dict[str, int]] = json.loads(lines[-1]) if lines else []
    return found
