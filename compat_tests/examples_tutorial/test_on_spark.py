"""The shop on Spark and a real broker: exactly once, and it goes on as a changed program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from examples.tutorial import step6, step7
from examples.tutorial.step1 import ORDER, Order
from examples.tutorial.step2 import NUMBER
from examples.tutorial.step4 import CUSTOMER, Customer
from millstream import KafkaStreams
from millstream.testing.broker import KafkaCluster, wait_for

if TYPE_CHECKING:
    from compat_tests.kafka.fixture import KafkaServer

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

INPUTS = ("orders", "customers", "payments")
OUTPUTS = (
    *("bad-orders", "receipts", "order-counts", "spent", "confirmations", "deliveries"),
    *("alerts", "reminders", "order-totals"),
)


@pytest.mark.long
def test_the_changed_shop_goes_on_with_what_it_knows(
    spark: Any, kafka: KafkaServer, tmp_path: Path
) -> None:
    cluster = KafkaCluster(kafka.bootstrap_servers)
    cluster.create_topics(*INPUTS, *OUTPUTS)
    cluster.produce("customers", [("anna", Customer("Mill Lane 1"))], value_serde=CUSTOMER)
    config = step7.settings(cluster.bootstrap_servers) | {"state.dir": str(tmp_path)}

    cluster.produce("orders", [("1", Order("anna", 1250))], value_serde=ORDER)
    with KafkaStreams(step6.build(), config, spark=spark) as streams:
        deliveries = cluster.read("deliveries", 1, timeout=240)
        wait_for(lambda: step6.orders_of(streams, "anna") == 1, 120)
    assert deliveries[0].value() == "anna, Mill Lane 1"

    cluster.produce("orders", [("2", Order("anna", 750))], value_serde=ORDER)
    with KafkaStreams(step7.build(), config, spark=spark):
        totals = cluster.read("order-totals", 1, value_serde=NUMBER, timeout=240)
        counts = cluster.read("order-counts", 2, value_serde=NUMBER, timeout=120)
    # The new store began today; the old one goes on.
    assert [(each.key(), each.value()) for each in totals] == [("anna", 750)]
    assert [(each.key(), each.value()) for each in counts] == [("anna", 1), ("anna", 2)]
    receipts = cluster.read("receipts", 2)
    assert [each.key() for each in receipts] == ["1", "2"]
