"""One run: a broker, the application in a process of its own, steady input, and samples."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from confluent_kafka import Producer

from benchmarks.soak.program import COUNTS, SOURCE, WINDOWS
from benchmarks.soak.samples import sample
from millstream.core.errors import IllegalStateException
from millstream.testing.broker import EmbeddedBroker
from millstream.topology.spark.scratch import scratch_root

_BROKER = {"log.retention.check.interval.ms": 30_000}
_TICK_S = 0.05
_START_S = 400.0
_SMALL = {"retention.ms": 1_800_000, "segment.bytes": 64 << 20, "segment.ms": 60_000}
"""Of the topics: the broker keeps half an hour, so that its disk does not fill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is run."""

    minutes: float
    rate: int
    """Records a second; 0 for none."""
    keys: int
    fill: bool
    """Whether each key comes once, as fast as can be, before the time begins."""
    partitions: int
    cores: int
    every_s: float
    """Pause between samples."""
    interval_ms: int
    """Time between the starts of two batches: the checkpoint keeps the files of so many batches,
    so that their number says nothing if batches become shorter."""
    heap_mb: int
    """Of the JVM."""
    windows: bool
    queries: bool
    entries: Mapping[str, str] = field(default_factory=dict)
    """Further entries of the application's configuration."""


@dataclass(slots=True)
class Samples:
    """Series of samples."""

    times: list[float] = field(default_factory=list)
    series: dict[str, list[float]] = field(default_factory=dict)
    filled_s: float = 0.0
    """How long it took to take in each key once."""

    def add(self, at: float, values: Mapping[str, float]) -> None:
        """Add what was found at a time; a series that is not there has no number."""
        for name in values.keys() - self.series.keys():
            self.series[name] = [float("nan")] * len(self.times)
        self.times.append(at)
        for name, column in self.series.items():
            column.append(values.get(name, float("nan")))


class Feeder(threading.Thread):
    """Sends records at a steady rate."""

    def __init__(self, servers: str, settings: Settings, patience_s: float = 60) -> None:
        super().__init__(daemon=True)
        self._settings, self._random = settings, Random(5)
        self._producer = Producer(
            {
                "bootstrap.servers": servers,
                "partitioner": "murmur2",
                "linger.ms": 20,
                "batch.size": 1_000_000,
                "queue.buffering.max.messages": 2_000_000,
                "queue.buffering.max.kbytes": 1_000_000,
                "delivery.timeout.ms": int(patience_s * 1000),
                "delivery.report.only.error": True,
                "on_delivery": self._failed,
            }
        )
        self.failure: Any = None
        """Why a record was not sent; the load is not steady then."""
        self.stopping = threading.Event()
        self.sent = 0

    def fill(self) -> None:
        """Send each key once."""
        for number in range(self._settings.keys):
            self._send(number)
        self._producer.flush(300)

    def run(self) -> None:
        """Send until ``stopping`` is set."""
        began, sent, rate = time.monotonic(), 0, self._settings.rate
        while not self.stopping.wait(_TICK_S):
            due = int((time.monotonic() - began) * rate)
            for _ in range(due - sent):
                self._send(self._random.randrange(self._settings.keys))
            sent = due
            self._producer.poll(0)
        self._producer.flush(30)

    def _failed(self, error: Any, message: Any) -> None:
        del message
        self.failure = self.failure or error

    def _send(self, number: int) -> None:
        while True:
            try:
                self._producer.produce(SOURCE, b"some text as a value", b"key-%09d" % number)
                break
            except BufferError:
                self._producer.poll(0.1)
        self.sent += 1
        if self.sent % 10_000 == 0:
            self._producer.poll(0)


def run(settings: Settings, keep: Path, say: Callable[[str], None]) -> Samples:
    """Run the application; return the samples.

    Args:
        settings: What is run.
        keep: Directory of the application's files and of its output.
        say: Takes a line now and then.

    Raises:
        IllegalStateException: The application ended before its time, or records were not sent.
    """
    found = Samples()
    with EmbeddedBroker(data_dir=keep / "broker", config=_BROKER) as broker:
        broker.create_topics(SOURCE, partitions=settings.partitions, config=_SMALL)
        broker.create_topics(COUNTS, WINDOWS, partitions=settings.partitions, config=_SMALL)
        feeder = Feeder(broker.bootstrap_servers, settings)
        with (keep / "stderr.txt").open("w") as errors:
            process = _started(settings, keep, broker.bootstrap_servers, errors)
            told: dict[str, Any] = {}
            threading.Thread(target=_listen, args=(process, told), daemon=True).start()
            try:
                _wait_for(process, lambda: "batch" in told or "metrics" in told, _START_S)
                if settings.fill:
                    began = time.monotonic()
                    feeder.fill()
                    _wait_for(process, lambda: _taken(told, settings), 3600)
                    found.filled_s = time.monotonic() - began
                    say(f"filled keys={settings.keys} seconds={found.filled_s:.0f}")
                feeder.start()
                _watch(settings, keep, process, told, found, say)
                if feeder.failure is not None:
                    raise IllegalStateException(f"the load was not steady: {feeder.failure}")
            finally:
                feeder.stopping.set()
                _end(process)
    return found


def _started(settings: Settings, keep: Path, servers: str, errors: Any) -> subprocess.Popen[str]:
    config = {
        "application.id": "soak",
        "bootstrap.servers": servers,
        "state.dir": str(keep / "state"),
        "spark.master": f"local[{settings.cores}]",
        "statestore.cache.max.bytes": 0,
        "commit.interval.ms": settings.interval_ms,
        "processing.guarantee": "exactly_once_v2",
        # The heap is taken whole at the start, so that what grows lies beside it.
        "spark.driver.memory": f"{settings.heap_mb}m",
        "spark.driver.extraJavaOptions": f"-Xms{settings.heap_mb}m -XX:+AlwaysPreTouch",
        "soak.windows": settings.windows,
        "soak.queries": settings.queries,
        **settings.entries,
    }
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.soak.program", json.dumps(config)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
    )


def _watch(
    settings: Settings,
    keep: Path,
    process: subprocess.Popen[str],
    told: Mapping[str, Any],
    found: Samples,
    say: Callable[[str], None],
) -> None:
    home = keep / "state" / "soak"
    directories = {
        "checkpoint on disk": home / "checkpoint",
        "state directory on disk": keep / "state",
        "scratch directory on disk": scratch_root(),
    }
    began = time.monotonic()
    spoken = 0.0
    while (at := time.monotonic() - began) < settings.minutes * 60:
        _check(process)
        values = sample(process.pid, directories, Path(tempfile.gettempdir()))
        logs = [path.stat().st_size for path in home.glob("*.log*")]
        values |= {"log on disk: files": float(len(logs)), "log on disk: MB": sum(logs) / 2**20}
        values |= {f"application: {name}": float(value) for name, value in dict(told).items()}
        found.add(at, values)
        with (keep / "samples.jsonl").open("a") as lines:
            lines.write(json.dumps({"at": at, **values}) + "\n")
        if at - spoken >= 60:
            spoken = at
            say(f"minute {at / 60:.0f} {json.dumps(dict(told))}")
        time.sleep(max(0.0, settings.every_s - (time.monotonic() - began - at)))


def _taken(told: Mapping[str, Any], settings: Settings) -> bool:
    return bool(told.get("read", 0) >= settings.keys and told.get("lag", 1) == 0)


def _listen(process: subprocess.Popen[str], told: dict[str, Any]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        with suppress(ValueError):
            told.update(json.loads(line))


def _wait_for(process: subprocess.Popen[str], condition: Callable[[], bool], most_s: float) -> None:
    give_up = time.monotonic() + most_s
    while not condition():
        _check(process)
        if time.monotonic() > give_up:
            raise IllegalStateException(f"the application did not come so far in {most_s:.0f} s")
        time.sleep(0.2)


def _check(process: subprocess.Popen[str]) -> None:
    if process.poll() is not None:
        raise IllegalStateException(
            f"the application ended before its time, with status {process.returncode}",
            hint="Its error is in stderr.txt, its log in state/soak/millstream.log.",
        )


def _end(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(120)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
