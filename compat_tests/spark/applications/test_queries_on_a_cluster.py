"""Queries of an application on a cluster that loses an executor meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cluster.running import executor_pids
from compat_tests import ROOT
from compat_tests.spark.support import QUICK_JVM, Playground, eventually

KEYS = [f"key-{number}" for number in range(20)]


class Program:
    """The application in a process, and what it answers."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self) -> dict[str, Any]:
        """Ask for all counts."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("{"):
                found: dict[str, Any] = json.loads(line)
                return found
        raise AssertionError("the program has ended")


@contextmanager
def program(play: Playground, source: str, directory: Path) -> Iterator[Program]:
    settings = {"spark.master": "local-cluster[2,1,1024]", "spark.log.level": "ERROR"} | QUICK_JVM
    config = play.config(processing_guarantee="exactly_once_v2") | settings
    plain = {key: value for key, value in config.items() if not key.endswith(".serde")}
    with (directory / "program.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "compat_tests.spark.applications.queried_program"]
            + [json.dumps(plain), source],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            yield Program(process)
        finally:
            process.kill()
            process.communicate()


@pytest.mark.usefixtures("clean_spark_home")
@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.long
def test_answers_follow_the_batches_when_tasks_move(play: Playground, tmp_path: Path) -> None:
    source, expected = play.topic("in"), dict.fromkeys(KEYS, 0)

    def send() -> None:
        play.produce(source, [(key.encode(), b"", 1, n % 2) for n, key in enumerate(KEYS)])
        for key in KEYS:
            expected[key] += 1

    with program(play, source, tmp_path) as asked:

        def follows() -> bool:
            send()
            eventually(lambda: asked.ask()["counts"], expected)
            found = asked.ask()
            return bool(0 <= found["carried"] <= found["shown"])

        eventually(follows, True)
        reads = asked.ask()["reads"]
        for number in range(4):
            send()
            if number == 1:
                os.kill(executor_pids(asked.process.pid)[0], signal.SIGKILL)
            eventually(lambda: asked.ask()["counts"], expected)
        # A stage that ran twice, or a batch that was repeated, may need the checkpoint.
        assert asked.ask()["reads"] <= reads + 2
        for _ in range(2):
            reads = asked.ask()["reads"]
            send()
            eventually(lambda: asked.ask()["counts"], expected)
        assert asked.ask()["reads"] == reads
