"""Ports as a type checker sees them: sessions, cogroups, queries. Checked, never run."""

# pyright: strict
from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import assert_type

from millstream import (
    Consumed,
    DeserializationExceptionHandler,
    ErrorHandlerContext,
    Grouped,
    JsonSerde,
    KafkaStreams,
    KStream,
    KTable,
    Materialized,
    QueryableStoreTypes,
    ReadOnlyKeyValueStore,
    Serdes,
    SessionWindows,
    SlidingWindows,
    StoreQueryParameters,
    StreamsBuilder,
    StreamsException,
    StreamsUncaughtExceptionHandler,
    Topology,
    ValueAndTimestamp,
    Windowed,
)


@dataclass(frozen=True)
class Basket:
    """What a customer has put in."""

    items: int = 0
    cents: int = 0

    def plus(self, cents: int) -> Basket:
        return Basket(self.items + 1, self.cents + cents)


TEXT, NUMBER = Serdes.String(), Serdes.Long()
BASKET = JsonSerde.of(Basket)


def sessions() -> Topology:
    builder = StreamsBuilder()
    clicks = builder.stream("clicks", Consumed.with_(TEXT, NUMBER))
    # From this annotation mypy knows what the lambdas get; pyright needs none.
    merged: KTable[Windowed[str], Basket] = (
        clicks.groupByKey()
        .windowedBy(SessionWindows.ofInactivityGapWithNoGrace(1000))
        .aggregate(
            Basket,
            lambda _, cents, basket: basket.plus(cents),
            lambda _, one, other: Basket(one.items + other.items, one.cents + other.cents),
            Materialized.with_(TEXT, BASKET),
        )
    )
    assert_type(merged, KTable[Windowed[str], Basket])
    sliding = (
        clicks.groupByKey()
        .windowedBy(SlidingWindows.ofTimeDifferenceWithNoGrace(1000))
        .aggregate(lambda: 0, lambda _, cents, total: total + cents)
    )
    assert_type(sliding, KTable[Windowed[str], int])
    return builder.build()


def baskets() -> Topology:
    builder = StreamsBuilder()
    clicks = builder.stream("clicks", Consumed.with_(TEXT, NUMBER))
    kept: Materialized[str, Basket, object] = Materialized.as_("baskets")
    table: KTable[str, Basket] = clicks.groupByKey().aggregate(
        Basket, lambda _, cents, basket: basket.plus(cents), kept
    )
    assert_type(table, KTable[str, Basket])
    # A function with annotations tells it to both.
    named = clicks.groupByKey().aggregate(
        lambda: Basket(),
        add_click,
        Materialized.as_("named").withKeySerde(TEXT).withValueSerde(BASKET),
    )
    assert_type(named, KTable[str, Basket])
    costs = table.mapValues(lambda basket: basket.cents)
    assert_type(costs, KTable[str, int])
    stream = costs.toStream()
    assert_type(stream, KStream[str, int])
    return builder.build()


def cogrouped() -> Topology:
    builder = StreamsBuilder()
    clicks = builder.stream("clicks", Consumed.with_(TEXT, NUMBER)).groupByKey()
    names = builder.stream("names", Consumed.with_(TEXT, TEXT)).groupByKey(
        Grouped.with_(TEXT, TEXT)
    )
    table = clicks.cogroup(add_click).cogroup(names, add_name).aggregate(Basket)
    assert_type(table, KTable[str, Basket])
    return builder.build()


def add_click(key: str, cents: int, basket: Basket) -> Basket:
    return basket.plus(cents)


def add_name(key: str, name: str, basket: Basket) -> Basket:
    return basket.plus(len(name))


def queried(topology: Topology) -> None:
    with KafkaStreams(topology, {"application.id": "a", "bootstrap.servers": "b:1"}) as streams:
        streams.setStateListener(told)
        streams.setUncaughtExceptionHandler(handle)
        streams.start()
        store = streams.store(
            StoreQueryParameters.fromNameAndType("x", QueryableStoreTypes.keyValueStore())
        )
        first = store.get("a")
        print(first)
        timed: ReadOnlyKeyValueStore[str, ValueAndTimestamp[int]] = streams.store(
            StoreQueryParameters.fromNameAndType(
                "x", QueryableStoreTypes.timestampedKeyValueStore()
            )
        )
        found = timed.get("a")
        assert_type(found, ValueAndTimestamp[int] | None)


def told(new: KafkaStreams.State, old: KafkaStreams.State) -> None:
    if new is KafkaStreams.State.RUNNING:
        print(old.name)


def handle(error: Exception) -> StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse:
    assert isinstance(error, StreamsException)
    return StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse.SHUTDOWN_CLIENT


class Skips(DeserializationExceptionHandler):
    """Skips what cannot be read."""

    def handleError(
        self, context: ErrorHandlerContext, record: object, exception: Exception
    ) -> DeserializationExceptionHandler.Response:
        return DeserializationExceptionHandler.Response.resume()
