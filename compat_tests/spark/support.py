"""What the tests on a real broker share."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

# Its stubs do not export it.
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]

from compat_tests.kafka.topics import create_topic
from millstream import KafkaStreams, Serdes, StreamsConfig
from millstream.testing.broker import WaitTimeoutError, wait_for

PATIENCE_S = 240
Out = tuple[bytes | None, bytes | None]
QUICK_JVM = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
}
"""For sessions of tests: a JVM of a few minutes gains nothing by its second compiler.

With -Xshare they neither use nor make an archive of classes, as it would differ from run to run.
"""


@dataclass(frozen=True)
class Playground:
    """One test's corner of the broker."""

    servers: str
    name: str
    directory: Path

    def topic(self, name: str, partitions: int = 2) -> str:
        """Create a topic and return its full name."""
        return create_topic(self.servers, f"{self.name}-{name}", partitions=partitions)

    def config(self, **entries: Any) -> dict[str, Any]:
        """Return an application's configuration; keyword names have ``_`` for dots."""
        return {
            StreamsConfig.APPLICATION_ID_CONFIG: self.name,
            StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: self.servers,
            StreamsConfig.STATE_DIR_CONFIG: str(self.directory),
            StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG: Serdes.String(),
            StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG: Serdes.String(),
            **{key.replace("_", "."): value for key, value in entries.items()},
        }

    def produce(self, topic: str, records: Sequence[tuple[Any, ...]]) -> None:
        """Send (key, value, timestamp[, partition[, headers]]) and wait for all of them."""
        producer = Producer(
            {"bootstrap.servers": self.servers, "partitioner": "murmur2_random", "linger.ms": 5}
        )
        for key, value, timestamp, *rest in records:
            partition = rest[0] if rest else -1
            headers = rest[1] if len(rest) > 1 else None
            producer.produce(
                topic, value, key, partition, timestamp=timestamp, headers=headers or []
            )
        assert producer.flush(30) == 0

    def read(self, topic: str, count: int, *, more: float = 0) -> list[Any]:
        """Return the first ``count`` committed records, and what comes in ``more`` seconds."""
        consumer = Consumer(
            {
                "bootstrap.servers": self.servers,
                "group.id": f"{self.name}-reader",
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "fetch.queue.backoff.ms": 5,
            }
        )
        partitions = consumer.list_topics(topic).topics[topic].partitions
        consumer.assign([TopicPartition(topic, number, 0) for number in partitions])
        found: list[Any] = []
        give_up = time.monotonic() + PATIENCE_S
        while len(found) < count and time.monotonic() < give_up:
            found += consumer.consume(10_000, 0.2)
        stop = time.monotonic() + more
        while time.monotonic() < stop:
            found += consumer.consume(10_000, 0.2)
        consumer.close()
        assert len(found) >= count, f"{len(found)} of {count} records came"
        return sorted(found, key=lambda m: (m.partition(), m.offset()))

    def pairs(self, topic: str, count: int, *, more: float = 0) -> list[Out]:
        """Return keys and values of the records of a topic."""
        return [(m.key(), m.value()) for m in self.read(topic, count, more=more)]

    def committed(self, group: str, topic: str) -> dict[int, int]:
        """Return a group's committed offsets by partition."""
        consumer = Consumer({"bootstrap.servers": self.servers, "group.id": group})
        partitions = consumer.list_topics(topic).topics[topic].partitions
        found = consumer.committed([TopicPartition(topic, n) for n in partitions], 30)
        consumer.close()
        return {place.partition: place.offset for place in found if place.offset >= 0}

    def ends(self, topic: str) -> dict[int, int]:
        """Return the end offsets of a topic by partition."""
        # Its stubs leave it untyped.
        return self._offsets(topic, OffsetSpec.latest())  # type: ignore[no-untyped-call]

    def starts(self, topic: str) -> dict[int, int]:
        """Return the offsets of the oldest records of a topic by partition."""
        # Its stubs leave it untyped.
        return self._offsets(topic, OffsetSpec.earliest())  # type: ignore[no-untyped-call]

    def _offsets(self, topic: str, spec: Any) -> dict[int, int]:
        admin = _admin(self.servers)
        partitions = admin.list_topics(topic).topics[topic].partitions
        asked = {TopicPartition(topic, number): spec for number in partitions}

        def listed() -> dict[int, int] | None:
            try:
                found = admin.list_offsets(asked).items()
                return {each.partition: answer.result().offset for each, answer in found}
            except KafkaException as error:
                # The broker does not lead a topic yet that was just made.
                if error.args[0].code() == KafkaError.NOT_LEADER_FOR_PARTITION:
                    return None
                raise

        return wait_for(listed, 30) or {}


@cache
def _admin(servers: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": servers})


def eventually(what: Callable[[], Any], expected: Any) -> None:
    """Wait until ``what()`` is ``expected``."""

    def is_so() -> bool:
        found = what()
        assert found == expected, f"{found!r} is not {expected!r}"
        return True

    wait_for(is_so, PATIENCE_S)


def happens_before_end(
    process: subprocess.Popen[Any], condition: Callable[[], object], within: float = PATIENCE_S
) -> bool:
    """Wait until something is so; return False if a process ends before that.

    The process is killed if neither comes about in time.
    """
    found = False

    def is_over() -> bool:
        nonlocal found
        # Asked for in this order: what a process did just before its end counts.
        ended = process.poll() is not None
        found = bool(condition())
        return found or ended

    try:
        wait_for(is_over, within)
    except WaitTimeoutError:
        process.kill()
        raise
    return found


def killed_after(process: subprocess.Popen[Any], seconds: float) -> bool:
    """Kill a process (SIGKILL) after some seconds; return False if it ends by itself before."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
        return False
    process.kill()
    process.wait()
    return True


def run_until(streams: KafkaStreams, condition: Callable[[], Any], expected: Any) -> None:
    """Run an application until ``condition()`` is ``expected``; close it."""
    with streams:
        streams.start()
        eventually(condition, expected)
