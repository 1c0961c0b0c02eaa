"""The application of the experiment, in a process of its own.

``python -m benchmarks.placement.program CONFIG SOURCE TARGET``: CONFIG is JSON. Counts records by
key; each result says which executor made it. Prints a line of JSON for each batch. Runs until its
standard input ends.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from millstream import (
    KafkaStreams,
    Processor,
    Record,
    Serdes,
    Stores,
    StreamsBuilder,
    Topology,
)

COUNTS = "counts"
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


def counting(source: str, target: str) -> Topology:
    """Return the topology."""
    builder = StreamsBuilder()
    stores = Stores.keyValueStoreBuilder(
        Stores.persistentKeyValueStore(COUNTS), Serdes.String(), Serdes.Long()
    )
    builder.addStateStore(stores)
    builder.stream(source).process(Counter, COUNTS).to(target)
    return builder.build()


def tell_batches(streams: KafkaStreams) -> None:
    """Print each batch as it ends."""
    last = -1.0
    while True:
        time.sleep(0.1)
        found = {name.name(): each.metricValue() for name, each in streams.metrics().items()}
        if found.get("batch-id", -1) != last:
            last = found["batch-id"]
            line = {
                "batch": int(last),
                "ms": found["batch-time-ms"],
                "records": found["records"],
                "at": time.time(),
            }
            print(json.dumps(line), flush=True)


def main() -> None:
    """Run until standard input ends."""
    config = json.loads(sys.argv[1])
    config["default.key.serde"] = config["default.value.serde"] = Serdes.String()
    streams = KafkaStreams(counting(*sys.argv[2:4]), config)
    streams.setStateListener(lambda new, old: os._exit(1) if new.name == "ERROR" else None)
    with streams:
        streams.start()
        threading.Thread(target=tell_batches, args=(streams,), daemon=True).start()
        sys.stdin.read()
    SparkSession.builder.getOrCreate().stop()


if __name__ == "__main__":
    main()
