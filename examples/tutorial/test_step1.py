"""The test of step 1."""

from examples.tutorial.step1 import ORDER, TEXT, Order, build
from millstream.testing import TopologyTestDriver


def test_good_orders_get_a_receipt_and_bad_ones_do_not() -> None:
    with TopologyTestDriver(build()) as driver:
        orders = driver.createInputTopic("orders", TEXT.serializer(), ORDER.serializer())
        receipts = driver.createOutputTopic("receipts", TEXT.deserializer(), TEXT.deserializer())
        bad = driver.createOutputTopic("bad-orders", TEXT.deserializer(), ORDER.deserializer())

        orders.pipeInput("1", Order("anna", 1250))
        orders.pipeInput("2", Order("bert", 0))
        orders.pipeInput("3", Order("", 500))

        assert receipts.readKeyValuesToMap() == {"1": "anna, order 1: 12.50"}
        assert bad.readKeyValuesToMap() == {"2": Order("bert", 0), "3": Order("", 500)}
