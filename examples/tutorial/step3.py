"""Step 3 of the tutorial: what each customer spends in each hour, late orders included."""

from __future__ import annotations

from datetime import timedelta

from examples.tutorial.step1 import ORDER, TEXT, Order, good_orders, write_receipts
from examples.tutorial.step2 import NUMBER, count_orders
from millstream import (
    Grouped,
    Instant,
    KStream,
    KTable,
    Materialized,
    Produced,
    StreamsBuilder,
    TimeWindows,
    Topology,
    Windowed,
)

HOUR = TimeWindows.ofSizeAndGrace(timedelta(hours=1), timedelta(minutes=10))


def spent_by_hour(orders: KStream[str, Order]) -> KTable[Windowed[str], int]:
    """Add up the cents of each customer and hour, in the store "spent-by-hour"."""
    by_customer = orders.groupBy(
        lambda number, order: order.customer, Grouped.with_("spenders", TEXT, ORDER)
    )
    return by_customer.windowedBy(HOUR).aggregate(
        lambda: 0,
        lambda customer, order, cents: cents + order.cents,
        Materialized.as_("spent-by-hour").withKeySerde(TEXT).withValueSerde(NUMBER),
    )


def label(hour: Windowed[str]) -> str:
    """Return customer and beginning of the hour, such as "anna 2026-03-01T09:00:00Z"."""
    return f"{hour.key()} {Instant.ofEpochMilli(hour.window().start())}"


def write_spent(spent: KTable[Windowed[str], int]) -> None:
    spent.toStream(lambda hour, cents: label(hour)).to("spent", Produced.with_(TEXT, NUMBER))


def build() -> Topology:
    builder = StreamsBuilder()
    orders = good_orders(builder)
    write_receipts(orders)
    count_orders(orders)
    write_spent(spent_by_hour(orders))
    return builder.build()
