"""The application of the experiment, in a process of its own.

``python -m benchmarks.placement.program CONFIG SOURCE TARGET``: CONFIG is JSON. Counts records by
key; each result says which executor made it. Prints a line of JSON for each batch. Runs until its
standard input ends.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from benchmarks.cluster.program import COUNTS, counting, given, run_to_the_end
from millstream import KafkaStreams, Processor, Record, Serdes

_EXECUTOR = re.compile(r"--executor-id\0([^\0]+)")


def executor_id() -> str:
    """Return the id of the executor that this worker belongs to: of an ancestor's command line."""
    pid = os.getpid()
    while pid > 1:
        found = _EXECUTOR.search(Path(f"/proc/{pid}/cmdline").read_text(errors="replace"))
        if found:
            return found[1]
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return "driver"


class Counter(Processor[str, str, str, str]):
    """Counts by key, and says where."""

    def init(self, context: Any) -> None:
        self._context = context
        self._counts = context.getStateStore(COUNTS)
        self._executor = executor_id()

    def process(self, record: Record[str, str]) -> None:
        count = (self._counts.get(record.key()) or 0) + 1
        self._counts.put(record.key(), count)
        self._context.forward(record.withValue(f"{count} {self._executor}"))


def main() -> None:
    """Run until standard input ends."""
    config, source, target = given()
    run_to_the_end(KafkaStreams(counting(source, target, Counter, Serdes.Long()), config))


if __name__ == "__main__":
    main()
