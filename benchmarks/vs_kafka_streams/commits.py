"""Observation of a consumer group's committed offsets."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event, Thread

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from typing_extensions import Self

from benchmarks.vs_kafka_streams.workloads import PARTITIONS

POLL_S = 0.02
Offsets = Mapping[str, Sequence[int]]
"""Topic -> an offset of each partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """The offsets of a group, and when they were first seen (microseconds of the epoch)."""

    seen_us: int
    offsets: Mapping[tuple[str, int], int]

    def reached(self, goals: Offsets) -> bool:
        """Whether every partition stands at its goal or beyond."""
        return all(
            self.offsets.get((topic, partition), 0) >= goal
            for topic, each in goals.items()
            for partition, goal in enumerate(each)
        )

    def taken_in(self, topics: Offsets) -> int:
        """Records of these topics, up to where each partition ends."""
        return sum(
            min(self.offsets.get((topic, partition), 0), end)
            for topic, ends in topics.items()
            for partition, end in enumerate(ends)
        )


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

    def first(self, goals: Offsets) -> Commit | None:
        """The first commit by which every partition had reached its goal."""
        return next((c for c in list(self.commits) if c.reached(goals)), None)

    def quiet_s(self) -> float:
        """Seconds since the last change."""
        last_us = self.commits[-1].seen_us if self.commits else 0
        return time.time() - last_us / 1e6

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


def is_drained(bootstrap_servers: str, topics: Sequence[str], commit: Commit) -> bool:
    """Whether a group has committed every record of these topics that readers may see."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap_servers,
            "group.id": "drained",
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "log_level": 3,
        }
    )
    starts = [
        TopicPartition(topic, partition, commit.offsets.get((topic, partition), 0))
        for topic in topics
        for partition in range(PARTITIONS)
    ]
    consumer.assign(starts)
    try:
        # Where nothing but marks of transactions follows, the end is the first that is heard of.
        for _ in starts:
            message = consumer.poll(10)
            error = None if message is None else message.error()
            if error is None or error.code() != KafkaError._PARTITION_EOF:
                return False
    finally:
        consumer.close()
    return True
