"""The test of step 6."""

from datetime import timedelta

from examples.tutorial.step1 import ORDER, TEXT, Order
from examples.tutorial.step2 import NUMBER
from examples.tutorial.step6 import STORE, build
from millstream import KeyQuery, PositionBound, QueryConfig
from millstream.testing import TopologyTestDriver


def test_an_unpaid_order_is_reminded_of_each_day_until_it_is_paid() -> None:
    with TopologyTestDriver(build(), initialWallClockTime=0) as driver:
        orders = driver.createInputTopic("orders", TEXT.serializer(), ORDER.serializer())
        payments = driver.createInputTopic("payments", TEXT.serializer(), NUMBER.serializer())
        reminders = driver.createOutputTopic("reminders", TEXT.deserializer(), TEXT.deserializer())

        orders.pipeInput("1", Order("anna", 1000))
        orders.pipeInput("2", Order("bert", 500))
        payments.pipeInput("1", 400)
        # A payment may be read before its order.
        payments.pipeInput("3", 700)
        orders.pipeInput("3", Order("carl", 700))
        payments.pipeInput("2", 500)

        driver.advanceWallClockTime(timedelta(hours=23))
        assert reminders.isEmpty()
        driver.advanceWallClockTime(timedelta(hours=1))
        assert reminders.readKeyValuesToMap() == {"1": "6.00 to be paid"}
        driver.advanceWallClockTime(timedelta(days=1))
        assert reminders.readKeyValuesToMap() == {"1": "6.00 to be paid"}

        payments.pipeInput("1", 600)
        driver.advanceWallClockTime(timedelta(days=1))
        assert reminders.isEmpty()
        assert driver.getKeyValueStore(STORE).get("1") is None


def test_a_store_answers_the_query_that_the_application_uses() -> None:
    with TopologyTestDriver(build()) as driver:
        orders = driver.createInputTopic("orders", TEXT.serializer(), ORDER.serializer())
        orders.pipeInput("1", Order("anna", 1000))
        counts = driver.getAllStateStores()["order-counts"]
        answer = counts.query(
            KeyQuery.withKey("anna"), PositionBound.unbounded(), QueryConfig(False)
        )
        assert answer.getResult() == 1
