"""The fixture's object: a place where a test's topology runs, fed and read in typed records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compat_tests.conformance.hosts import DriverHost, RawRecord
from compat_tests.hosts.application import SparkApplication, fresh_name
from compat_tests.hosts.broker import BrokerClient
from millstream import Headers, Serdes, Topology
from millstream.testing import TestRecord

Records = Sequence[TestRecord[Any, Any]]

DEFAULTS = {
    "application.id": "app",
    "bootstrap.servers": "localhost:9092",
    "default.key.serde": Serdes.String(),
    "default.value.serde": Serdes.String(),
    # With a cache the two would differ by right: the driver commits after every record.
    "statestore.cache.max.bytes": 0,
}


@dataclass(frozen=True, eq=False)
class Topic:
    """A topic of one partition, and how it is written and read."""

    name: str
    key: Any
    value: Any

    def raw(self, record: TestRecord[Any, Any]) -> RawRecord:
        timestamp = record.timestamp()
        assert timestamp is not None, "a record that is sent needs a time"
        return RawRecord(
            topic=self.name,
            key=self.key.serializer().serialize(self.name, record.key()),
            value=self.value.serializer().serialize(self.name, record.value()),
            timestamp=timestamp,
            headers=tuple((header.key(), header.value()) for header in record.headers()),
        )

    def typed(self, record: RawRecord) -> TestRecord[Any, Any]:
        headers = Headers()
        for name, value in record.headers:
            headers.add(name, value)
        key = self.key.deserializer().deserialize(self.name, record.key)
        value = self.value.deserializer().deserialize(self.name, record.value)
        return TestRecord(key, value, headers, record.timestamp)


class TopologyHost(ABC):
    """Where topologies run; one for each test."""

    def __init__(self) -> None:
        self._prefix = fresh_name("t")
        self._topics: list[Topic] = []

    def topic(self, name: str, key: Any = None, value: Any = None) -> Topic:
        """A topic of this test only; its serdes are of strings unless given."""
        made = Topic(f"{self._prefix}-{name}", key or Serdes.String(), value or Serdes.String())
        self._topics.append(made)
        return made

    def run(
        self,
        topology: Topology,
        config: Mapping[str, Any],
        inputs: Mapping[Topic, Records] | Sequence[tuple[Topic, Records]],
    ) -> dict[Topic, list[TestRecord[Any, Any]]]:
        """Process records step by step, and return what came out on the other topics.

        Of several steps, all that follows from the records of one is processed before those of the
        next.
        """
        steps = list(inputs.items() if isinstance(inputs, Mapping) else inputs)
        batches = [[topic.raw(record) for record in records] for topic, records in steps]
        fed = {topic for topic, _ in steps}
        outputs = [topic for topic in self._topics if topic not in fed]
        found = self._run(topology, {**DEFAULTS, **config}, batches)
        return {
            topic: [topic.typed(record) for record in found if record.topic == topic.name]
            for topic in outputs
        }

    @abstractmethod
    def _run(
        self, topology: Topology, config: Mapping[str, Any], batches: list[list[RawRecord]]
    ) -> list[RawRecord]:
        """Process batches and return all that came out, in order within each topic."""


class OnDriver(TopologyHost):
    """Runs topologies on the `TopologyTestDriver`."""

    def _run(
        self, topology: Topology, config: Mapping[str, Any], batches: list[list[RawRecord]]
    ) -> list[RawRecord]:
        host = DriverHost()
        try:
            host.start(topology, dict(config), 0)
            for record in (record for batch in batches for record in batch):
                host.pipe(record)
            return host.produced()
        finally:
            host.close()


class OnSpark(TopologyHost):
    """Runs topologies with `KafkaStreams` on Spark and a broker."""

    def __init__(self, spark: Any, broker: BrokerClient) -> None:
        super().__init__()
        self._spark = spark
        self._broker = broker

    def _run(
        self, topology: Topology, config: Mapping[str, Any], batches: list[list[RawRecord]]
    ) -> list[RawRecord]:
        names = [topic.name for topic in self._topics]
        self._broker.create(names)
        application = SparkApplication(self._spark, self._broker, topology, config, names)
        try:
            application.start()
            for batch in batches:
                application.feed(batch)
        finally:
            application.close()
        return [record for records in self._broker.read(names).values() for record in records]
