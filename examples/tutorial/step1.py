"""Step 1 of the tutorial: orders are checked, and each good one gets a receipt.

python -m examples.tutorial.step1
"""

from __future__ import annotations

from dataclasses import dataclass

from millstream import (
    Branched,
    Consumed,
    JsonSerde,
    KStream,
    Named,
    Produced,
    Serdes,
    StreamsBuilder,
    Topology,
)
from millstream.testing import TopologyTestDriver


@dataclass(frozen=True)
class Order:
    """What a customer has ordered; the record's key is the order's number."""

    customer: str
    cents: int


TEXT = Serdes.String()
ORDER = JsonSerde.of(Order)


def is_bad(number: str, order: Order) -> bool:
    return not order.customer or order.cents <= 0


def good_orders(builder: StreamsBuilder) -> KStream[str, Order]:
    """Read "orders", send bad ones to "bad-orders", and return the others."""
    orders: KStream[str, Order] = builder.stream("orders", Consumed.with_(TEXT, ORDER))
    branches = (
        orders.split(Named.as_("orders-"))
        .branch(is_bad, Branched.as_("bad"))
        .defaultBranch(Branched.as_("good"))
    )
    branches["orders-bad"].to("bad-orders", Produced.with_(TEXT, ORDER))
    return branches["orders-good"]


def write_receipts(orders: KStream[str, Order]) -> None:
    receipts = orders.mapValues(
        lambda number, order: f"{order.customer}, order {number}: {order.cents / 100:.2f}"
    )
    receipts.to("receipts", Produced.with_(TEXT, TEXT))


def build() -> Topology:
    builder = StreamsBuilder()
    write_receipts(good_orders(builder))
    return builder.build()


def try_out() -> list[str]:
    """Pipe two orders through the topology, and return the receipts.

    >>> try_out()
    ['anna, order 1: 12.50']
    """
    with TopologyTestDriver(build()) as driver:
        orders = driver.createInputTopic("orders", TEXT.serializer(), ORDER.serializer())
        receipts = driver.createOutputTopic("receipts", TEXT.deserializer(), TEXT.deserializer())
        orders.pipeInput("1", Order("anna", 1250))
        orders.pipeInput("2", Order("bert", 0))
        return receipts.readValuesToList()


if __name__ == "__main__":
    print(*try_out(), sep="\n")
