"""Serializers and deserializers with nothing but the method are taken by `Topology`, too."""

from __future__ import annotations

from typing import Any

from millstream import KeyValue, Topology
from millstream.testing import TopologyTestDriver


class Backwards:
    """One object for both halves, without a base class."""

    def serialize(self, topic: str, data: str | None) -> bytes | None:
        return None if data is None else data[::-1].encode()

    def deserialize(self, topic: str, data: bytes | None) -> str | None:
        return None if data is None else data.decode()[::-1]


class Everywhere:
    """A partitioner without a base class."""

    def partitions(self, topic: str, key: str, value: str, count: int) -> None:
        return None


def test_a_source_and_sinks_with_halves_of_one_s_own() -> None:
    half: Any = Backwards()
    topology = (
        Topology()
        .addSource("in", half, half, "words")
        .addSink("out", "copies", half, half, "in")
        .addSink("to all", "parted", half, half, Everywhere(), "in")
    )
    with TopologyTestDriver(topology, {}) as driver:
        driver.createInputTopic("words", half, half).pipeInput("key", "value")
        for topic in ("copies", "parted"):
            found = driver.createOutputTopic(topic, half, half).readKeyValuesToList()
            assert found == [KeyValue("key", "value")], topic
