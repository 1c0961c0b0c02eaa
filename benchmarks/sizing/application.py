"""A running application: its batches, and what its processes use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.soak.samples import below
from benchmarks.vs_kafka_streams.costs import Meter, kind_of, memory_mb
from benchmarks.vs_kafka_streams.errors import BenchmarkError

ESTABLISHED = "01"


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that has ended."""

    number: int
    records: int
    ms: Mapping[str, float]
    """Durations of its parts, by Spark's names."""
    seen_us: int
    """When it was told of, in microseconds of the epoch."""


class Application:
    """The application while it runs."""

    def __init__(self, process: subprocess.Popen[str], meter: Meter, errors: Path) -> None:
        self._process, self._errors = process, errors
        self.meter = meter
        self.batches: list[Batch] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def wait_for(self, condition: Callable[[], bool], most_s: float) -> None:
        """Wait until something is true.

        Raises:
            BenchmarkError: The application has ended, or time is up.
        """
        give_up = time.monotonic() + most_s
        while not condition():
            ended = self._process.poll()
            if ended is not None or time.monotonic() > give_up:
                words = self._errors.read_text(encoding="utf-8", errors="replace").strip()
                what = f"ended with {ended}" if ended is not None else f"took over {most_s:.0f} s"
                raise BenchmarkError(f"the application {what}", detail=words[-3000:])
            time.sleep(0.1)

    def read(self) -> int:
        """Return how many records its batches have read."""
        return sum(each.records for each in self.batches)

    def memory_mb(self) -> dict[str, list[float]]:
        """Return the memory of its processes by their kind."""
        found: dict[str, list[float]] = {}
        for pid, _ in below(self._process.pid):
            found.setdefault(kind_of(pid, self._process.pid), []).append(memory_mb(pid))
        return found

    def thread_cpu_ms(self) -> dict[str, float]:
        """Return the processor time of the JVM's threads by their names, as Linux cuts them."""
        found: dict[str, float] = {}
        for pid, _ in below(self._process.pid):
            if kind_of(pid, self._process.pid) == "JVM":
                for thread in Path(f"/proc/{pid}/task").glob("*/stat"):
                    with suppress(OSError, ValueError, IndexError):
                        name, used = thread_time(thread.read_text())
                        found[name] = found.get(name, 0.0) + used
        return found

    def close(self) -> None:
        """Let it end by itself."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(120)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith('{"batch"'):
                told: dict[str, Any] = json.loads(line)
                seen_us = time.time_ns() // 1000
                self.batches.append(Batch(told["batch"], told["records"], told["ms"], seen_us))


@contextmanager
def running(config: Mapping[str, Any], folder: Path) -> Iterator[Application]:
    """Run an application; it is killed at the end unless it has ended.

    Args:
        config: Its configuration, and ``sizing.shape``.
        folder: Of its files.
    """
    errors = folder / "stderr"
    everything = {"state.dir": str(folder / "state"), **config}
    with errors.open("w", encoding="utf-8") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.sizing.program", json.dumps(everything)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=written,
            text=True,
        )
        try:
            with Meter(process.pid, None) as meter:
                yield Application(process, meter, errors)
        finally:
            process.kill()
            process.wait()


def connections(port: int) -> int:
    """Return how many connections a server on this machine has."""
    return sum(
        serves(line, port)
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    )


def thread_time(stat: str) -> tuple[str, float]:
    """Return name and processor time in milliseconds of a thread, by its line in ``/proc``."""
    head, _, rest = stat.rpartition(")")
    fields = rest.split()
    used = 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return head.partition("(")[2], used


def serves(line: str, port: int) -> bool:
    """Tell whether a line of ``/proc/net/tcp`` is an open connection at a server's port."""
    _, local, _, state, *_ = line.split()
    return state == ESTABLISHED and int(local.rpartition(":")[2], 16) == port
