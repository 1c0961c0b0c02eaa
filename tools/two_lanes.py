"""All tests in two processes at once: those that share one Spark session, and the others.

Each process has a broker of its own. Of what starts Spark in processes of its own, the longest is
beside the session and the rest is among the others: so both take about as long. Arguments go to
both runs of pytest. The names of tests that failed are said once more in the last lines: of a long
log often only the end is kept, and the lane that ended first is not in it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import IO

NO_TESTS_COLLECTED = 5
SAID_AGAIN = ("FAILED ", "ERROR ", "E   ", "INTERNALERROR>")
MOST_SAID_AGAIN = 40


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
    failures: list[str] = []
    shown = [
        threading.Thread(target=_show, args=(lane.name, run.stdout, failures))
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
    statuses = [run.wait() for run in runs]
    for lane, status in zip(LANES, statuses, strict=True):
        print(f"{lane.name} ended with status {status}")
    print("".join(failures[-MOST_SAID_AGAIN:]), end="", flush=True)
    return _status(statuses)


def _show(name: str, output: IO[str] | None, failures: list[str]) -> None:
    for line in output or ():
        shown = f"{name} | {line}"
        print(shown, end="", flush=True)
        if line.startswith(SAID_AGAIN):
            failures.append(shown)


def _status(statuses: list[int]) -> int:
    # Arguments such as ``-k broker`` may leave nothing for one of the two.
    if all(status == NO_TESTS_COLLECTED for status in statuses):
        return NO_TESTS_COLLECTED
    return max((status for status in statuses if status != NO_TESTS_COLLECTED), default=0, key=abs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
