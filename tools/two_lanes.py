"""All tests in two processes at once: those that share one Spark session, and the others.

Each process has a broker of its own. Of what starts Spark in processes of its own, the longest is
beside the session and the rest is among the others: so both take about as long. Arguments go to
both runs of pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import IO

NO_TESTS_COLLECTED = 5


@dataclass(frozen=True)
class Lane:
    """One run of pytest: its name, and the tests that it selects."""

    name: str
    marks: str

    def start(self, arguments: list[str]) -> subprocess.Popen[str]:
        """Start the run with its output in a pipe."""
        return subprocess.Popen(
            ["pytest", "-m", self.marks, *arguments],
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )


LANES = (
    Lane("shared", "shared_spark or cluster"),
    Lane("others", "not shared_spark and not cluster"),
)


def main(arguments: list[str]) -> int:
    """Run both lanes, or one run if the arguments select tests by mark; return the exit status."""
    if "-m" in arguments:
        return subprocess.call(["pytest", *arguments])
    runs = [lane.start(arguments) for lane in LANES]
    shown = [
        threading.Thread(target=_show, args=(lane.name, run.stdout))
        for lane, run in zip(LANES, runs, strict=True)
    ]
    for each in shown:
        each.start()
    try:
        for each in shown:
            each.join()
    except KeyboardInterrupt:
        for run in runs:
            run.terminate()
    return _status([run.wait() for run in runs])


def _show(name: str, output: IO[str] | None) -> None:
    for line in output or ():
        print(f"{name} | {line}", end="", flush=True)


def _status(statuses: list[int]) -> int:
    # Arguments such as ``-k broker`` may leave nothing for one of the two.
    if all(status == NO_TESTS_COLLECTED for status in statuses):
        return NO_TESTS_COLLECTED
    return max((status for status in statuses if status != NO_TESTS_COLLECTED), default=0, key=abs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
