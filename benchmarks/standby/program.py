"""The application of the benchmark, in a process of its own.

``python -m benchmarks.standby.program CONFIG SOURCE TARGET``: CONFIG is JSON. Counts records by
key, in values of 100 bytes; a record ``fill:N`` puts N keys into the store of its task first.
Prints a line of JSON for each batch. Runs until its standard input ends.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from typing import Any

from benchmarks.cluster.program import COUNTS, counting, given, print_line, run_to_the_end
from millstream import (
    KafkaStreams,
    KeyValue,
    Processor,
    Record,
    Serdes,
    StateRestoreListener,
    TopicPartition,
)

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
        print_line(line | {"at": time.time()})


def main() -> None:
    """Run until standard input ends."""
    config, source, target = given()
    streams = KafkaStreams(counting(source, target, Counter, Serdes.String()), config)
    streams.setGlobalStateRestoreListener(Restores())
    run_to_the_end(streams)


if __name__ == "__main__":
    main()
