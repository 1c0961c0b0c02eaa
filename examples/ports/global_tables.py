"""Global tables: orders enriched with their customer and their product.

Java idioms: ``GlobalKTable`` with a named store, a join by a key that the mapper finds in the value
(no repartitioning), two joins in a row, nested value objects.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from millstream import (
    Consumed,
    GlobalKTable,
    JsonSerde,
    KafkaStreams,
    KStream,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    Topology,
)

ORDER_TOPIC = "order"
CUSTOMER_TOPIC = "customer"
PRODUCT_TOPIC = "product"
ENRICHED_ORDER_TOPIC = "enriched-order"
CUSTOMER_STORE = "customer-store"
PRODUCT_STORE = "product-store"


@dataclass(frozen=True)
class Order:
    customer_id: int
    product_id: int
    time: int


@dataclass(frozen=True)
class Customer:
    name: str
    region: str


@dataclass(frozen=True)
class Product:
    name: str
    supplier_name: str


@dataclass(frozen=True)
class CustomerOrder:
    """An order between the two joins."""

    customer: Customer
    order: Order

    def product_id(self) -> int:
        return self.order.product_id


@dataclass(frozen=True)
class EnrichedOrder:
    customer_name: str
    region: str
    product_name: str
    time: int


ORDER_SERDE = JsonSerde.of(Order)
CUSTOMER_SERDE = JsonSerde.of(Customer)
PRODUCT_SERDE = JsonSerde.of(Product)
ENRICHED_ORDER_SERDE = JsonSerde.of(EnrichedOrder)


def enriched(customer_order: CustomerOrder, product: Product) -> EnrichedOrder:
    customer, order = customer_order.customer, customer_order.order
    return EnrichedOrder(customer.name, customer.region, product.name, order.time)


def topology() -> Topology:
    long_serde = Serdes.Long()
    builder = StreamsBuilder()
    orders: KStream[int, Order] = builder.stream(
        ORDER_TOPIC, Consumed.with_(long_serde, ORDER_SERDE)
    )
    customers: GlobalKTable[int, Customer] = builder.globalTable(
        CUSTOMER_TOPIC,
        Materialized.as_(CUSTOMER_STORE).withKeySerde(long_serde).withValueSerde(CUSTOMER_SERDE),
    )
    products: GlobalKTable[int, Product] = builder.globalTable(
        PRODUCT_TOPIC,
        Materialized.as_(PRODUCT_STORE).withKeySerde(long_serde).withValueSerde(PRODUCT_SERDE),
    )
    customer_orders: KStream[int, CustomerOrder] = orders.join(
        customers,
        lambda order_id, order: order.customer_id,
        lambda order, customer: CustomerOrder(customer, order),
    )
    enriched_orders: KStream[int, EnrichedOrder] = customer_orders.join(
        products, lambda order_id, customer_order: customer_order.product_id(), enriched
    )
    enriched_orders.to(ENRICHED_ORDER_TOPIC, Produced.with_(long_serde, ENRICHED_ORDER_SERDE))
    return builder.build()


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    props = {
        StreamsConfig.APPLICATION_ID_CONFIG: "global-tables-example",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
    }
    KafkaStreams(topology(), props).run()


if __name__ == "__main__":
    main()
