"""An Avro application with a schema registry: exactly once, while its schemas evolve."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.serdes.registry.support import (
    URL,
    NewOrder,
    OldOrder,
    configured,
)
from compat_tests.spark.support import Playground
from millstream import (
    ConfigException,
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    PrimitiveAvroSerde,
    Produced,
    SpecificAvroSerde,
    StreamsBuilder,
    Topology,
)
from millstream.testing.registry import EmbeddedRegistry

EXACTLY_ONCE = "exactly_once_v2"


def totals(source: str, target: str, keys: Any, orders: Any, kind: Any) -> Topology:
    def add(key: str, order: Any, total: Any) -> Any:
        total.amount += order.amount
        if hasattr(order, "note"):
            total.note = order.note
        return total

    builder = StreamsBuilder()
    (
        builder.stream(source, Consumed.with_(keys, orders))
        .groupBy(lambda key, order: order.id, Grouped.with_(keys, orders))
        .aggregate(
            lambda: kind(id="sum", amount=0),
            add,
            Materialized.as_("totals").withKeySerde(keys).withValueSerde(orders),
        )
        .toStream()
        .to(target, Produced.with_(keys, orders))
    )
    return builder.build()


def test_an_application_goes_on_exactly_once_while_its_schemas_evolve(
    play: Playground, spark: Any, registry: EmbeddedRegistry
) -> None:
    source, target = play.topic("orders"), play.topic("totals", partitions=1)
    keys = configured(PrimitiveAvroSerde(str), registry.url, key=True)
    old = configured(SpecificAvroSerde(OldOrder), registry.url)
    new = configured(SpecificAvroSerde(NewOrder), registry.url)

    def produce(*orders: Any) -> None:
        write_key, write_value = keys.serializer().serialize, new.serializer().serialize
        play.produce(
            source,
            [(write_key(source, o.id), write_value(source, o), 1000) for o in orders],
        )

    def results(count: int) -> list[Any]:
        read = new.deserializer().deserialize
        return [read(target, value) for _, value in play.pairs(target, count)]

    config = play.config(processing_guarantee=EXACTLY_ONCE, statestore_cache_max_bytes=0)
    first = totals(source, target, keys, old, OldOrder)
    with KafkaStreams(first, config, spark=spark) as streams:
        streams.start()
        produce(OldOrder("a", 1), OldOrder("a", 2))
        assert results(2) == [NewOrder("sum", 1, "none"), NewOrder("sum", 3, "none")]
        # The writer is ahead of the application, which does not see the new field.
        produce(NewOrder("a", 3, "gift"))
        assert results(3)[2:] == [NewOrder("sum", 6, "none")]
    produce(OldOrder("a", 4), NewOrder("a", 5, "rush"))
    second = totals(source, target, keys, new, NewOrder)
    with KafkaStreams(second, config, spark=spark) as streams:
        streams.start()
        # The store's records of the first schema are read with the second one.
        assert results(5)[3:] == [NewOrder("sum", 10, "none"), NewOrder("sum", 15, "rush")]
        produce(NewOrder("a", 6, "last"))
        assert results(6)[5:] == [NewOrder("sum", 21, "last")]
    assert len(play.pairs(target, 6, more=1)) == 6
    subjects = sorted(each for each in client(registry).getAllSubjects() if play.name in each)
    store = f"{play.name}-totals"
    assert subjects == sorted(
        f"{topic}-{role}"
        for topic in (source, target, f"{store}-repartition", f"{store}-changelog")
        for role in ("key", "value")
    )
    assert client(registry).getAllVersions(f"{store}-changelog-value") == [1, 2]


@pytest.mark.parametrize("where", ["configuration", "serde"])
def test_a_mock_registry_is_refused_at_the_start(where: str, play: Playground, spark: Any) -> None:
    url = "mock://spark"
    keys = configured(PrimitiveAvroSerde(str), url, key=True)
    orders = configured(SpecificAvroSerde(OldOrder), url)
    topology = totals(play.topic("in"), play.topic("out"), keys, orders, OldOrder)
    entries = {URL: url} if where == "configuration" else {}
    with pytest.raises(ConfigException, match="a mock registry cannot be used on Spark"):
        KafkaStreams(topology, {**play.config(), **entries}, spark=spark).start()


def client(registry: EmbeddedRegistry) -> Any:
    from millstream import CachedSchemaRegistryClient

    return CachedSchemaRegistryClient(registry.url)
