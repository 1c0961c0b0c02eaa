"""The test of step 2."""

from examples.tutorial.step1 import ORDER, TEXT, Order
from examples.tutorial.step2 import NUMBER, build
from millstream import KeyValue
from millstream.testing import TopologyTestDriver


def test_each_new_count_is_written_and_the_store_has_the_last_one() -> None:
    with TopologyTestDriver(build()) as driver:
        orders = driver.createInputTopic("orders", TEXT.serializer(), ORDER.serializer())
        counts = driver.createOutputTopic(
            "order-counts", TEXT.deserializer(), NUMBER.deserializer()
        )
        for number, customer in (("1", "anna"), ("2", "bert"), ("3", "anna")):
            orders.pipeInput(number, Order(customer, 1250))

        assert counts.readKeyValuesToList() == [
            KeyValue("anna", 1),
            KeyValue("bert", 1),
            KeyValue("anna", 2),
        ]
        assert driver.getKeyValueStore("order-counts").get("anna") == 2
