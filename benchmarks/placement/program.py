"""The application of the experiment, in a process of its own.

``python -m benchmarks.placement.program CONFIG SOURCE TARGET``: CONFIG is JSON. Counts records by
key; each result says which executor made it. Prints a line of JSON for each batch. Runs until its
standard input ends.
"""

from __future__ import annotations

from typing import Any

from benchmarks.cluster.program import COUNTS, counting, given, run_to_the_end
from millstream import KafkaStreams, Processor, Record, Serdes
from millstream.topology.spark.worker.executor_id import executor_id


class Counter(Processor[str, str, str, str]):
    """Counts by key, and says where."""

    def init(self, context: Any) -> None:
        self._context = context
        self._counts = context.getStateStore(COUNTS)
        self._executor = executor_id() or "driver"

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
