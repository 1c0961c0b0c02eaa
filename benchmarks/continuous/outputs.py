"""What a read_committed consumer sees of the output, and what is wrong with it."""

from __future__ import annotations

import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from confluent_kafka import Consumer, TopicPartition
from typing_extensions import Self

from benchmarks.vs_kafka_streams.workloads import PARTITIONS

_LONG = struct.Struct(">q")


class Result(NamedTuple):
    """A result that has arrived."""

    seen_ms: float
    due_ms: int
    partition: int
    key: bytes
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is wrong with all results of a run; nothing is if each number is 0."""

    lost: int
    """Records that are in no number."""
    twice: int
    """Records that were counted once too often."""
    repeated: int
    """Results that do not exceed an earlier one of their key."""

    @property
    def is_clean(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.lost or self.twice or self.repeated)


def verdict(sent: Mapping[bytes, int], results: Sequence[Result]) -> Verdict:
    """Compare the results of a count, in the order in which they came, with what was sent."""
    last: dict[bytes, int] = {}
    repeated = 0
    for each in results:
        repeated += each.number <= last.get(each.key, 0)
        last[each.key] = each.number
    keys = sent.keys() | last.keys()
    differences = [last.get(key, 0) - sent.get(key, 0) for key in keys]
    return Verdict(
        lost=-sum(each for each in differences if each < 0),
        twice=sum(each for each in differences if each > 0),
        repeated=repeated,
    )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that so large a share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def first_after(results: Sequence[Result], due_ms: float) -> float | None:
    """Return when every partition had a result of a record due after a time; None: not yet."""
    first: dict[int, float] = {}
    for each in results:
        if each.due_ms > due_ms:
            first.setdefault(each.partition, each.seen_ms)
    return max(first.values()) if len(first) == PARTITIONS else None


class Reader:
    """Reads an output topic from its start, in a thread, until it is closed."""

    def __init__(self, bootstrap_servers: str, topic: str) -> None:
        self.results: list[Result] = []
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap_servers,
                "group.id": f"reader-{topic}",
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "log_level": 3,
            }
        )
        self._consumer.assign([TopicPartition(topic, p, 0) for p in range(PARTITIONS)])
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, name="reader", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._consumer.close()

    def wait(self, done: Callable[[list[Result]], bool], timeout_s: float) -> bool:
        """Wait until the results fulfil a condition; False: they do not in time."""
        give_up = time.monotonic() + timeout_s
        while not done(self.results):
            if time.monotonic() > give_up:
                return False
            time.sleep(0.05)
        return True

    def totals(self) -> Counter[bytes]:
        """Return the last number of each key."""
        return Counter({each.key: each.number for each in list(self.results)})

    def _read(self) -> None:
        while not self._stop.is_set():
            message = self._consumer.poll(0.1)
            if message is None or message.error() is not None:
                continue
            key, value, place = message.key(), message.value(), message.partition()
            assert key is not None
            assert value is not None
            assert place is not None
            (number,) = _LONG.unpack(value)
            now_ms, due_ms = time.time() * 1000, message.timestamp()[1]
            self.results.append(Result(now_ms, due_ms, place, key, number))
