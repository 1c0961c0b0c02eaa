"""Step 7 of the tutorial: the whole application on Spark, exactly once, and a change of it.

python -m examples.tutorial.step7 localhost:9092
"""

from __future__ import annotations

import sys
from typing import Any

from examples.tutorial.step1 import ORDER, TEXT, Order
from examples.tutorial.step2 import NUMBER
from examples.tutorial.step6 import add_all
from millstream import (
    Grouped,
    KafkaStreams,
    KStream,
    Materialized,
    Produced,
    StreamsBuilder,
    Topology,
)


def sum_orders(orders: KStream[str, Order]) -> None:
    """Add up what each customer has ordered: the part that is new in this step."""
    by_customer = orders.groupBy(
        lambda number, order: order.customer, Grouped.with_("buyers", TEXT, ORDER)
    )
    totals = by_customer.aggregate(
        lambda: 0,
        lambda customer, order, cents: cents + order.cents,
        Materialized.as_("order-totals").withKeySerde(TEXT).withValueSerde(NUMBER),
    )
    totals.toStream().to("order-totals", Produced.with_(TEXT, NUMBER))


def build() -> Topology:
    builder = StreamsBuilder()
    orders = add_all(builder)
    sum_orders(orders)
    return builder.build()


def settings(bootstrap_servers: str) -> dict[str, Any]:
    return {
        "application.id": "shop",
        "bootstrap.servers": bootstrap_servers,
        "processing.guarantee": "exactly_once_v2",
        "state.dir": "state",
    }


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    KafkaStreams(build(), settings(bootstrap_servers)).run()


if __name__ == "__main__":
    main()
