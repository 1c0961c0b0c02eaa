"""Order validation: a fraud check and a check of details, and orders that pass both.

Java idioms: enums and copying builders (``dataclasses.replace``) in JSON values,
``split().branch(..)`` and the map of its branches, a session window as a running total, a
stream-stream join, two services of one program.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from enum import Enum

from millstream import (
    Branched,
    Consumed,
    Duration,
    Grouped,
    JoinWindows,
    JsonSerde,
    KafkaStreams,
    KStream,
    Materialized,
    Named,
    Produced,
    Serdes,
    SessionWindows,
    StreamJoined,
    StreamsBuilder,
    StreamsConfig,
    Topology,
    Windowed,
)

ORDERS = "orders"
ORDER_VALIDATIONS = "order-validations"
VALIDATED_ORDERS = "validated-orders"

FRAUD_LIMIT = 2_000.0
FIVE_MINUTES = Duration.ofMinutes(5)


class OrderState(Enum):
    CREATED = "CREATED"
    VALIDATED = "VALIDATED"
    FAILED = "FAILED"


class Check(Enum):
    FRAUD = "FRAUD"
    DETAILS = "DETAILS"


@dataclass(frozen=True)
class Order:
    id: str
    customer_id: int
    state: OrderState
    quantity: int
    price: float

    def value(self) -> float:
        return self.quantity * self.price


@dataclass(frozen=True)
class OrderValidation:
    order_id: str
    check: Check
    passed: bool


@dataclass(frozen=True)
class OrderValue:
    """An order, and what its customer has spent with it in this session."""

    order: Order | None
    value: float


STRING = Serdes.String()
ORDER_SERDE = JsonSerde.of(Order)
VALIDATION_SERDE = JsonSerde.of(OrderValidation)
ORDER_VALUE_SERDE = JsonSerde.of(OrderValue)


def read_orders(builder: StreamsBuilder) -> KStream[str, Order]:
    orders = builder.stream(ORDERS, Consumed.with_(STRING, ORDER_SERDE))
    return orders.filter(lambda order_id, order: order.state is OrderState.CREATED)


def add_fraud_check(orders: KStream[str, Order]) -> KStream[str, OrderValidation]:
    """Refuse what a customer spends beyond a limit in one session."""
    by_customer = orders.groupBy(
        lambda order_id, order: order.customer_id, Grouped.with_(Serdes.Long(), ORDER_SERDE)
    )
    totals: KStream[Windowed[int], OrderValue] = (
        by_customer.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofHours(1)))
        .aggregate(
            lambda: OrderValue(None, 0.0),
            lambda customer, order, total: OrderValue(order, total.value + order.value()),
            lambda customer, one, two: OrderValue(two.order or one.order, one.value + two.value),
            Materialized.with_(None, ORDER_VALUE_SERDE),
        )
        .toStream()
    )
    spent: KStream[str, OrderValue] = (
        # When sessions merge, the old ones are deleted.
        totals.filter(
            lambda session, total: total is not None and total.order is not None
        ).selectKey(lambda session, total: total.order.id if total.order else "")
    )
    branches = (
        spent.split(Named.as_("limit-"))
        .branch(lambda order_id, total: total.value >= FRAUD_LIMIT, Branched.as_("above"))
        .defaultBranch(Branched.as_("below"))
    )
    refused = branches["limit-above"].mapValues(
        lambda order_id, total: OrderValidation(order_id, Check.FRAUD, passed=False)
    )
    passed = branches["limit-below"].mapValues(
        lambda order_id, total: OrderValidation(order_id, Check.FRAUD, passed=True)
    )
    return refused.merge(passed)


def add_details_check(orders: KStream[str, Order]) -> KStream[str, OrderValidation]:
    """Refuse orders that cannot be meant."""
    return orders.mapValues(
        lambda order_id, order: OrderValidation(
            order_id, Check.DETAILS, passed=order.quantity > 0 and order.price > 0
        )
    )


def add_aggregator(orders: KStream[str, Order], validations: KStream[str, OrderValidation]) -> None:
    """Write an order as validated when every check has passed, as failed when one has not."""
    grouped = validations.groupByKey(Grouped.with_(STRING, VALIDATION_SERDE)).windowedBy(
        SessionWindows.ofInactivityGapWithNoGrace(FIVE_MINUTES)
    )
    passed: KStream[str, int] = (
        grouped.aggregate(
            lambda: 0,
            lambda order_id, validation, total: total + 1 if validation.passed else total,
            # The new record counts as one session, which is merged with the earlier ones.
            lambda order_id, one, two: one + two,
            Materialized.with_(None, Serdes.Long()),
        )
        .toStream(lambda session, total: session.key())
        .filter(lambda order_id, total: total is not None and total == len(Check))
    )
    failed = validations.filter(lambda order_id, validation: not validation.passed)

    windows = JoinWindows.ofTimeDifferenceWithNoGrace(FIVE_MINUTES)
    good: KStream[str, Order] = passed.join(
        orders,
        lambda total, order: replace(order, state=OrderState.VALIDATED),
        windows,
        StreamJoined.with_(STRING, Serdes.Long(), ORDER_SERDE),
    )
    bad: KStream[str, Order] = failed.join(
        orders,
        lambda validation, order: replace(order, state=OrderState.FAILED),
        windows,
        StreamJoined.with_(STRING, VALIDATION_SERDE, ORDER_SERDE),
    )
    (
        # An order may fail more than one check, and is written once.
        good.merge(bad)
        .groupByKey(Grouped.with_(STRING, ORDER_SERDE))
        .reduce(lambda first, again: first)
        .toStream()
        .to(VALIDATED_ORDERS, Produced.with_(STRING, ORDER_SERDE))
    )


def checks_topology() -> Topology:
    builder = StreamsBuilder()
    orders = read_orders(builder)
    validations = add_fraud_check(orders).merge(add_details_check(orders))
    validations.to(ORDER_VALIDATIONS, Produced.with_(STRING, VALIDATION_SERDE))
    return builder.build()


def aggregator_topology() -> Topology:
    builder = StreamsBuilder()
    validations = builder.stream(ORDER_VALIDATIONS, Consumed.with_(STRING, VALIDATION_SERDE))
    add_aggregator(read_orders(builder), validations)
    return builder.build()


SERVICES = {"checks": checks_topology, "aggregator": aggregator_topology}


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    service = sys.argv[2] if len(sys.argv) > 2 else "checks"
    props = {
        StreamsConfig.APPLICATION_ID_CONFIG: f"order-{service}",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
        StreamsConfig.PROCESSING_GUARANTEE_CONFIG: StreamsConfig.EXACTLY_ONCE_V2,
    }
    KafkaStreams(SERVICES[service](), props).run()


if __name__ == "__main__":
    main()
