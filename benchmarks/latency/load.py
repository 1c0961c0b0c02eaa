"""Steady input, and the time until each result can be read."""

from __future__ import annotations

import threading
import time
from collections import deque
from random import Random

from confluent_kafka import Consumer, Producer, TopicPartition
from typing_extensions import Self

from benchmarks.latency.shapes import PARTITIONS, RESULTS, SOURCE, record

_TICK_S = 0.005


class Feeder(threading.Thread):
    """Sends records of random keys, evenly; each has the time at which it is sent."""

    def __init__(self, servers: str, rate: int, keys: int) -> None:
        super().__init__(daemon=True)
        self._producer = Producer({"bootstrap.servers": servers, "linger.ms": 0, "log_level": 3})
        self._rate, self._keys = rate, keys
        self._ending = threading.Event()
        self.sent = 0

    def run(self) -> None:
        rng, began = Random(1), time.monotonic()
        while not self._ending.wait(_TICK_S):
            due = int((time.monotonic() - began) * self._rate)
            for _ in range(due - self.sent):
                key, value = record(rng.randrange(self._keys))
                # With random keys the partitions are evenly filled, whoever sends.
                self._producer.produce(SOURCE, value, key)
            self.sent = due
            self._producer.poll(0)
        self._producer.flush(30)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self.join()


class Reader(threading.Thread):
    """Reads committed results, and notes how old each of them is."""

    def __init__(self, servers: str) -> None:
        super().__init__(daemon=True)
        self._consumer = Consumer(
            {
                "bootstrap.servers": servers,
                "group.id": "latency-reader",
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "fetch.wait.max.ms": 10,
                "log_level": 3,
            }
        )
        self._consumer.assign([TopicPartition(RESULTS, p, 0) for p in range(PARTITIONS)])
        self._ending = threading.Event()
        self.ages_ms: deque[tuple[int, int]] = deque()
        """Time of the record in milliseconds, and its result's age when it was read."""

    def run(self) -> None:
        while not self._ending.is_set():
            messages = self._consumer.consume(1_000, 0.01)
            now = time.time_ns() // 1_000_000
            for message in messages:
                if message.error() is None:
                    at = message.timestamp()[1]
                    self.ages_ms.append((at, now - at))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self.join()
        self._consumer.close()
