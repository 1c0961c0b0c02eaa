"""``RecordMetadata`` where a program expects the ``Optional`` that Java has around it."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from millstream import Processor, RecordMetadata, StringDeserializer, StringSerializer, Topology
from millstream.core.errors import StreamsException
from millstream.testing import TopologyTestDriver


@pytest.mark.parametrize("method", ["get", "isPresent", "ifPresent", "orElse", "map"])
def test_a_method_of_optional_is_told_what_stands_in_its_place(method: str) -> None:
    class Ported(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            self.context = context

        def process(self, record: Any) -> None:
            getattr(self.context.recordMetadata(), method)

    topology = Topology()
    topology.addSource("source", StringDeserializer(), StringDeserializer(), "in")
    topology.addProcessor("ported", Ported, "source")
    with TopologyTestDriver(topology, {"application.id": "app"}) as driver:
        source = driver.createInputTopic("in", StringSerializer(), StringSerializer())
        with pytest.raises(StreamsException, match="the metadata or None, not an Optional"):
            source.pipeInput("key", "value")


def test_other_names_are_missing_as_always_and_copies_are_equal() -> None:
    metadata = RecordMetadata("topic", 1, 2)
    assert not hasattr(metadata, "partitions")
    assert pickle.loads(pickle.dumps(metadata)) == copy.copy(metadata) == metadata
