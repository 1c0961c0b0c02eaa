"""Step 2 of the tutorial: the orders of each customer are counted."""

from __future__ import annotations

from examples.tutorial.step1 import ORDER, TEXT, Order, good_orders, write_receipts
from millstream import (
    Grouped,
    KStream,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    Topology,
)

NUMBER = Serdes.Long()


def count_orders(orders: KStream[str, Order]) -> None:
    """Count in the store "order-counts", and write each new count."""
    by_customer = orders.groupBy(
        lambda number, order: order.customer, Grouped.with_("by-customer", TEXT, ORDER)
    )
    counts = by_customer.count(Materialized.as_("order-counts"))
    counts.toStream().to("order-counts", Produced.with_(TEXT, NUMBER))


def build() -> Topology:
    builder = StreamsBuilder()
    orders = good_orders(builder)
    write_receipts(orders)
    count_orders(orders)
    return builder.build()
