"""The test of step 7, without Spark: the new part, beside the old ones."""

from examples.tutorial.step1 import ORDER, TEXT, Order
from examples.tutorial.step2 import NUMBER
from examples.tutorial.step7 import build
from millstream.testing import TopologyTestDriver


def test_orders_are_counted_and_added_up() -> None:
    with TopologyTestDriver(build()) as driver:
        orders = driver.createInputTopic("orders", TEXT.serializer(), ORDER.serializer())
        counts, totals = (
            driver.createOutputTopic(name, TEXT.deserializer(), NUMBER.deserializer())
            for name in ("order-counts", "order-totals")
        )
        for number, cents in (("1", 1000), ("2", 500)):
            orders.pipeInput(number, Order("anna", cents))
        assert counts.readKeyValuesToMap() == {"anna": 2}
        assert totals.readKeyValuesToMap() == {"anna": 1500}
