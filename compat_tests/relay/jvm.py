"""The real Kafka Streams on a broker, for one leg of a relay at a time."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compat_tests.oracle.runner import SOURCES, java_program
from millstream.core.readable import Closing

PROMPT = {
    # Results of outer joins and of emit-on-close are not held back by the wall clock.
    "__emit.interval.ms.kstreams.outer.join.spurious.results.fix__": 0,
    "__emit.interval.ms.kstreams.windowed.aggregation__": 0,
    "commit.interval.ms": 100,
    "replication.factor": 1,
    "session.timeout.ms": 6000,
    "num.stream.threads": 1,
}


class Jvm(Closing):
    """A process that runs topologies of scenarios until they have read everything.

    Args:
        directory: For its files.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._errors = (directory / "jvm.log").open("w+")
        self._process = subprocess.Popen(
            java_program(SOURCES, "Relay", log_level="warn"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def run(self, scenario: Mapping[str, Any], config: Mapping[str, Any], leg: str) -> None:
        """Run a scenario's topology from where its group is to the end of its topics."""
        state = self._directory / f"state-{leg}"
        entries = {**config, **PROMPT, "state.dir": str(state)}
        path = self._directory / f"{leg}.json"
        path.write_text(json.dumps({**scenario, "config": entries}))
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        assert answer == "done", f"{answer}\n{self.log()[-3000:]}"

    def log(self) -> str:
        """What it has written to its standard error."""
        return Path(self._errors.name).read_text()

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.wait(30)
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                stream.close()
