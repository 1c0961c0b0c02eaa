"""Watches from outside what a consumer group has committed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event, Thread

from confluent_kafka import Consumer, KafkaException, TopicPartition
from typing_extensions import Self

from benchmarks.vs_kafka_streams.workloads import PARTITIONS

POLL_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """The offsets of a group, and when they were first seen (microseconds of the epoch)."""

    seen_us: int
    offsets: Mapping[tuple[str, int], int]

    def reached(self, topic: str, goals: Sequence[int]) -> bool:
        """Whether every partition of `topic` stands at its goal or beyond."""
        return all(self.offsets.get((topic, p), 0) >= goal for p, goal in enumerate(goals))

    def taken_in(self, topic: str) -> int:
        return sum(offset for (name, _), offset in self.offsets.items() if name == topic)


class CommitWatcher:
    """Asks for the offsets of some topics every 20 ms, and keeps each change."""

    def __init__(self, bootstrap_servers: str, group: str, topics: Sequence[str]) -> None:
        self.commits: list[Commit] = []
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap_servers,
                "group.id": group,
                # Otherwise an answer would wait for the end of whatever transaction is open.
                "isolation.level": "read_uncommitted",
                "log_level": 3,
            }
        )
        self._partitions = [TopicPartition(t, p) for t in topics for p in range(PARTITIONS)]
        self._stop = Event()
        self._thread = Thread(target=self._watch, name="commit-watcher", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()
        self._consumer.close()

    def finish(self) -> None:
        """Ask once more, so that nothing committed before this call is missed, and stop."""
        if not self._stop.is_set():
            self._stop.set()
            self._thread.join()
            self._ask()

    def first(self, topic: str, goals: Sequence[int]) -> Commit | None:
        """The first commit by which every partition of `topic` had reached its goal."""
        return next((c for c in list(self.commits) if c.reached(topic, goals)), None)

    def _watch(self) -> None:
        while not self._stop.wait(POLL_S):
            self._ask()

    def _ask(self) -> None:
        seen_us = time.time_ns() // 1000
        try:
            found = self._consumer.committed(self._partitions, 10)
        except KafkaException:
            return  # the group's coordinator is busy; the next poll will tell
        offsets = {(p.topic, p.partition): p.offset for p in found if p.offset >= 0}
        if offsets and (not self.commits or offsets != self.commits[-1].offsets):
            self.commits.append(Commit(seen_us=seen_us, offsets=offsets))
