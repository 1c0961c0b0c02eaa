"""Spark's standalone master and workers, each a process with directories of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark

from compat_tests.smoke.proc import descendants, is_alive, kill_all
from compat_tests.spark.support import eventually

HOME = Path(pyspark.__file__).parent
_DEPLOY = "org.apache.spark.deploy"


@dataclass(frozen=True)
class Command:
    """A process that a test has started, and its output."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def says(self, text: str) -> bool:
        return text in self.log.read_text(errors="replace")

    def told(self) -> str:
        """The last of its output."""
        return f"{self.name}:\n{self.log.read_text(errors='replace')[-5000:]}"

    def kill(self) -> list[int]:
        """Kill it and all below it; return their numbers."""
        gone = descendants(self.process.pid)
        kill_all(gone)
        self.process.wait()
        return gone


class Standalone:
    """A master and its workers.

    Args:
        directory: Where each has a directory.
        stack: Kills what has been started, at its end.
    """

    def __init__(self, directory: Path, stack: ExitStack) -> None:
        self.directory = directory
        self._stack = stack
        self.url = f"spark://127.0.0.1:{free_port()}"
        self.master = self._daemon("master", "master.Master", ["--port", self.url.split(":")[-1]])
        eventually(lambda: self.master.says("New state: ALIVE"), expected=True)

    def worker(self, name: str) -> Command:
        """Start a worker with one core, and wait until the master knows it."""
        work = str(self.directory / name / "work")
        options = ["--cores", "1", "--memory", "1500M", "--work-dir", work, "--port", "0", self.url]
        worker = self._daemon(name, "worker.Worker", options)
        eventually(lambda: worker.says("Successfully registered with master"), expected=True)
        return worker

    def run(self, name: str, command: Sequence[str], env: dict[str, str] | None = None) -> Command:
        """Start a command in a directory of its own, with a plain environment."""
        folder = self.directory / name
        folder.mkdir(exist_ok=True)
        log = folder / "output.log"
        output = self._stack.enter_context(log.open("ab"))
        process = subprocess.Popen(
            command, cwd=folder, env=_plain(folder) | (env or {}), stdout=output, stderr=output
        )
        started = Command(name, process, log)
        self._stack.callback(started.kill)
        return started

    def _daemon(self, name: str, kind: str, options: Sequence[str]) -> Command:
        host = ["--host", "127.0.0.1", "--webui-port", "0"]
        env = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_LOCAL_IP": "127.0.0.1"}
        command = [str(HOME / "bin/spark-class"), f"{_DEPLOY}.{kind}", *host, *options]
        return self.run(name, command, env)


@contextmanager
def standalone(directory: Path) -> Iterator[Standalone]:
    """Run a master without workers; in the end everything that was started is killed."""
    with ExitStack() as stack:
        yield Standalone(directory, stack)


def supervised(*command: str) -> list[str]:
    """Return the command that runs another one again until it ends well."""
    script = 'until "$@"; do echo "supervisor: it ended with status $?; it is started again"; done'
    return ["sh", "-c", script, "supervisor", *command]


def below(command: Command, *words: str) -> list[int]:
    """Return the processes below a command whose command lines have all of the words."""
    found = []
    for pid in descendants(command.process.pid):
        line = Path(f"/proc/{pid}/cmdline")
        text = line.read_bytes().decode(errors="replace") if is_alive(pid) else ""
        if all(word in text for word in words):
            found.append(pid)
    return found


def stop(pids: Sequence[int]) -> None:
    """Ask processes to end (SIGTERM)."""
    for pid in pids:
        os.kill(pid, signal.SIGTERM)


def _plain(folder: Path) -> dict[str, Any]:
    """Return an environment in which nothing of the checkout can be imported."""
    keep = ("HOME", "PATH", "JAVA_HOME", "LANG", "MILLSTREAM_CACHE", "MILLSTREAM_IVY_SETTINGS")
    found = {key: os.environ[key] for key in keep if key in os.environ}
    return found | {"TMPDIR": str(folder), "PYSPARK_PYTHON": sys.executable}


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
