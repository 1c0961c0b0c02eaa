"""The application of the benchmark, in a process of its own.

``python -m benchmarks.standby.program CONFIG SOURCE TARGET``: CONFIG is JSON. Counts records by
key, in values of 100 bytes; a record ``fill:N`` puts N keys into the store of its task first.
Prints a line of JSON for each batch. Runs until its standard input ends.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from random import Random
from typing import Any

from pyspark.sql import SparkSession

from benchmarks.placement.program import tell_batches
from millstream import (
    KafkaStreams,
    KeyValue,
    Processor,
    Record,
    Serdes,
    StateRestoreListener,
    Stores,
    StreamsBuilder,
    TopicPartition,
    Topology,
)

COUNTS = "counts"
FILL = "fill:"
VALUE_BYTES = 100


class Counter(Processor[str, str, str, str]):
    """Counts by key."""

    def init(self, context: Any) -> None:
        self._context = context
        self._counts = context.getStateStore(COUNTS)

    def process(self, record: Record[str, str]) -> None:
        key = record.key()
        if key.startswith(FILL):
            self._counts.putAll(list(filling(int(key.removeprefix(FILL)))))
            self._context.forward(record)
            return
        kept = self._counts.get(key) or value(0, Random(key))
        count = int(kept[:10]) + 1
        self._counts.put(key, f"{count:010}{kept[10:]}")
        self._context.forward(record.withValue(str(count)))


def value(count: int, random: Random) -> str:
    """Return a value of the store: the count, and text that cannot be made much smaller."""
    return f"{count:010}{random.randbytes((VALUE_BYTES - 10) // 2).hex()}"


def filling(count: int) -> Iterator[KeyValue[str, str]]:
    """Return entries for the keys a0, a1, ..."""
    random = Random(0)
    for number in range(count):
        yield KeyValue(f"a{number}", value(0, random))


def counting(source: str, target: str) -> Topology:
    """Return the topology."""
    builder = StreamsBuilder()
    stores = Stores.keyValueStoreBuilder(
        Stores.persistentKeyValueStore(COUNTS), Serdes.String(), Serdes.String()
    )
    builder.addStateStore(stores)
    builder.stream(source).process(Counter, COUNTS).to(target)
    return builder.build()


class Restores(StateRestoreListener):
    """Prints each store that a worker had to restore."""

    def onRestoreStart(self, *given: Any) -> None:
        pass

    def onBatchRestored(self, *given: Any) -> None:
        pass

    def onRestoreEnd(
        self, topicPartition: TopicPartition, storeName: str, totalRestored: int
    ) -> None:
        line = {"restored": topicPartition.partition(), "entries": totalRestored}
        print(json.dumps(line | {"at": time.time()}), flush=True)


def main() -> None:
    """Run until standard input ends."""
    config = json.loads(sys.argv[1])
    config["default.key.serde"] = config["default.value.serde"] = Serdes.String()
    streams = KafkaStreams(counting(*sys.argv[2:4]), config)
    streams.setGlobalStateRestoreListener(Restores())
    streams.setStateListener(lambda new, old: os._exit(1) if new.name == "ERROR" else None)
    with streams:
        streams.start()
        threading.Thread(target=tell_batches, args=(streams,), daemon=True).start()
        sys.stdin.read()
    SparkSession.builder.getOrCreate().stop()


if __name__ == "__main__":
    main()
