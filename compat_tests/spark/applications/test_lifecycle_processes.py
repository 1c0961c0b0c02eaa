"""Applications in processes of their own that fail, get signals, or lose their JVM."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from compat_tests import ROOT
from compat_tests.spark.support import PATIENCE_S, QUICK_JVM, Playground, happens_before_end
from millstream.testing.broker import wait_for

pytestmark = pytest.mark.spark


class Program:
    """A running program, and the JVM that it has started."""

    def __init__(self, play: Playground, kind: str) -> None:
        self.topics = [play.topic("in", 1), play.topic("out", 1)]
        play.produce(self.topics[0], [(b"k", str(n).encode(), n) for n in range(20)])
        config = play.config(spark_master="local[2]") | QUICK_JVM
        plain = {key: value for key, value in config.items() if not key.endswith(".serde")}
        self._out, self._err = play.directory / "out", play.directory / "err"
        self.log = play.directory / play.name / "millstream.log"
        module = "compat_tests.spark.applications.lifecycle_program"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, kind, json.dumps(plain), *self.topics],
                cwd=ROOT,
                stdout=out,
                stderr=err,
            )

    @property
    def said(self) -> list[str]:
        """The lines on standard output."""
        return self._out.read_text().split()

    @property
    def errors(self) -> str:
        """What is on standard error."""
        return self._err.read_text()

    def until(self, condition: Callable[[], object]) -> None:
        """Wait until something is so, as long as the program runs."""
        assert happens_before_end(self.process, condition, PATIENCE_S * 5), self.errors[-3000:]

    def jvms(self) -> list[int]:
        """The JVMs that the program has started and that have not ended."""
        return [pid for pid in children(self.process.pid) if "java" in command(pid)]

    def signalled(self, number: int) -> None:
        """Send a signal to the program alone."""
        self.process.send_signal(number)

    def ended(self, jvms: list[int]) -> int:
        """Wait for the end of the program and of JVMs; return its status."""
        status = self.process.wait(PATIENCE_S * 5)
        wait_for(
            lambda: not any("java" in command(pid) for pid in jvms), PATIENCE_S, "no JVM is left"
        )
        return status


def children(parent: int) -> list[int]:
    found = []
    # Linux lists what each thread has started.
    for each in Path(f"/proc/{parent}/task").glob("*/children"):
        with suppress(OSError):
            found += [int(pid) for pid in each.read_text().split()]
    return found


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
    except OSError:
        return ""


@contextmanager
def program(play: Playground, kind: str) -> Iterator[Program]:
    running = Program(play, kind)
    try:
        yield running
    finally:
        left = running.jvms()
        running.process.kill()
        running.process.wait()
        for pid in left:
            os.kill(pid, signal.SIGKILL)


def test_a_failure_ends_the_program_with_a_short_account_of_it(play: Playground) -> None:
    with program(play, "fail") as running:
        running.until(lambda: "RUNNING" in running.said)
        assert running.ended(running.jvms()) == 1
        errors = running.errors
        said = running.said
    assert said == ["REBALANCING", "RUNNING", "handler", "PENDING_ERROR", "ERROR"]
    assert len(errors.splitlines()) <= 25, errors
    source = Path(__file__).with_name("lifecycle_program.py")
    lines = source.read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if "# the user's line" in line)
    assert errors.count(f"{source}:{number} in <lambda>: ") == 1
    assert errors.count('cannot process a record in operator "KSTREAM-MAPVALUES-') == 1
    assert f"{running.topics[0]}-0 at offset 7" in errors
    assert "ZeroDivisionError" in errors
    assert f"log: {running.log}" in errors
    assert "starting" in errors
    written = running.log.read_text()
    assert "Traceback" in written
    assert "Value state manifest doesn't contain" not in written
    assert "No more data to read" not in written
    assert "Failed to cancel job group" not in written


def test_a_killed_jvm_is_an_error_and_the_next_run_closes_on_sigterm(play: Playground) -> None:
    with program(play, "again") as running:
        running.until(lambda: "RUNNING" in running.said)
        (jvm,) = running.jvms()
        os.kill(jvm, signal.SIGKILL)
        running.until(lambda: running.said.count("RUNNING") == 2)
        running.until(lambda: play.ends(running.topics[1]) == {0: 20})
        jvms = running.jvms()
        # As to all processes of a program, by timeout or systemd.
        for pid in [*jvms, running.process.pid]:
            os.kill(pid, signal.SIGTERM)
        assert running.ended(jvms) == 0
        said, errors = running.said, running.errors
    first = ["REBALANCING", "RUNNING", "handler", "PENDING_ERROR", "ERROR"]
    assert said[:5] == first
    assert " ".join(said[5:9]) == "Spark's JVM has ended"
    assert said[9:] == ["REBALANCING", "RUNNING", "PENDING_SHUTDOWN", "NOT_RUNNING"]
    assert "has ended Spark as well" not in errors
    assert "killed by SIGKILL" in running.log.read_text()


@pytest.mark.long
def test_a_second_signal_does_not_wait_for_a_batch_that_does_not_end(play: Playground) -> None:
    with program(play, "block") as running:
        running.until(lambda: "blocked" in running.errors)
        jvms = running.jvms()
        running.signalled(signal.SIGINT)
        running.until(lambda: "PENDING_SHUTDOWN" in running.said)
        running.signalled(signal.SIGINT)
        assert running.ended(jvms) == 0
    assert running.said[-1] == "NOT_RUNNING"
    assert "Traceback" not in running.errors


def test_a_signal_while_spark_starts_ends_the_program_and_the_jvm(play: Playground) -> None:
    with program(play, "pass") as running:
        running.until(running.jvms)
        jvms = running.jvms()
        running.signalled(signal.SIGTERM)
        assert running.ended(jvms) == 0
    assert running.said == ["REBALANCING", "PENDING_SHUTDOWN", "NOT_RUNNING"]


def test_a_program_that_runs_off_its_end_closes_its_application(play: Playground) -> None:
    with program(play, "leave") as running:
        running.until(running.jvms)
        assert running.ended(running.jvms()) == 0
        said, errors = running.said, running.errors
    assert said == ["REBALANCING", "RUNNING", "PENDING_SHUTDOWN", "NOT_RUNNING"]
    assert "the program ends while the application runs" in errors
    assert "Traceback" not in errors
