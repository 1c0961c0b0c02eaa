"""Order validation: two topologies; the output of one is the other's input."""

from __future__ import annotations

from examples.ports.order_validation import (
    ORDER_SERDE,
    ORDER_VALIDATIONS,
    ORDERS,
    STRING,
    VALIDATED_ORDERS,
    VALIDATION_SERDE,
    Check,
    Order,
    OrderState,
    OrderValidation,
    aggregator_topology,
    checks_topology,
)
from millstream import TestInputTopic, TopologyTestDriver

GOOD = Order("good", 1, OrderState.CREATED, 2, 100.0)
TOO_MUCH = Order("too-much", 1, OrderState.CREATED, 1, 1_800.0)
NOTHING = Order("nothing", 2, OrderState.CREATED, 0, 10.0)
SHIPPED = Order("shipped", 3, OrderState.VALIDATED, 1, 10.0)


def source(driver: TopologyTestDriver) -> TestInputTopic[str, Order]:
    return driver.createInputTopic(ORDERS, STRING.serializer(), ORDER_SERDE.serializer())


def validations_of(*orders: Order) -> list[OrderValidation]:
    with TopologyTestDriver(checks_topology()) as driver:
        topic = source(driver)
        for time, order in enumerate(orders):
            topic.pipeInput(order.id, order, time)
        return driver.createOutputTopic(
            ORDER_VALIDATIONS, STRING.deserializer(), VALIDATION_SERDE.deserializer()
        ).readValuesToList()


def test_a_customer_who_spends_too_much_in_a_session_is_refused() -> None:
    found = validations_of(GOOD, TOO_MUCH)
    assert {each.order_id: each.passed for each in found if each.check is Check.FRAUD} == {
        "good": True,
        "too-much": False,
    }


def test_an_order_of_nothing_is_refused_and_one_in_another_state_not_looked_at() -> None:
    assert OrderValidation("nothing", Check.DETAILS, passed=False) in validations_of(
        NOTHING, SHIPPED
    )
    assert "shipped" not in {each.order_id for each in validations_of(NOTHING, SHIPPED)}


def test_an_order_is_validated_once_all_checks_have_passed() -> None:
    with TopologyTestDriver(aggregator_topology()) as driver:
        orders = source(driver)
        validations = driver.createInputTopic(
            ORDER_VALIDATIONS, STRING.serializer(), VALIDATION_SERDE.serializer()
        )
        validated = driver.createOutputTopic(
            VALIDATED_ORDERS, STRING.deserializer(), ORDER_SERDE.deserializer()
        )
        orders.pipeInput("good", GOOD, 0)
        orders.pipeInput("nothing", NOTHING, 1)
        validations.pipeInput("good", OrderValidation("good", Check.FRAUD, passed=True), 2)
        assert validated.isEmpty()
        validations.pipeInput("good", OrderValidation("good", Check.DETAILS, passed=True), 3)
        assert validated.readValue().state is OrderState.VALIDATED
        for check in Check:
            validations.pipeInput("nothing", OrderValidation("nothing", check, passed=False), 4)
        # The table is written with each failed check; the order is the same.
        states = {order.id: order.state for order in validated.readValuesToList()}
        assert states == {"nothing": OrderState.FAILED}
