"""Topologies over serdes with a registry: defaults by Java's names, subjects, failures."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka.schema_registry.error import SchemaRegistryError

from compat_tests.serdes.registry.support import Mock, Order
from millstream import (
    Consumed,
    LogAndContinueExceptionHandler,
    Materialized,
    MockSchemaRegistryClient,
    PrimitiveAvroSerde,
    Produced,
    SchemaRegistryAuthenticationException,
    SchemaRegistryUnavailableException,
    Serdes,
    SpecificAvroSerde,
    StreamsBuilder,
    StreamsException,
    TopologyTestDriver,
)

AVRO = "io.confluent.kafka.streams.serdes.avro"
DEFAULTS = {
    "application.id": "app",
    "default.key.serde": f"{AVRO}.PrimitiveAvroSerde",
    "default.value.serde": f"{AVRO}.SpecificAvroSerde",
}


def totals() -> Any:
    builder = StreamsBuilder()
    builder.stream("orders").groupBy(lambda k, order: order.id).aggregate(
        lambda: Order("", 0),
        lambda k, order, total: Order(k, total.amount + order.amount, "total"),
        Materialized.as_("totals"),
    ).toStream().to("out")
    return builder.build()


def test_default_serdes_by_java_s_names_use_the_application_s_registry(mock: Mock) -> None:
    keys = mock.of(PrimitiveAvroSerde(str), key=True)
    values = mock.of(SpecificAvroSerde(Order))
    with TopologyTestDriver(totals(), {**DEFAULTS, "schema.registry.url": mock.url}) as driver:
        orders = driver.createInputTopic("orders", keys.serializer(), values.serializer())
        out = driver.createOutputTopic("out", keys.deserializer(), values.deserializer())
        orders.pipeInput("k", Order("a", 3))
        orders.pipeInput("k", Order("a", 4))
        assert [pair.value for pair in out.readKeyValuesToList()] == [
            Order("a", 3, "total"),
            Order("a", 7, "total"),
        ]
    internal = ("app-totals-changelog", "app-totals-repartition")
    assert mock.client.getAllSubjects() == sorted(
        f"{topic}-{role}" for topic in (*internal, "orders", "out") for role in ("key", "value")
    )


def test_a_default_serde_without_a_registry_is_told_by_its_entry() -> None:
    with pytest.raises(StreamsException, match="Failed to configure key serde") as caught:
        TopologyTestDriver(totals(), DEFAULTS)
    missing = 'Missing required configuration "schema.registry.url" which has no default value.'
    assert missing in str(caught.value.__cause__)


class Failing(MockSchemaRegistryClient):
    """A registry that answers with an HTTP status only."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self.status = status

    def get_schema(self, *arguments: Any, **named: Any) -> Any:
        del arguments, named
        raise SchemaRegistryError(self.status, self.status, "cannot answer")

    register_schema_full_response = get_schema


def copied(client: Any) -> Any:
    serde: Any = SpecificAvroSerde(Order, client=client)
    serde.configure({}, False)
    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(Serdes.String(), serde)).to(
        "out", Produced.with_(Serdes.String(), Serdes.String())
    )
    return builder.build()


SKIPPING = {
    "deserialization.exception.handler": LogAndContinueExceptionHandler,
    "processing.exception.handler": "org.apache.kafka.streams.errors."
    "LogAndContinueProcessingExceptionHandler",
}


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (503, SchemaRegistryUnavailableException),
        (401, SchemaRegistryAuthenticationException),
    ],
)
def test_a_registry_that_fails_stops_the_task_and_drops_nothing(status: int, kind: Any) -> None:
    with TopologyTestDriver(copied(Failing(status)), SKIPPING) as driver:
        raw = Serdes.ByteArray().serializer()
        topic = driver.createInputTopic("in", raw, raw)
        with pytest.raises(StreamsException) as caught:
            topic.pipeInput(b"k", b"\0\0\0\0\x01\x02a\x02\0")
    assert isinstance(caught.value.__cause__, kind)
    told = str(caught.value)
    for part in ("in-0 at offset 0", "schema for id 1", "No exception handler is asked"):
        assert part in told


def test_a_schema_that_the_registry_does_not_know_is_for_the_handler() -> None:
    with TopologyTestDriver(copied(Failing(404)), SKIPPING) as driver:
        raw = Serdes.ByteArray().serializer()
        driver.createInputTopic("in", raw, raw).pipeInput(b"k", b"\0\0\0\0\x01\x02a\x02\0")
        name, group = "dropped-records-total", "stream-task-metrics"
        dropped = [
            metric.metricValue()
            for found, metric in driver.metrics().items()
            if found.name() == name and found.group() == group
        ]
        assert dropped == [1.0]


def test_a_sink_whose_registry_fails_stops_the_task(mock: Mock) -> None:
    serde: Any = SpecificAvroSerde(Order, client=Failing(503))
    serde.configure({}, False)
    builder = StreamsBuilder()
    text = Serdes.String()
    builder.stream("in", Consumed.with_(text, text)).mapValues(lambda v: Order(v, 1)).to(
        "out", Produced.with_(text, serde)
    )
    handler = {
        **SKIPPING,
        "production.exception.handler": lambda context, record, error: pytest.fail("asked"),
    }
    with TopologyTestDriver(builder.build(), handler) as driver:
        topic = driver.createInputTopic("in", text.serializer(), text.serializer())
        with pytest.raises(StreamsException) as caught:
            topic.pipeInput("k", "v")
    assert isinstance(caught.value.__cause__, SchemaRegistryUnavailableException)
    assert 'the subject "out-value"' in str(caught.value)
    assert "in-0 at offset 0" in str(caught.value)


def test_a_store_s_serde_whose_registry_fails_stops_the_task() -> None:
    serde: Any = SpecificAvroSerde(Order, client=Failing(503))
    serde.configure({}, False)
    builder = StreamsBuilder()
    text = Serdes.String()
    builder.stream("in", Consumed.with_(text, text)).groupByKey().aggregate(
        lambda: Order("", 0), lambda k, v, a: a, Materialized.with_(text, serde)
    )
    with TopologyTestDriver(
        builder.build(), {**SKIPPING, "cache.max.bytes.buffering": 0}
    ) as driver:
        topic = driver.createInputTopic("in", text.serializer(), text.serializer())
        with pytest.raises(StreamsException) as caught:
            topic.pipeInput("k", "v")
    assert isinstance(caught.value.__cause__, SchemaRegistryUnavailableException)
    assert "-changelog-value" in str(caught.value)
