"""DataFrames in a topology, without Spark: described, tested, refused."""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import types as T

from millstream import (
    Consumed,
    KafkaStreams,
    Produced,
    Serdes,
    StreamsBuilder,
    TopologyTestDriver,
)
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    TopologyException,
    UnsupportedOperationException,
)

CONFIG = {"application.id": "frames", "bootstrap.servers": "nowhere:0"}
ORDERS = T.StructType(
    [
        T.StructField("user", T.StringType()),
        T.StructField("amount", T.LongType()),
        T.StructField("at", T.TimestampType()),
        T.StructField("local", T.TimestampNTZType()),
        T.StructField("day", T.DateType()),
        T.StructField("price", T.DecimalType(10, 2)),
        T.StructField("item", T.StructType([T.StructField("id", T.IntegerType())])),
        T.StructField("tags", T.ArrayType(T.StringType())),
        T.StructField("with.dot", T.DoubleType()),
    ]
)


def test_a_dataframe_is_a_topic_of_the_test_driver() -> None:
    builder = StreamsBuilder()
    orders = builder.fromDataFrame(ORDERS, key="user", value="amount", timestamp="at", name="o")
    sums = orders.groupByKey().reduce(lambda before, now: before + now).toStream()
    sums.to("sums", Produced.with_(Serdes.String(), Serdes.Long()))
    text, number = Serdes.String(), Serdes.Long()
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        given = driver.createInputTopic("o", text.serializer(), number.serializer())
        found = driver.createOutputTopic("sums", text.deserializer(), number.deserializer())
        given.pipeInput("ann", 3, datetime.fromtimestamp(1, tz=timezone.utc))
        given.pipeInput("ann", 4, datetime.fromtimestamp(2, tz=timezone.utc))
        assert found.readKeyValuesToMap() == {"ann": 7}


def test_describe_names_dataframes_like_topics() -> None:
    builder = StreamsBuilder()
    builder.fromDataFrame(ORDERS, value="amount")
    builder.fromDataFrame(ORDERS, value="amount", name='ü "<b>"').foreach(print)
    text = str(builder.build().describe())
    assert "(topics: [dataframe-0])" in text
    assert '(topics: [ü "<b>"])' in text


@pytest.mark.parametrize(
    ("column", "serde"),
    [
        ("user", "StringSerde"),
        ("amount", "LongSerde"),
        ("item.id", "IntegerSerde"),
        ("with.dot", "DoubleSerde"),
        ("item", "WrapperSerde"),
        ("tags", "WrapperSerde"),
        (["user", "amount"], "WrapperSerde"),
    ],
)
def test_the_type_of_a_column_chooses_its_serde(column: Any, serde: str) -> None:
    builder = StreamsBuilder()
    builder.fromDataFrame(ORDERS, key=column, value=column, name="o")
    found = builder.build().frames.inputs["o"]
    assert (type(found.key_serde).__name__, type(found.value_serde).__name__) == (serde, serde)


def test_all_columns_are_a_dict_with_times_and_decimals_as_text() -> None:
    builder = StreamsBuilder()
    builder.fromDataFrame(ORDERS, key=["user", "amount"], name="o")
    found = builder.build().frames.inputs["o"]
    key = found.key_serde.serializer().serialize("o", {"user": "a", "amount": 1})
    assert key == b'{"amount":1,"user":"a"}'
    value = found.value_serde.serializer().serialize(
        "o", {"price": Decimal("1.50"), "day": datetime(2024, 1, 1, tzinfo=timezone.utc).date()}
    )
    assert value == b'{"price":"1.50","day":"2024-01-01"}'


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"key": "nobody"}, IllegalArgumentException, 'no column "nobody"'),
        ({"key": "item.name"}, IllegalArgumentException, 'no column "item.name"'),
        ({"key": 3}, ClassCastException, "not a column"),
        ({"key": []}, ClassCastException, "not a column"),
        ({"value": "price"}, IllegalArgumentException, "cast it|Cast it"),
        ({"value": "day"}, IllegalArgumentException, "has no serde"),
        ({"timestamp": "local"}, IllegalArgumentException, "time zone"),
        ({"timestamp": "user"}, IllegalArgumentException, "must be timestamp"),
        ({"headers": "tags"}, IllegalArgumentException, "headers column"),
        ({"partitions": 0}, IllegalArgumentException, "0 partitions"),
        ({"partitions": True}, IllegalArgumentException, "True partitions"),
        ({"partitions": "4"}, IllegalArgumentException, "'4' partitions"),
        ({"name": ""}, TopologyException, "name of a DataFrame"),
        ({"name": "taken"}, TopologyException, "already"),
        ({"consumed": Serdes.String()}, ClassCastException, "cannot be read with"),
    ],
)
def test_a_wrong_argument_is_refused(
    arguments: dict[str, Any], error: type[Exception], said: str
) -> None:
    builder = StreamsBuilder()
    builder.fromDataFrame(ORDERS, value="amount", name="taken")
    with pytest.raises(error, match=said):
        builder.fromDataFrame(ORDERS, **arguments)


@pytest.mark.parametrize("frame", [None, "orders", [("ann", 1)]])
def test_something_else_than_a_dataframe_is_refused(frame: Any) -> None:
    with pytest.raises(ClassCastException, match="is not a DataFrame"):
        StreamsBuilder().fromDataFrame(frame, key="user")


def test_a_decimal_has_the_serde_that_is_given() -> None:
    builder = StreamsBuilder()
    consumed = Consumed.with_(Serdes.String(), Serdes.String())
    builder.fromDataFrame(ORDERS, key="user", value="price", consumed=consumed, name="o")
    assert "o" in builder.build().frames.inputs


def test_a_global_table_needs_a_key() -> None:
    with pytest.raises(IllegalArgumentException, match="needs a key"):
        StreamsBuilder().globalTableFromDataFrame(ORDERS, key=None)  # type: ignore[arg-type]


def test_a_schema_cannot_run() -> None:
    stream = StreamsBuilder().fromDataFrame(ORDERS, key="user", value="amount")
    with pytest.raises(IllegalArgumentException, match="is only a schema"):
        stream.toDataFrame()


def test_what_only_kafka_streams_can_do_is_refused() -> None:
    builder = StreamsBuilder()
    orders = builder.fromDataFrame(ORDERS, key="user", value="amount")
    orders.to("orders")
    with pytest.raises(UnsupportedOperationException, match='cannot write "orders"'):
        orders.toDataFrame()


def test_an_output_may_be_asked_for_again() -> None:
    builder = StreamsBuilder()
    orders = builder.fromDataFrame(ORDERS, key="user", value="amount")
    counts = orders.groupByKey().count()
    for ask in (orders.toDataFrame, counts.toDataFrame):
        for name in ("counts" + str(ask == orders.toDataFrame), None, None):
            with pytest.raises(IllegalArgumentException, match="is only a schema"):
                ask(name=name)
    sinks = [line for line in str(builder.build().describe()).splitlines() if "Sink:" in line]
    assert len(sinks) == 2
    with pytest.raises(TopologyException, match="already"):
        counts.toDataFrame(name="countsTrue")


@pytest.mark.parametrize("config", ["orders", None, 3])
def test_a_configuration_is_a_mapping(config: Any) -> None:
    stream = StreamsBuilder().fromDataFrame(ORDERS, key="user", value="amount")
    with pytest.raises(ClassCastException, match="config cannot be"):
        stream.toDataFrame(config)


def test_a_topology_without_dataframes_has_no_session() -> None:
    stream = StreamsBuilder().stream("orders")
    with pytest.raises(TopologyException, match="reads no DataFrame"):
        stream.toDataFrame()


def test_a_foreign_key_join_is_refused() -> None:
    builder = StreamsBuilder()
    orders = builder.fromDataFrame(ORDERS, key="user", value="amount").toTable()
    items = builder.fromDataFrame(ORDERS, key="amount", value="user").toTable()
    joined = orders.join(items, lambda amount: amount, lambda amount, user: user)
    with pytest.raises(UnsupportedOperationException, match="feedback topic"):
        joined.toDataFrame()


def test_kafka_streams_refuses_dataframes() -> None:
    builder = StreamsBuilder()
    builder.fromDataFrame(ORDERS, key="user", value="amount", name="purchases").foreach(print)
    with pytest.raises(UnsupportedOperationException, match='DataFrame "purchases"'):
        KafkaStreams(builder.build(), CONFIG)
