"""The application of the small relay as a user's script, beside the same one on the JVM."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from compat_tests.relay.jvm import Jvm
from compat_tests.relay.parts import STREAM, TEXT, TEXTS, TIME_KEY, TUMBLING, texts
from compat_tests.relay.topologies import named
from compat_tests.spark.support import PATIENCE_S, QUICK_JVM, Playground

SCENARIO: dict[str, Any] = {
    "name": "small-application",
    "feature": "relay",
    "topics": {"a": TEXT, "out-count": TEXT, "out-final": [TIME_KEY, "string"]},
    "inputs": ["a"],
    "outputs": ["out-count", "out-final"],
    "topology": [
        {**STREAM, "id": "a", "topics": ["a"]},
        {"id": "g", "op": "groupByKey", "from": ["a"], **TEXTS},
        {"id": "counted", "op": "count", "from": ["g"],
         "materialized": {"store": "counts", "value": "long"}},
        *texts("counted", "out-count"),
        {"id": "windowed", "op": "count", "from": ["g"], "window": TUMBLING,
         "materialized": {"store": "held-windows", "value": "long"}},
        {"id": "held", "op": "suppress", "from": ["windowed"], "until": "windowCloses",
         "name": "held-back"},
        *texts("held", "out-final", TIME_KEY),
    ],
}  # fmt: skip
"""The application on the JVM."""
APP = """
from datetime import timedelta

from millstream import (
    Consumed, Grouped, Materialized, Produced, Serdes, StreamsBuilder, Suppressed, TimeWindows,
    Topology, WindowedSerdes,
)

TEXT = Serdes.String()


def build_topology() -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("a", Consumed.with_(TEXT, TEXT)).groupByKey(Grouped.with_(TEXT, TEXT))

    counts = grouped.count(Materialized.as_("counts"))
    counts.toStream().mapValues(str).to("out-count", Produced.with_(TEXT, TEXT))

    size = timedelta(seconds=1)
    windows = TimeWindows.ofSizeAndGrace(size, timedelta(milliseconds=500))
    held = grouped.windowedBy(windows).count(Materialized.as_("held-windows"))
    closed = Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())
    windowed = WindowedSerdes.timeWindowedSerdeFrom(str, 1000)
    final = held.suppress(closed.withName("held-back")).toStream().mapValues(str)
    final.to("out-final", Produced.with_(windowed, TEXT))
    return builder.build()
"""
CONFIG: dict[str, Any] = {
    "processing.guarantee": "exactly_once_v2",
    "statestore.cache.max.bytes": 0,
    "max.task.idle.ms": 1000,
}
_BEGIN_MS = int(time.time()) // 3600 * 3_600_000
"""Time of the first record: changelogs of windows of 1970 would be deleted by the broker."""
Found = dict[str, dict[bytes, list[tuple[bytes, int]]]]
"""Output topic -> key -> values and times in order."""


@dataclass
class SmallApplication:
    """One application with topics of its own, in a folder with its script and configuration.

    Args:
        play: The broker.
        jvm: Runs it on the JVM.
        name: Its ``application.id``; its topics begin with it.
    """

    play: Playground
    jvm: Jvm
    name: str
    partitions: int = 2
    sent: list[tuple[bytes, bytes, int, int]] = field(default_factory=list)
    legs: int = 0

    def __post_init__(self) -> None:
        for topic in SCENARIO["topics"]:
            self.play.topic(f"{self.name}-{topic}", self.partitions)
        self._prefix = f"{self.play.name}-{self.name}"
        self._scenario = named(SCENARIO, self._prefix)
        self.id = f"{self._prefix}-app"
        self.folder.mkdir(parents=True)
        text = APP
        for topic in SCENARIO["topics"]:
            text = text.replace(f'"{topic}"', f'"{self._prefix}-{topic}"')
        (self.folder / "app.py").write_text(text)
        entries = {"bootstrap.servers": self.play.servers, **CONFIG}
        lines = [f"{key} = {value!r}".replace("'", '"') for key, value in entries.items()]
        lines += ["[spark]", 'master = "local[2]"']
        lines += [f'{k.removeprefix("spark.")} = "{v}"' for k, v in QUICK_JVM.items()]
        (self.folder / "app.toml").write_text("\n".join(lines) + "\n")

    @property
    def folder(self) -> Path:
        """The user's directory."""
        return self.play.directory / self.name

    def send(self, records: Sequence[tuple[bytes, bytes, int, int]]) -> None:
        """Send records: key, value, time, partition."""
        self.play.produce(f"{self._prefix}-a", records)
        self.sent += records

    def by_jvm(self) -> None:
        """Let Kafka Streams read what there is, and stop."""
        self.legs += 1
        entries = {
            **CONFIG, "application.id": self.id, "bootstrap.servers": self.play.servers
        }  # fmt: skip
        self.jvm.run(self._scenario, entries, f"{self.name}-{self.legs}")

    def begun_transaction(self, transactional_id: str) -> Producer:
        """Begin a transaction with offsets of the application's group, and leave it open."""
        producer = Producer(
            {"bootstrap.servers": self.play.servers, "transactional.id": transactional_id}
        )
        consumer = Consumer({"bootstrap.servers": self.play.servers, "group.id": self.id})
        producer.init_transactions(30)
        producer.begin_transaction()
        offsets = [TopicPartition(f"{self._prefix}-a", 0, 1)]
        producer.send_offsets_to_transaction(offsets, consumer.consumer_group_metadata(), 30)
        consumer.close()
        return producer

    def results(self) -> Found:
        """Everything that it has written and committed."""
        found: Found = {}
        for topic in SCENARIO["outputs"]:
            by_key = found.setdefault(topic, {})
            for message in self._all_of(f"{self._prefix}-{topic}"):
                cell = message.value(), message.timestamp()[1]
                by_key.setdefault(message.key(), []).append(cell)
        return found

    def _all_of(self, topic: str) -> Iterator[Any]:
        """Read the committed records of a topic up to the end of each partition."""
        consumer = Consumer(
            {
                "bootstrap.servers": self.play.servers,
                "group.id": f"{self.id}-reader",
                "isolation.level": "read_committed",
                "enable.partition.eof": True,
            }
        )
        waiting = set(range(self.partitions))
        consumer.assign([TopicPartition(topic, number, 0) for number in waiting])
        while waiting:
            message = consumer.poll(PATIENCE_S)
            assert message is not None, f"{topic}: partitions {waiting} do not end"
            if (error := message.error()) is None:
                yield message
            else:
                assert error.code() == KafkaError._PARTITION_EOF, error
                waiting.discard(message.partition())
        consumer.close()


def steady(first: int, count: int, partitions: int = 2) -> list[tuple[bytes, bytes, int, int]]:
    """Records of a few keys, each key in one partition, with rising times."""
    keys = [b"k", b"m", b"n", b"o"]
    found = []
    for n in range(first, first + count):
        which = n % len(keys)
        found.append((keys[which], b"v", _BEGIN_MS + 70 * n, which % partitions))
    return found
