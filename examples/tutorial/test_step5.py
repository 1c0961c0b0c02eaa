"""The test of step 5."""

from datetime import datetime, timezone

from examples.tutorial.step1 import ORDER, TEXT, Order
from examples.tutorial.step5 import build
from millstream import KeyValue
from millstream.testing import TopologyTestDriver


def at(hour: int, minute: int) -> datetime:
    return datetime(2026, 3, 1, hour, minute, tzinfo=timezone.utc)


def test_one_alert_comes_when_the_hour_and_its_grace_period_are_over() -> None:
    with TopologyTestDriver(build()) as driver:
        orders = driver.createInputTopic("orders", TEXT.serializer(), ORDER.serializer())
        alerts = driver.createOutputTopic("alerts", TEXT.deserializer(), TEXT.deserializer())

        orders.pipeInput("1", Order("anna", 900_00), at(9, 15))
        orders.pipeInput("2", Order("anna", 200_00), at(9, 45))
        orders.pipeInput("3", Order("anna", 100_00), at(9, 50))
        orders.pipeInput("4", Order("bert", 10_00), at(10, 5))
        assert alerts.isEmpty()

        orders.pipeInput("5", Order("bert", 10_00), at(10, 10))
        assert alerts.readKeyValuesToList() == [
            KeyValue("anna", "anna 2026-03-01T09:00:00Z: 1200.00")
        ]
