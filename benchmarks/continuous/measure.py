"""One run of one side: latency under a steady load, then kills, then the check of all results."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.continuous.load import producer, sent
from benchmarks.continuous.outputs import Reader, Verdict, first_after, percentile, verdict
from benchmarks.continuous.sides import MICRO_BATCH, Running
from benchmarks.continuous.starts import starts
from benchmarks.vs_kafka_streams.errors import BenchmarkError
from benchmarks.vs_kafka_streams.preload import create_topic
from benchmarks.vs_kafka_streams.sides import Side

WORKER, PROGRAM = "worker", "program"
_SETTLE_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is sent, and what is done to the program meanwhile."""

    rate: int = 1_000
    keys: int = 50_000
    warm_up_s: float = 15
    measured_s: float = 40
    kills: Sequence[str] = (WORKER, WORKER, WORKER, PROGRAM)
    between_s: float = 6
    """Seconds from a recovery to the next kill."""
    patience_s: float = 180
    """For a start or a recovery."""
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """A killed process, and the seconds until each partition had a new result; None: never."""

    what: str
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was measured of one side."""

    side: str
    commit_ms: int
    first_s: float
    """From the start to the first results of all keys' first records."""
    results: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    cpu_share: float
    """CPU seconds of the program in each second of the latency's time."""
    kills: tuple[Kill, ...]
    verdict: Verdict
    starts: tuple[dict[str, Any], ...]
    """What the starts of continuous tasks took."""
    load: tuple[float, float]
    """The machine's load average before and after."""


def measured(
    side: Side, bootstrap_servers: str, folder: Path, load: Load, *, commit_ms: int
) -> Found:
    """Run one side.

    Raises:
        BenchmarkError: It ended, or no results came.
    """
    application = f"{side.name.replace('_', '-')}-{uuid.uuid4().hex[:8]}"
    source, target = f"{application}-input", f"{application}-output"
    for topic in (source, target):
        create_topic(bootstrap_servers, topic)
    work = folder / application
    (work / "state").mkdir(parents=True)
    config = {
        "application.id": application,
        "bootstrap.servers": bootstrap_servers,
        "auto.offset.reset": "earliest",
        "processing.guarantee": "exactly_once_v2",
    }
    before = os.getloadavg()[0]
    _send_all(bootstrap_servers, source, load.keys)
    began = time.monotonic()
    running = Running(side, config, source, target, work)
    try:
        with Reader(bootstrap_servers, target) as reader:
            session = _Session(running, reader, bootstrap_servers, source, load)
            session.wait("its first results", lambda found: len(found) >= load.keys)
            first_s = time.monotonic() - began
            session.play()
            wrong = session.check()
    finally:
        running.stop()
    latencies = session.latencies()
    if not latencies:
        raise BenchmarkError(f"{side.name} has no results of the measured time")
    return Found(
        side=side.name,
        commit_ms=0 if side.name == MICRO_BATCH else commit_ms,
        first_s=first_s,
        results=len(latencies),
        p50_ms=percentile(latencies, 0.5),
        p99_ms=percentile(latencies, 0.99),
        max_ms=max(latencies),
        cpu_share=session.cpu_share,
        kills=tuple(session.kills),
        verdict=wrong,
        starts=tuple(starts(running.journal)),
        load=(before, os.getloadavg()[0]),
    )


class _Session:
    """A running program under load."""

    def __init__(
        self, running: Running, reader: Reader, bootstrap_servers: str, source: str, load: Load
    ) -> None:
        self._running = running
        self._reader = reader
        self._arguments = [bootstrap_servers, source, load.rate, load.keys, load.seed]
        self._load = load
        self._count = 0
        self._from_ms = self._until_ms = 0.0
        self.cpu_share = 0.0
        self.kills: list[Kill] = []

    def play(self) -> None:
        """Send the load; measure, then kill."""
        words = [sys.executable, "-m", "benchmarks.continuous.load", *map(str, self._arguments)]
        pipe = subprocess.PIPE
        with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as sender:
            try:
                time.sleep(self._load.warm_up_s)
                self._measure()
                for number, what in enumerate(self._load.kills):
                    self._kill(what, random.Random(number).random())
            finally:
                said, _ = sender.communicate()
        self._count = int(said)
        if self._count < 0:
            raise BenchmarkError("the broker did not take the load")

    def check(self) -> Verdict:
        """Wait until all is counted, or no more comes; return what is wrong."""
        wanted = sent(self._count, self._load.keys, self._load.seed)
        if not self._reader.wait(lambda _: self._reader.totals() == wanted, 20):
            # What is lost does not come; what was written twice may still come.
            time.sleep(_SETTLE_S)
        return verdict(wanted, self._reader.results)

    def latencies(self) -> list[float]:
        """Return the latencies of the records that were due in the measured time, ms."""
        return [
            each.seen_ms - each.due_ms
            for each in self._reader.results
            if self._from_ms <= each.due_ms < self._until_ms
        ]

    def wait(self, what: str, done: Any) -> None:
        """Wait for results.

        Raises:
            BenchmarkError: They do not come.
        """
        give_up = time.monotonic() + self._load.patience_s
        while not self._reader.wait(done, 1):
            self._running.check()
            if time.monotonic() > give_up:
                raise BenchmarkError(f"{self._running.side.name} did not show {what}")

    def _measure(self) -> None:
        self._from_ms, cpu = time.time() * 1000, self._running.cpu_s()
        time.sleep(self._load.measured_s)
        self._until_ms = time.time() * 1000
        seconds = (self._until_ms - self._from_ms) / 1000
        self.cpu_share = (self._running.cpu_s() - cpu) / seconds
        # The last of them are under way.
        time.sleep(_SETTLE_S)

    def _kill(self, what: str, share: float) -> None:
        # At any moment of an interval.
        time.sleep(self._load.between_s + share)
        seen, at_ms = len(self._reader.results), time.time() * 1000
        if what == WORKER:
            self._running.kill_worker()
        else:
            self._running.kill_program()
        give_up = time.monotonic() + self._load.patience_s
        while (found := first_after(self._reader.results[seen:], at_ms)) is None:
            self._running.check()
            if time.monotonic() > give_up:
                break
            time.sleep(0.05)
        self.kills.append(
            Kill(what=what, seconds=None if found is None else (found - at_ms) / 1000)
        )


def _send_all(bootstrap_servers: str, topic: str, keys: int) -> None:
    client = producer(bootstrap_servers)
    for number in range(keys):
        client.produce(topic, b"x", b"k%d" % number)
    if client.flush(60):
        raise BenchmarkError("the broker did not take the first record of each key")
