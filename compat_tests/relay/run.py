"""Legs of a relay: the same input, processed by the JVM and by this package in turns."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from compat_tests.conformance.replay import build, scenario_config
from compat_tests.relay.jvm import Jvm
from compat_tests.relay.topologies import named
from compat_tests.spark.support import Playground, _admin, eventually
from millstream import KafkaStreams, StreamsConfig, Topology
from millstream.topology.spark.migration.adopting import adopt
from millstream.topology.spark.migration.adoption import planned_adoption
from millstream.topology.spark.migration.hand_back import hand_back

Json = dict[str, Any]
CONFIG: Json = {
    "processing.guarantee": "exactly_once_v2",
    "statestore.cache.max.bytes": 0,
    "max.task.idle.ms": 1000,
}
Sent = tuple[str, str, str | None, int]
"""Topic, key, value, time."""


@dataclass
class Relay:
    """One application of a relay, with topics of its own."""

    play: Playground
    scenario: Json
    prefix: str
    jvm: Jvm
    spark: SparkSession
    config: Mapping[str, Any]

    def __post_init__(self) -> None:
        for topic in self.scenario["topics"]:
            self.play.topic(f"{self.prefix}-{topic}", 2)
        self.own = named(self.scenario, f"{self.play.name}-{self.prefix}")
        self.legs = 0

    @property
    def application_id(self) -> str:
        return f"relay-{self.play.name}-{self.prefix}"

    def send(self, records: Sequence[Sent]) -> None:
        for topic in self.scenario["inputs"]:
            rows = [
                (key.encode(), None if value is None else value.encode(), time)
                for to, key, value, time in records
                if to == topic
            ]
            self.play.produce(f"{self.play.name}-{self.prefix}-{topic}", rows)

    def by_jvm(self) -> None:
        """Let Kafka Streams read what there is."""
        self.legs += 1
        entries = {
            **self.config,
            "application.id": self.application_id,
            "bootstrap.servers": self.play.servers,
        }
        self.jvm.run(self.own, entries, f"{self.prefix}-{self.legs}")

    def topology(self) -> tuple[Topology, Json]:
        entries = {
            **scenario_config(self.own),
            **self.config,
            "application.id": self.application_id,
            "bootstrap.servers": self.play.servers,
            "state.dir": str(self.play.directory / self.prefix),
        }
        return build({**self.own, "config": dict(self.config)}, entries), entries

    def adopted(self) -> None:
        """Take the application over from the JVM."""
        topology, entries = self.topology()
        config = StreamsConfig(entries)
        adopt(config, planned_adoption(topology, config), self.spark)

    def handed_back(self) -> None:
        """Give the application back to the JVM."""
        topology, entries = self.topology()
        hand_back(topology, StreamsConfig(entries), self.spark)

    def by_millstream(self) -> None:
        """Let this package read what there is."""
        self.legs += 1
        topology, entries = self.topology()
        with KafkaStreams(topology, entries, spark=self.spark) as streams:
            streams.start()
            for topic in self.own["inputs"]:
                read = partial(self.play.committed, self.application_id, topic)
                eventually(read, self.play.ends(topic))
            for topic in self.internal():
                eventually(partial(self.unread, topic), 0)

    def internal(self) -> list[str]:
        """The topics through which the application sends records to itself."""
        found = _admin(self.play.servers).list_topics().topics
        return [
            name
            for name in found
            if name.startswith(f"{self.application_id}-") and name.endswith("-response-topic")
        ]

    def unread(self, topic: str) -> int:
        """How many offsets of a topic the application has not read."""
        done = self.play.committed(self.application_id, topic)
        ends = self.play.ends(topic)
        # Markers of transactions have offsets as well; after a move the last one is not read.
        return sum(end - done.get(number, 0) > 1 for number, end in ends.items())

    def results(self) -> dict[str, dict[bytes, list[tuple[bytes | None, int]]]]:
        """Values and times of each output topic by key; only the last where order is by chance."""
        found: dict[str, dict[bytes, list[tuple[bytes | None, int]]]] = {}
        for topic in self.own["outputs"]:
            short = topic.removeprefix(f"{self.play.name}-{self.prefix}-")
            by_key = found.setdefault(short, {})
            for message in self.play.read(topic, 0, more=0.5):
                by_key.setdefault(message.key(), []).append(
                    (message.value(), message.timestamp()[1])
                )
            if short in self.scenario["unordered"]:
                found[short] = {key: values[-1:] for key, values in by_key.items()}
        return found


def records(seed: int, count: int) -> list[Sent]:
    """Input with late records, deletions, and windows open at any moment."""
    chance = random.Random(seed)
    found: list[Sent] = []
    now = 10_000
    for number in range(count):
        now += chance.randrange(0, 120)
        time = now - chance.choice([0, 0, 0, 0, 300, 900, 2500])
        topic = chance.choice("aaaabbtvlr")
        key = chance.choice("kmnopq")
        value: str | None = chance.choice("xyz") + str(number % 5)
        if topic == "l":
            value = f"{chance.choice('kmnopq')},{number}"
        if topic in "tvlr" and chance.random() < 0.15:
            value = None
        found.append((topic, key, value, time))
    return found


def thirds(sent: Sequence[Sent]) -> list[Sequence[Sent]]:
    size = len(sent) // 3
    return [sent[:size], sent[size : 2 * size], sent[2 * size :]]


def jvm_in(directory: Path) -> Jvm:
    directory.mkdir(parents=True, exist_ok=True)
    return Jvm(directory)
