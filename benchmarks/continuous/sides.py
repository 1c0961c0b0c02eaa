"""The measured programs, and the process of one that runs."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.continuous.processes import cpu_s, descendants, name_of
from benchmarks.continuous.starts import process_of
from benchmarks.vs_kafka_streams.errors import BenchmarkError
from benchmarks.vs_kafka_streams.sides import Side, kafka_streams, millstream
from benchmarks.vs_kafka_streams.workloads import PARTITIONS

CONTINUOUS, MICRO_BATCH, KAFKA_STREAMS = "continuous", "micro-batch", "kafka_streams"
_NEVER = 1 << 60
_GRACE_S = 1.0
"""For what ends by itself with its program."""
_STAGE = "stage-0"
"""Name of the micro-batch host's processes that have the stores."""


def side(name: str, *, commit_ms: int, entries: Mapping[str, Any], session_ms: int) -> Side:
    """Return a measured program.

    Args:
        name: Its name.
        commit_ms: ``commit.interval.ms``; the micro-batch host begins a batch when it can.
        entries: More entries of the continuous host's configuration.
        session_ms: ``session.timeout.ms`` of Kafka Streams' consumers.
    """
    if name == KAFKA_STREAMS:
        found = kafka_streams()
        more = {"commit.interval.ms": commit_ms, "session.timeout.ms": session_ms}
        return replace(found, config={**found.config, **more})
    if name == MICRO_BATCH:
        return replace(millstream(), name=MICRO_BATCH)
    return Side(
        name=CONTINUOUS,
        command=[sys.executable, "-m", "benchmarks.continuous.program"],
        config={
            "spark.master": f"local[{PARTITIONS}]",
            "spark.driver.memory": "1g",
            "commit.interval.ms": commit_ms,
            **entries,
        },
    )


class Running:
    """A program that counts, in a process of its own; it can be killed and started again.

    Args:
        side: The program.
        config: The application's configuration.
        source: Its input topic.
        target: Its output topic.
        folder: For its files.
    """

    def __init__(
        self, side: Side, config: Mapping[str, Any], source: str, target: str, folder: Path
    ) -> None:
        self.side = side
        self._errors = folder / "stderr"
        self.journal = folder / "state" / "starts.jsonl"
        """The starts of continuous tasks."""
        file = folder / "config.properties"
        entries = {**config, **side.config, "state.dir": folder / "state"}
        file.write_text("".join(f"{key}={value}\n" for key, value in entries.items()))
        never = ",".join([str(_NEVER)] * PARTITIONS)
        self._arguments = ["count", source, target, never, never, str(file)]
        self._process = self._start()

    def cpu_s(self) -> float:
        """Return the CPU time of its processes so far, seconds."""
        return cpu_s(self._process.pid)

    def check(self) -> None:
        """Raise an error if it has ended.

        Raises:
            BenchmarkError: It has.
        """
        if (status := self._process.poll()) is not None:
            words = self._errors.read_text(errors="replace").strip()[-3000:]
            raise BenchmarkError(
                f"{self.side.name} ended with status {status}", detail=f"Its last words:\n{words}"
            )

    def kill_worker(self) -> None:
        """Kill the process of one task.

        Raises:
            BenchmarkError: There is none.
        """
        below = descendants(self._process.pid)
        if self.side.name == CONTINUOUS:
            number = process_of(self.journal, "0_0")
            found = [each for each in below if each.pid == number]
        else:
            found = [each for each in below if name_of(each.pid) == _STAGE]
        if not found:
            raise BenchmarkError(f"{self.side.name} has no process to kill")
        for each in found:
            each.kill()

    def kill_program(self) -> None:
        """Kill all of its processes, and start it again."""
        below = descendants(self._process.pid)
        self._process.kill()
        for each in below:
            each.kill()
        self._process.wait()
        self._process = self._start()

    def stop(self) -> None:
        """End it, in good order if it knows how to."""
        left = descendants(self._process.pid)
        if self.side.name == KAFKA_STREAMS:
            self._process.terminate()
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        time.sleep(_GRACE_S)
        for each in left:
            each.kill()

    def _start(self) -> subprocess.Popen[bytes]:
        with self._errors.open("ab") as errors:
            return subprocess.Popen(
                [*self.side.command, *self._arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
