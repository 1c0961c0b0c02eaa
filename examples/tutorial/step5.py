"""Step 5 of the tutorial: one alert for each customer and hour, when the sum is final."""

from __future__ import annotations

from examples.tutorial.step1 import TEXT, good_orders, write_receipts
from examples.tutorial.step2 import count_orders
from examples.tutorial.step3 import label, spent_by_hour, write_spent
from examples.tutorial.step4 import confirm, deliver, read_customers
from millstream import (
    BufferConfig,
    KTable,
    Produced,
    StreamsBuilder,
    Suppressed,
    Topology,
    Windowed,
)

LIMIT = 1_000_00


def alert(spent: KTable[Windowed[str], int]) -> None:
    """Write an alert for each customer who has spent more than the limit in an hour, once."""
    final = spent.suppress(
        Suppressed.untilWindowCloses(BufferConfig.unbounded()).withName("final-sums")
    )
    (
        final.toStream()
        .filter(lambda hour, cents: cents > LIMIT)
        .map(lambda hour, cents: (hour.key(), f"{label(hour)}: {cents / 100:.2f}"))
        .to("alerts", Produced.with_(TEXT, TEXT))
    )


def build() -> Topology:
    builder = StreamsBuilder()
    orders = good_orders(builder)
    write_receipts(orders)
    count_orders(orders)
    spent = spent_by_hour(orders)
    write_spent(spent)
    alert(spent)
    customers = read_customers(builder)
    confirm(orders, customers)
    deliver(orders, customers)
    return builder.build()
