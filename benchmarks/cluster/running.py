"""The running application of an experiment: its process, executors and batches."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark

from benchmarks.cluster.site import Site
from millstream.topology.spark.placement.record import PlacementRecord, read_record

ROOT = Path(__file__).parents[2]
PATIENCE_S = 240


class Running:
    """The application while it runs."""

    def __init__(self, process: subprocess.Popen[bytes], record_dir: Path, log: Path) -> None:
        self._process = process
        self._record_dir = record_dir
        self._log = log
        self.batches: list[dict[str, Any]] = []
        self.restored: list[dict[str, Any]] = []
        """Stores that workers have restored, as far as the program tells."""
        self.spark_id: str | None = None
        """What Spark calls the application, once an executor was looked for."""
        threading.Thread(target=self._read_batches, daemon=True).start()

    def record(self) -> PlacementRecord | None:
        """Return what the driver has noted of its tasks."""
        return read_record(self._record_dir)

    def executors(self) -> set[str]:
        """Return the ids of the executors that the driver has noted."""
        record = self.record()
        return set() if record is None else {executor.id for executor in record.executors}

    def owner(self) -> str:
        """Return the executor of the first task, which has run."""
        record = self.record()
        assert record is not None
        found = record.tasks[0].executor
        assert found is not None
        return found

    def wait_for(self, what: str, condition: Callable[[], bool]) -> None:
        """Wait until something is true.

        Raises:
            RuntimeError: It does not happen, or the application has ended.
        """
        give_up = time.monotonic() + PATIENCE_S
        while not condition():
            if self._process.poll() is not None or time.monotonic() > give_up:
                tail = self._log.read_text(errors="replace")[-3000:]
                raise RuntimeError(f"{what} did not happen: {self.record()}\n{tail}")
            time.sleep(0.1)

    def wait_for_batches(self, count: int) -> None:
        """Wait until so many more batches have ended."""
        goal = len(self.batches) + count
        self.wait_for(f"batch {goal}", lambda: len(self.batches) >= goal)

    def kill_executor(self, executor: str) -> float:
        """Kill an executor's process with SIGKILL; return when, in seconds since the epoch."""
        for pid in _descendants(self._process.pid):
            words = _command(pid)
            if _option(words, "--executor-id") == executor:
                self.spark_id = _option(words, "--app-id")
                # To find it among all processes takes some time.
                killed = time.time()
                os.kill(pid, signal.SIGKILL)
                return killed
        raise RuntimeError(f"executor {executor} has no process")

    def resize(self, word: str) -> None:
        """Have Spark start one executor more, or end the last one: ``more`` or ``fewer``."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n".encode())
        self._process.stdin.flush()

    def close(self) -> None:
        """Let the application end by itself."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)

    def _read_batches(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(b'{"batch"'):
                self.batches.append(json.loads(line))
            elif line.startswith(b'{"restored"'):
                self.restored.append(json.loads(line))


@contextmanager
def running(site: Site, program: str, entries: dict[str, Any]) -> Iterator[Running]:
    """Run the application; it is killed at the end unless it has ended.

    Args:
        site: The run's place.
        program: The application's module. It gets the configuration as JSON, and both topics.
        entries: Further entries of the configuration.
    """
    log, text = site.directory / "program.log", json.dumps(site.config(entries))
    with log.open("ab") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", program, text, site.source, site.target],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=written,
        )
        app = Running(process, site.directory / site.application_id, log)
        try:
            yield app
        finally:
            for pid in (*_descendants(process.pid), process.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()
            if app.spark_id is not None:
                # Executors of this kind of cluster leave their logs in pyspark's own folder.
                work = Path(pyspark.__file__).parent / "work"
                shutil.rmtree(work / app.spark_id, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    parent: int


def _option(words: list[str], name: str) -> str | None:
    return words[words.index(name) + 1] if name in words else None


def executor_pids(ancestor: int) -> list[int]:
    """Return the processes of executors among the descendants of a process."""
    return [pid for pid in _descendants(ancestor) if "--executor-id" in _command(pid)]


def _descendants(ancestor: int) -> list[int]:
    found, parents = [], {ancestor}
    processes = sorted(_processes(), key=lambda each: each.pid)
    while parents:
        children = [each.pid for each in processes if each.parent in parents]
        found += children
        parents = set(children)
    return found


def _processes() -> Iterator[_Process]:
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            fields = (directory / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        yield _Process(int(directory.name), int(fields[1]))


def _command(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return []
