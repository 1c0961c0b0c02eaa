"""Ports as a type checker sees them: enriched orders, branches, top lists. Checked, never run."""

# pyright: strict
from __future__ import annotations

from dataclasses import dataclass, field, replace

from typing_extensions import assert_type

from millstream import (
    Branched,
    Consumed,
    GlobalKTable,
    Grouped,
    JoinWindows,
    JsonSerde,
    KeyValue,
    KStream,
    KTable,
    Materialized,
    Named,
    Produced,
    Serde,
    Serdes,
    StreamJoined,
    StreamsBuilder,
    Topology,
)


@dataclass(frozen=True)
class Order:
    """An order."""

    id: str
    customer: str
    cents: int


@dataclass(frozen=True)
class Customer:
    """A customer."""

    name: str
    region: str


@dataclass(frozen=True)
class Enriched:
    """An order with its customer."""

    order: Order
    customer: Customer | None = None


@dataclass
class Top:
    """The names of a group."""

    names: list[str] = field(default_factory=lambda: list[str]())

    def add(self, name: str) -> Top:
        return Top([*self.names, name])

    def remove(self, name: str) -> Top:
        return Top([each for each in self.names if each != name])


TEXT = Serdes.String()
ORDER: Serde[Order] = JsonSerde.of(Order)
CUSTOMER: Serde[Customer] = JsonSerde.of(Customer)
ENRICHED = JsonSerde.of(Enriched)
TOP = JsonSerde.of(Top)


def enriched_orders() -> Topology:
    builder = StreamsBuilder()
    orders = builder.stream("orders", Consumed.with_(TEXT, ORDER))
    assert_type(orders, KStream[str, Order])
    customers = builder.table("customers", Consumed.with_(TEXT, CUSTOMER))
    regions = builder.globalTable("regions", Consumed.with_(TEXT, TEXT))
    assert_type(regions, GlobalKTable[str, str])
    by_customer = orders.selectKey(lambda _, order: order.customer)
    joined = by_customer.join(customers, lambda order, customer: Enriched(order, customer))
    assert_type(joined, KStream[str, Enriched])
    left = by_customer.leftJoin(customers, lambda order, customer: Enriched(order, customer))
    assert_type(left, KStream[str, Enriched])
    priced = joined.mapValues(lambda value: replace(value, customer=None))
    assert_type(priced, KStream[str, Enriched])
    placed = orders.join(
        regions, lambda _, order: order.customer, lambda order, region: (order.id, region)
    )
    assert_type(placed, KStream[str, tuple[str, str]])
    priced.to("enriched", Produced.with_(TEXT, ENRICHED))
    return builder.build()


def branches() -> Topology:
    builder = StreamsBuilder()
    orders = builder.stream("orders", Consumed.with_(TEXT, ORDER))
    parts = (
        orders.split(Named.as_("orders-"))
        .branch(lambda _, order: order.cents > 100, Branched.as_("large"))
        .branch(lambda _, order: order.cents > 10)
        .defaultBranch(Branched.as_("small"))
    )
    assert_type(parts, dict[str, KStream[str, Order]])
    merged = parts["orders-large"].merge(parts["orders-small"])
    assert_type(merged, KStream[str, Order])
    merged.foreach(lambda key, order: print(key, order.cents))
    merged.peek(lambda key, order: print(key, order.cents)).to("out")
    return builder.build()


def pairs() -> Topology:
    builder = StreamsBuilder()
    orders = builder.stream("orders", Consumed.with_(TEXT, ORDER))
    names = builder.stream("names", Consumed.with_(TEXT, TEXT))
    windows = JoinWindows.ofTimeDifferenceWithNoGrace(1000)
    how = StreamJoined.with_(TEXT, ORDER, TEXT)
    joined = orders.join(names, lambda order, name: f"{name}: {order.id}", windows, how)
    assert_type(joined, KStream[str, str])
    outer = orders.outerJoin(
        names, lambda order, name: f"{name}: {order.id if order else None}", windows, how
    )
    assert_type(outer, KStream[str, str])
    keyed = orders.join(names, lambda key, order, name: f"{key}{order.id}{name}", windows)
    assert_type(keyed, KStream[str, str])
    return builder.build()


def top_customers() -> Topology:
    builder = StreamsBuilder()
    orders = builder.table("orders", Consumed.with_(TEXT, ORDER))
    top: KTable[str, Top] = orders.groupBy(
        lambda _, order: KeyValue.pair(order.customer, order), Grouped.with_(TEXT, ORDER)
    ).aggregate(
        lambda: Top(),
        lambda _, order, top: top.add(order.id),
        lambda _, order, top: top.remove(order.id),
        Materialized.with_(TEXT, TOP),
    )
    assert_type(top, KTable[str, Top])
    sums = orders.groupBy(lambda key, order: KeyValue(key, order.cents)).reduce(
        lambda total, new: total + new, lambda total, old: total - old
    )
    assert_type(sums, KTable[str, int])
    customers = builder.table("customers", Consumed.with_(TEXT, CUSTOMER))
    foreign = orders.join(
        customers, lambda order: order.customer, lambda order, customer: Enriched(order, customer)
    )
    assert_type(foreign, KTable[str, Enriched])
    both = sums.join(top, lambda cents, names: (cents, names.names))
    assert_type(both, KTable[str, tuple[int, list[str]]])
    return builder.build()
