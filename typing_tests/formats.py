"""The serdes of formats know the class of their objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from typing_extensions import assert_type

from millstream import (
    AvroRecord,
    AvroSerde,
    Consumed,
    GlobalKTable,
    JsonSerde,
    KTable,
    Materialized,
    ProtobufSerde,
    Serdes,
    StreamsBuilder,
    avro_record_class,
)


@dataclass
class Order:
    """A value."""

    user: str
    amount: int


SCHEMA = AvroSerde.of(Order).schema

assert_type(AvroSerde.of(Order), AvroSerde[Order])
assert_type(AvroSerde(SCHEMA, Order), AvroSerde[Order])
assert_type(AvroSerde(SCHEMA), AvroSerde[Any])
assert_type(AvroSerde(SCHEMA, avro_record_class(SCHEMA)), AvroSerde[AvroRecord])
assert_type(JsonSerde.of(Order), JsonSerde[Order])
assert_type(JsonSerde(), JsonSerde[Any])
assert_type(ProtobufSerde(Order), ProtobufSerde[Order])

builder = StreamsBuilder()
orders = builder.stream("orders", Consumed.with_(Serdes.String(), AvroSerde.of(Order)))
users = orders.mapValues(lambda order: order.user)
large = orders.filter(lambda key, order: order is not None and order.amount > 5)
table = builder.table(
    "totals",
    Consumed.with_(Serdes.String(), JsonSerde.of(Order)),
    Materialized.as_("totals"),
)
assert_type(table, KTable[str, Order])
assert_type(
    builder.globalTable(
        "users",
        Consumed.with_(Serdes.String(), JsonSerde.of(Order)),
        Materialized.as_("users").withKeySerde(Serdes.String()),
    ),
    GlobalKTable[str, Order],
)
