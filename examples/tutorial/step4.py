"""Step 4 of the tutorial: orders get their customer's address, at once or for as long as needed."""

from __future__ import annotations

from dataclasses import dataclass

from examples.tutorial.step1 import ORDER, TEXT, Order, good_orders, write_receipts
from examples.tutorial.step2 import count_orders
from examples.tutorial.step3 import spent_by_hour, write_spent
from millstream import (
    Consumed,
    Joined,
    JsonSerde,
    KStream,
    KTable,
    Materialized,
    Produced,
    StreamsBuilder,
    TableJoined,
    Topology,
)


@dataclass(frozen=True)
class Customer:
    """Who orders; the record's key is the customer's name."""

    address: str


CUSTOMER = JsonSerde.of(Customer)


def read_customers(builder: StreamsBuilder) -> KTable[str, Customer]:
    return builder.table("customers", Consumed.with_(TEXT, CUSTOMER), Materialized.as_("customers"))


def confirm(orders: KStream[str, Order], customers: KTable[str, Customer]) -> None:
    """Write a confirmation for each order, with the address that the customer has just then."""
    by_customer: KStream[str, Order] = orders.selectKey(lambda number, order: order.customer)
    confirmations: KStream[str, str] = by_customer.join(
        customers,
        lambda order, customer: f"{order.cents / 100:.2f} to {customer.address}",
        Joined.with_(TEXT, ORDER, CUSTOMER, "confirm"),
    )
    confirmations.to("confirmations", Produced.with_(TEXT, TEXT))


def deliver(orders: KStream[str, Order], customers: KTable[str, Customer]) -> None:
    """Keep a delivery for each order, and write it again when its customer moves."""
    table: KTable[str, Order] = orders.toTable(
        Materialized.as_("orders").withKeySerde(TEXT).withValueSerde(ORDER)
    )
    deliveries: KTable[str, str] = table.join(
        customers,
        lambda order: order.customer,
        lambda order, customer: f"{order.customer}, {customer.address}",
        TableJoined.as_("deliver"),
        Materialized.as_("deliveries").withKeySerde(TEXT).withValueSerde(TEXT),
    )
    deliveries.toStream().to("deliveries", Produced.with_(TEXT, TEXT))


def build() -> Topology:
    builder = StreamsBuilder()
    orders = good_orders(builder)
    write_receipts(orders)
    count_orders(orders)
    write_spent(spent_by_hour(orders))
    customers = read_customers(builder)
    confirm(orders, customers)
    deliver(orders, customers)
    return builder.build()
