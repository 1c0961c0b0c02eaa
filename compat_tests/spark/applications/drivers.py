"""Drivers of one application as processes, of which one runs and another waits."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from compat_tests import ROOT
from compat_tests.smoke.proc import descendants, kill_all, send
from compat_tests.spark.applications.test_processes import (
    close_input,
    committed_count,
    is_written,
    lines,
    series,
)
from compat_tests.spark.support import QUICK_JVM, Playground, eventually
from millstream import StreamsConfig

LEASE_MS = 4000


class Drivers:
    """Drivers of one application, each a process with its own output."""

    def __init__(
        self,
        play: Playground,
        source: str,
        target: str,
        stack: ExitStack,
        shared: Mapping[str, Any],
    ) -> None:
        self.play, self.source, self.target = play, source, target
        self.stack = stack
        self.shared = shared

    def start(self, name: str, entries: Mapping[str, Any]) -> subprocess.Popen[bytes]:
        """Start a driver, which is killed at the end of the test."""
        config = self.play.config(processing_guarantee="exactly_once_v2") | {
            StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG: 0,
            "millstream.max.records.per.batch": 250,
            "millstream.takeover": "wait",
            "millstream.takeover.lease.ms": LEASE_MS,
            "spark.master": "local[2]",
            "spark.log.level": "ERROR",
            **QUICK_JVM,
            **self.shared,
            **entries,
        }
        plain = {key: value for key, value in config.items() if not key.endswith(".serde")}
        output = self.stack.enter_context(self.log(name).open("ab"))
        process = subprocess.Popen(
            [sys.executable, "-m", "compat_tests.spark.applications.word_count_program"]
            + [json.dumps(plain), self.source, self.target],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
        )
        self.stack.callback(process.wait)
        self.stack.callback(lambda: kill_all(descendants(process.pid)))
        return process

    def log(self, name: str) -> Path:
        return self.play.directory / f"{name}.log"

    def told(self, name: str) -> str:
        """The last of what a driver has printed."""
        return self.log(name).read_text()[-5000:]

    def says(self, name: str, text: str) -> bool:
        return text in self.log(name).read_text()


@contextmanager
def drivers(play: Playground, shared: Mapping[str, Any] | None = None) -> Iterator[Drivers]:
    """Give drivers of a word count; ``shared`` are entries of all of them."""
    with ExitStack() as stack:
        yield Drivers(play, play.topic("text"), play.topic("counts"), stack, shared or {})


def taken_over_exactly(both: Drivers, fate: str, elsewhere: Mapping[str, Any]) -> None:
    """Freeze or kill the first driver; the second goes on, and each count is written once.

    Args:
        both: The drivers; none has been started.
        fate: ``frozen`` (SIGSTOP, and later SIGCONT) or ``killed`` (SIGKILL).
        elsewhere: Entries of the second driver only.
    """
    play, source, target = both.play, both.source, both.target
    text = lines(1200)
    words = Counter(word for line in text for word in line.split())
    rows = [(None, line.encode(), n, n % 2) for n, line in enumerate(text)]
    play.produce(source, rows[:600])
    first = both.start("first", {})
    assert is_written(first, play, target, 600), both.told("first")
    second = both.start("second", elsewhere)
    eventually(lambda: both.says("second", "waits as a hot spare for instance"), expected=True)

    stopped = descendants(first.pid)
    send(stopped, signal.SIGSTOP if fate == "frozen" else signal.SIGKILL)
    written = committed_count(play, target)
    play.produce(source, rows[600:])
    eventually(lambda: both.says("second", "takes over from instance"), expected=True)
    assert is_written(second, play, target, written + 600), both.told("second")
    if fate == "frozen":
        send(stopped, signal.SIGCONT)
        assert first.wait(60) == 1
        assert both.says("first", "another instance has taken over application")
        assert both.says("first", "on machine")
    found = series(play, target, words.total())
    eventually(lambda: play.committed(play.name, source), play.ends(source))
    close_input(second)
    assert second.wait(60) == 0, both.told("second")
    assert found == {word: list(range(1, count + 1)) for word, count in words.items()}
