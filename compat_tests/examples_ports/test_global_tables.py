"""Global tables: filled first, as topics of the test driver, and read from their stores."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from examples.ports.global_tables import (
    CUSTOMER_SERDE,
    CUSTOMER_STORE,
    CUSTOMER_TOPIC,
    ENRICHED_ORDER_SERDE,
    ENRICHED_ORDER_TOPIC,
    ORDER_SERDE,
    ORDER_TOPIC,
    PRODUCT_SERDE,
    PRODUCT_TOPIC,
    Customer,
    EnrichedOrder,
    Order,
    Product,
    topology,
)
from millstream import KeyValue, LongDeserializer, LongSerializer, TopologyTestDriver


@pytest.fixture
def driver() -> Iterator[TopologyTestDriver]:
    with TopologyTestDriver(topology()) as driver:
        yield driver


def test_orders_are_enriched(driver: TopologyTestDriver) -> None:
    customers = driver.createInputTopic(
        CUSTOMER_TOPIC, LongSerializer(), CUSTOMER_SERDE.serializer()
    )
    products = driver.createInputTopic(PRODUCT_TOPIC, LongSerializer(), PRODUCT_SERDE.serializer())
    orders = driver.createInputTopic(ORDER_TOPIC, LongSerializer(), ORDER_SERDE.serializer())
    enriched = driver.createOutputTopic(
        ENRICHED_ORDER_TOPIC, LongDeserializer(), ENRICHED_ORDER_SERDE.deserializer()
    )
    customers.pipeInput(1, Customer("Alice", "north"))
    products.pipeInput(7, Product("lamp", "Lumen"))
    orders.pipeInput(100, Order(customer_id=1, product_id=7, time=5))
    orders.pipeInput(101, Order(customer_id=2, product_id=7, time=6))
    # A global table's new row changes no result that has been given.
    customers.pipeInput(2, Customer("Bob", "south"))
    orders.pipeInput(102, Order(customer_id=2, product_id=7, time=7))

    assert enriched.readKeyValuesToList() == [
        KeyValue(100, EnrichedOrder("Alice", "north", "lamp", 5)),
        KeyValue(102, EnrichedOrder("Bob", "south", "lamp", 7)),
    ]
    assert driver.getKeyValueStore(CUSTOMER_STORE).get(2) == Customer("Bob", "south")
