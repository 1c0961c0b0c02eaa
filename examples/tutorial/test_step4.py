"""The test of step 4."""

from examples.tutorial.step1 import ORDER, TEXT, Order
from examples.tutorial.step4 import CUSTOMER, Customer, build
from millstream import KeyValue
from millstream.testing import TopologyTestDriver


def test_a_move_changes_the_delivery_and_not_the_confirmation() -> None:
    with TopologyTestDriver(build()) as driver:
        orders = driver.createInputTopic("orders", TEXT.serializer(), ORDER.serializer())
        customers = driver.createInputTopic("customers", TEXT.serializer(), CUSTOMER.serializer())
        confirmations, deliveries = (
            driver.createOutputTopic(name, TEXT.deserializer(), TEXT.deserializer())
            for name in ("confirmations", "deliveries")
        )
        # No customer yet: no confirmation, and the delivery waits.
        orders.pipeInput("1", Order("anna", 1000))
        customers.pipeInput("anna", Customer("Mill Lane 1"))
        orders.pipeInput("2", Order("anna", 500))
        customers.pipeInput("anna", Customer("High Street 7"))

        assert confirmations.readKeyValuesToList() == [KeyValue("anna", "5.00 to Mill Lane 1")]
        assert deliveries.readKeyValuesToList() == [
            KeyValue("1", "anna, Mill Lane 1"),
            KeyValue("2", "anna, Mill Lane 1"),
            KeyValue("1", "anna, High Street 7"),
            KeyValue("2", "anna, High Street 7"),
        ]
        # Gone: a tombstone for each delivery.
        customers.pipeInput("anna", None)
        assert deliveries.readKeyValuesToMap() == {"1": None, "2": None}
