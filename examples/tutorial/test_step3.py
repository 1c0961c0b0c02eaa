"""The test of step 3."""

from datetime import datetime, timezone

from examples.tutorial.step1 import ORDER, TEXT, Order
from examples.tutorial.step2 import NUMBER
from examples.tutorial.step3 import build
from millstream import KeyValue
from millstream.testing import TopologyTestDriver


def at(hour: int, minute: int) -> datetime:
    return datetime(2026, 3, 1, hour, minute, tzinfo=timezone.utc)


def dropped(driver: TopologyTestDriver) -> float:
    metrics = driver.metrics().items()
    return sum(
        float(metric.metricValue())
        for name, metric in metrics
        if name.name() == "dropped-records-total"
    )


def test_a_late_order_counts_until_the_grace_period_is_over() -> None:
    with TopologyTestDriver(build()) as driver:
        orders = driver.createInputTopic("orders", TEXT.serializer(), ORDER.serializer())
        spent = driver.createOutputTopic("spent", TEXT.deserializer(), NUMBER.deserializer())

        orders.pipeInput("1", Order("anna", 1000), at(9, 15))
        orders.pipeInput("2", Order("bert", 300), at(10, 5))
        # Late: stream time is 10:05. The hour from 9 takes records until 10:10.
        orders.pipeInput("3", Order("anna", 500), at(9, 50))
        orders.pipeInput("4", Order("bert", 300), at(10, 10))
        # Too late: dropped, and counted.
        orders.pipeInput("5", Order("anna", 700), at(9, 59))

        assert spent.readKeyValuesToList() == [
            KeyValue("anna 2026-03-01T09:00:00Z", 1000),
            KeyValue("bert 2026-03-01T10:00:00Z", 300),
            KeyValue("anna 2026-03-01T09:00:00Z", 1500),
            KeyValue("bert 2026-03-01T10:00:00Z", 600),
        ]
        assert dropped(driver) == 1
