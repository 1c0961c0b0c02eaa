"""Avro, JSON and Protobuf in one application: on the test driver, and on Spark with a restart."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests.serdes.proto_classes import order_class
from compat_tests.spark.support import Playground, run_until
from millstream import (
    AvroSerde,
    Consumed,
    Grouped,
    JsonSerde,
    KafkaStreams,
    Materialized,
    Produced,
    ProtobufSerde,
    Serdes,
    StreamsBuilder,
    Topology,
    TopologyTestDriver,
    avro_record_class,
)

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@dataclass
class Payment:
    user: str
    amount: int
    at: datetime
    note: str | None = None


@dataclass(frozen=True)
class Total:
    amount: int = 0
    last: datetime | None = None


User = avro_record_class(
    {"type": "record", "name": "User", "fields": [{"name": "name", "type": "string"}]}
)
PAYMENTS = AvroSerde.of(Payment)
USERS = AvroSerde(User.avro_schema, User)
TOTALS = JsonSerde.of(Total)
Message = order_class()
MESSAGES: ProtobufSerde[Any] = ProtobufSerde(Message)
START = datetime(2024, 1, 1, tzinfo=timezone.utc)


@cache
def message_class() -> Any:
    """Return the class in whatever process; one made at run time is no part of a lambda."""
    return order_class()


def message(total: Total) -> Any:
    return message_class()(user=str(total.last), count=total.amount)


def program(source: str, target: str) -> Topology:
    builder = StreamsBuilder()
    payments = builder.stream(source, Consumed.with_(Serdes.String(), PAYMENTS))
    totals = payments.groupBy(
        lambda key, payment: User(payment.user), Grouped.with_(USERS, PAYMENTS)
    ).aggregate(
        Total,
        lambda user, payment, total: Total(total.amount + payment.amount, payment.at),
        Materialized.with_(USERS, TOTALS),
    )
    totals.toStream().mapValues(message).to(target, Produced.with_(USERS, MESSAGES))
    return builder.build()


def payment(number: int) -> Payment:
    return Payment("ab"[number % 2], number, START + timedelta(seconds=number))


EXPECTED = {
    30: {"a": (210, str(START + timedelta(seconds=28))), "b": (225, str(payment(29).at))},
    40: {"a": (380, str(START + timedelta(seconds=38))), "b": (400, str(payment(39).at))},
}


def found(pairs: list[tuple[Any, Any]]) -> dict[str, tuple[int, str]]:
    return {user.name: (each.count, each.user) for user, each in pairs}


def test_three_formats_in_one_application_on_the_test_driver() -> None:
    with TopologyTestDriver(program("in", "out")) as driver:
        topic = driver.createInputTopic("in", Serdes.String().serializer(), PAYMENTS.serializer())
        for number in range(40):
            topic.pipeInput("k", payment(number))
        out = driver.createOutputTopic("out", USERS.deserializer(), MESSAGES.deserializer())
        pairs = [(pair.key, pair.value) for pair in out.readKeyValuesToList()]
    assert found(pairs) == EXPECTED[40]


def test_three_formats_in_one_application_on_spark_over_a_restart(
    spark: SparkSession, play: Playground
) -> None:
    source, target = play.topic("in"), play.topic("out")
    config = play.config(processing_guarantee="exactly_once_v2")

    def send(numbers: range) -> None:
        written = [PAYMENTS.serializer().serialize(source, payment(each)) for each in numbers]
        # One partition, so that the last payment is the last.
        play.produce(source, [(b"k", data, n, 0) for n, data in zip(numbers, written, strict=True)])

    def totals() -> Any:
        records = play.read(target, 1)
        return found(
            [
                (
                    USERS.deserializer().deserialize(target, each.key()),
                    MESSAGES.deserializer().deserialize(target, each.value()),
                )
                for each in records
            ]
        )

    send(range(30))
    run_until(KafkaStreams(program(source, target), config, spark=spark), totals, EXPECTED[30])
    send(range(30, 40))
    run_until(KafkaStreams(program(source, target), config, spark=spark), totals, EXPECTED[40])
