"""Legs of a relay: the same input, processed by the JVM and by this package in turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from confluent_kafka import Consumer, KafkaError, TopicPartition
from pyspark.sql import SparkSession

from compat_tests.conformance.replay import build, scenario_config
from compat_tests.relay.inputs import Sent
from compat_tests.relay.jvm import Jvm
from compat_tests.relay.topologies import named
from compat_tests.spark.support import Playground, _admin, eventually
from millstream import KafkaStreams, StreamsConfig, Topology
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.migration.adopting import adopt
from millstream.topology.spark.migration.adoption import planned_adoption
from millstream.topology.spark.migration.hand_back import hand_back
from millstream.topology.spark.worker.zero_time import ZeroTimeProducer

Json = dict[str, Any]
Result = tuple["bytes | None", int, list[tuple[str, bytes]]]
"""Value, time, headers."""
CONFIG: Json = {
    "processing.guarantee": "exactly_once_v2",
    "statestore.cache.max.bytes": 0,
    "max.task.idle.ms": 1000,
}


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
            self.play.topic(f"{self.prefix}-{topic}", self.scenario["partitions"])
        self.own = named(self.scenario, f"{self.play.name}-{self.prefix}")
        self.legs = 0

    @property
    def application_id(self) -> str:
        return f"relay-{self.play.name}-{self.prefix}"

    def send(self, records: Sequence[Sent]) -> None:
        """Send records of the input; those of time 0, which come first, by another client."""
        for topic in self.scenario["feeds"]:
            own = [each for each in records if each.topic == topic]
            full = f"{self.play.name}-{self.prefix}-{topic}"
            if first := [each for each in own if each.time == 0]:
                send_at_zero(self.play.servers, full, first)
            rows = [
                (each.key.encode(), _bytes(each.value), each.time, -1, each.headers)
                for each in own
                if each.time
            ]
            self.play.produce(full, rows)

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

    def by_millstream(self, *also: str) -> None:
        """Let this package read what there is, also in these topics."""
        self.legs += 1
        topology, entries = self.topology()
        with KafkaStreams(topology, entries, spark=self.spark) as streams:
            streams.start()
            for topic in (*self.own["inputs"], *self.internal(), *also):
                eventually(partial(self.unread, topic), set())

    def internal(self) -> list[str]:
        """The topics through which the application sends records to itself."""
        found = _admin(self.play.servers).list_topics().topics
        return [
            name
            for name in found
            if name.startswith(f"{self.application_id}-") and name.endswith("-response-topic")
        ]

    def unread(self, topic: str) -> set[tuple[str, int]]:
        """The partitions with records that the application has not read.

        Markers of transactions have offsets as well: several sinks leave several of them.
        """
        done = self.play.committed(self.application_id, topic)
        ranges = {
            (topic, number): (done.get(number, 0), end)
            for number, end in self.play.ends(topic).items()
            if done.get(number, 0) < end
        }
        return Group(StreamsConfig(self.topology()[1])).with_records(ranges)

    def results(self) -> dict[str, dict[bytes, list[Result]]]:
        """What each output topic has by key; only the last where the order is by chance."""
        found: dict[str, dict[bytes, list[Result]]] = {}
        for topic in self.own["outputs"]:
            short = topic.removeprefix(f"{self.play.name}-{self.prefix}-")
            by_key = found.setdefault(short, {})
            for message in read_all(self.play.servers, topic):
                headers = list(message.headers() or ())
                result = message.value(), message.timestamp()[1], headers
                by_key.setdefault(message.key(), []).append(result)
            if short in self.scenario["unordered"]:
                # The headers are those of the record that came last, by chance.
                found[short] = {key: [(*each[-1][:2], [])] for key, each in by_key.items()}
        return found


def read_all(servers: str, topic: str) -> list[Any]:
    """Return the committed records of a topic, partition by partition."""
    consumer = Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": "relay-reader",
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    partitions = consumer.list_topics(topic).topics[topic].partitions
    consumer.assign([TopicPartition(topic, number, 0) for number in partitions])
    found: list[Any] = []
    open_ = set(partitions)
    while open_:
        for message in consumer.consume(10_000, 0.2):
            error = message.error()
            if error is None:
                found.append(message)
            else:
                assert error.code() == KafkaError._PARTITION_EOF, error
                open_.discard(message.partition())
    consumer.close()
    return sorted(found, key=lambda each: (each.partition(), each.offset()))


def send_at_zero(servers: str, topic: str, records: Sequence[Sent]) -> None:
    """Send records of event time 0, which librdkafka takes for none."""
    assert not any(each.headers for each in records)
    producer = ZeroTimeProducer({"bootstrap.servers": servers}, None)
    columns = {
        "keys": pa.array([each.key.encode() for each in records], pa.binary()),
        "values": pa.array([_bytes(each.value) for each in records], pa.binary()),
        "timestamps": pa.array([0] * len(records), pa.int64()),
    }
    try:
        producer.write([(topic, columns)])
    finally:
        producer.close()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def jvm_in(directory: Path) -> Jvm:
    directory.mkdir(parents=True, exist_ok=True)
    return Jvm(directory)
