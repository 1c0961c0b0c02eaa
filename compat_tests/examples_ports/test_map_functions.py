"""Map functions: one input topic, three output topics."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from examples.ports.map_functions import (
    INPUT_TOPIC,
    ORIGINAL_AND_UPPERCASED_TOPIC,
    UPPERCASED_BY_MAP_TOPIC,
    UPPERCASED_TOPIC,
    topology,
)
from millstream import (
    ByteArrayDeserializer,
    ByteArraySerializer,
    KeyValue,
    StringDeserializer,
    StringSerializer,
    TopologyTestDriver,
)

LINES = ["hello", "world", "Äpfel"]
IN_UPPER_CASE = ["HELLO", "WORLD", "ÄPFEL"]


@pytest.fixture
def test_driver() -> Iterator[TopologyTestDriver]:
    with TopologyTestDriver(topology()) as driver:
        lines = driver.createInputTopic(INPUT_TOPIC, ByteArraySerializer(), StringSerializer())
        lines.pipeValueList(LINES)
        yield driver


@pytest.mark.parametrize("topic", [UPPERCASED_TOPIC, UPPERCASED_BY_MAP_TOPIC])
def test_values_are_in_upper_case(test_driver: TopologyTestDriver, topic: str) -> None:
    output = test_driver.createOutputTopic(topic, ByteArrayDeserializer(), StringDeserializer())
    assert output.readKeyValuesToList() == [KeyValue(None, line) for line in IN_UPPER_CASE]


def test_map_may_change_the_key(test_driver: TopologyTestDriver) -> None:
    output = test_driver.createOutputTopic(
        ORIGINAL_AND_UPPERCASED_TOPIC, StringDeserializer(), StringDeserializer()
    )
    assert output.readKeyValuesToMap() == dict(zip(LINES, IN_UPPER_CASE, strict=True))
