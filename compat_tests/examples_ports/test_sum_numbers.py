"""Sum of odd numbers: every update, and the store's content."""

from __future__ import annotations

from examples.ports.sum_numbers import (
    NUMBERS_TOPIC,
    SUM_OF_ODD_NUMBERS_TOPIC,
    SUM_STORE,
    streams_config,
    topology,
)
from millstream import (
    IntegerDeserializer,
    IntegerSerializer,
    KeyValueStore,
    TopologyTestDriver,
    VoidSerializer,
)


def test_odd_numbers_are_summed() -> None:
    with TopologyTestDriver(topology(), streams_config("unused:0")) as test_driver:
        numbers = test_driver.createInputTopic(NUMBERS_TOPIC, VoidSerializer(), IntegerSerializer())
        sums = test_driver.createOutputTopic(
            SUM_OF_ODD_NUMBERS_TOPIC, IntegerDeserializer(), IntegerDeserializer()
        )
        numbers.pipeValueList([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        assert sums.readValuesToList() == [1, 4, 9, 16, 25]
        store: KeyValueStore[int, int] = test_driver.getKeyValueStore(SUM_STORE)
        assert store.get(1) == 25
