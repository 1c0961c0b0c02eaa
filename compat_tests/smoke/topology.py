"""Topology of the smoke test: that of Kafka Streams' own in meaning, and a relational part."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from compat_tests.smoke.data import FLUSH, LIMIT
from millstream import (
    Consumed,
    Deduplicated,
    Grouped,
    KeyValue,
    KGroupedStream,
    KStream,
    KTable,
    Materialized,
    Produced,
    Serdes,
    Stores,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)

TEXT, INT, LONG, DOUBLE = Serdes.String(), Serdes.Integer(), Serdes.Long(), Serdes.Double()

PARTS = ("numbers", "relational")
SOURCES = ("data", "customers", "rates", "orders", "trades", "payments", "hops")
WRITTEN_AND_READ = ("min", "max", "sum", "cnt")
SINKS = ("echo", "sws-suppressed", "min-suppressed", "dif", "avg", "spread", "tagg")
RELATIONAL_SINKS = ("joined", "priced", "once", "hopped")
SPARE, SPARE_OUT = "spare", "spare-out"
"""Topics of the small second application."""
TOPICS = (*SOURCES, *WRITTEN_AND_READ, *SINKS, *RELATIONAL_SINKS)


def smoke(parts: Sequence[str] = PARTS) -> Topology:
    """Return the topology of some parts."""
    builder = StreamsBuilder()
    if "numbers" in parts:
        _numbers(builder)
    if "relational" in parts:
        _relational(builder)
    return builder.build()


def _numbers(builder: StreamsBuilder) -> None:
    data: KStream[str, int] = builder.stream("data", Consumed.with_(TEXT, INT))
    data.filterNot(_is_flush).to("echo", Produced.with_(TEXT, INT))
    grouped = data.groupByKey(Grouped.with_(TEXT, INT))
    difference, average = _extremes(builder, grouped), _sums(builder, grouped)
    # So both are in one sub-topology: each stage of Spark costs workers.
    spread = difference.join(average, lambda difference, average: difference / average)
    spread.toStream().to("spread", Produced.with_(TEXT, DOUBLE))
    _suppressed(grouped)


def spare() -> Topology:
    """Return the topology of the small second application: it passes on what it reads."""
    builder = StreamsBuilder()
    numbers: KStream[str, int] = builder.stream(SPARE, Consumed.with_(TEXT, INT))
    numbers.to(SPARE_OUT, Produced.with_(TEXT, INT))
    return builder.build()


def _is_flush(key: str, _: Any) -> bool:
    return key == FLUSH


def _kept(name: str, serde: Any) -> Any:
    """A store without a cache, so that every update is seen."""
    return Materialized.as_(name).withKeySerde(TEXT).withValueSerde(serde).withCachingDisabled()


def _written(table: KTable[Any, Any], topic: str, serde: Any) -> None:
    plain = table.toStream(lambda windowed, _: windowed.key())
    plain.filterNot(_is_flush).to(topic, Produced.with_(TEXT, serde))


def _extremes(builder: StreamsBuilder, grouped: KGroupedStream[str, int]) -> KTable[str, int]:
    days = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(timedelta(days=2)))
    least = days.aggregate(lambda: LIMIT - 1, lambda _, v, a: min(v, a), _kept("min-of-all", INT))
    most = days.aggregate(lambda: -LIMIT, lambda _, v, a: max(v, a), _kept("max-of-all", INT))
    _written(least, "min", INT)
    _written(most, "max", INT)
    low: KTable[str, int] = builder.table(
        "min", Consumed.with_(TEXT, INT), Materialized.as_("min-table")
    )
    high: KTable[str, int] = builder.table(
        "max", Consumed.with_(TEXT, INT), Materialized.as_("max-table")
    )
    difference = high.join(low, lambda most, least: most - least)
    difference.toStream().to("dif", Produced.with_(TEXT, INT))
    return difference


def _sums(builder: StreamsBuilder, grouped: KGroupedStream[str, int]) -> KTable[str, float]:
    days = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(timedelta(days=2)))
    total = days.aggregate(lambda: 0, lambda _, v, a: v + a, _kept("sum-of-all", LONG))
    _written(total, "sum", LONG)
    _written(days.count(_kept("count-of-all", LONG)), "cnt", LONG)
    sums: KTable[str, int] = builder.table("sum", Consumed.with_(TEXT, LONG))
    counts: KTable[str, int] = builder.table(
        "cnt", Consumed.with_(TEXT, LONG), Materialized.as_("count-table")
    )
    average = sums.join(counts, lambda total, count: total / count)
    average.toStream().to("avg", Produced.with_(TEXT, DOUBLE))
    by_count = counts.groupBy(
        lambda _, count: KeyValue(str(count), 1), Grouped.with_(TEXT, LONG)
    ).aggregate(
        lambda: 0,
        lambda _, one, sofar: sofar + one,
        lambda _, one, sofar: sofar - one,
        Materialized.as_("keys-by-count").withKeySerde(TEXT).withValueSerde(LONG),
    )
    by_count.toStream().to("tagg", Produced.with_(TEXT, LONG))
    return average


def _suppressed(grouped: KGroupedStream[str, int]) -> None:
    closed = Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())
    seconds = TimeWindows.ofSizeAndGrace(timedelta(seconds=2), timedelta(seconds=30))
    sums = grouped.windowedBy(seconds.advanceBy(timedelta(seconds=1))).reduce(lambda a, b: a + b)
    minute = TimeWindows.ofSizeAndGrace(timedelta(seconds=20), timedelta(seconds=5))
    least = grouped.windowedBy(minute).aggregate(
        lambda: LIMIT - 1,
        lambda _, value, sofar: min(value, sofar),
        Materialized.as_("min-of-window").withValueSerde(INT),
    )
    for table, topic in ((sums, "sws-suppressed"), (least, "min-suppressed")):
        stream = table.suppress(closed).toStream()
        stream.filterNot(lambda windowed, _: windowed.key() == FLUSH).map(
            lambda windowed, value: KeyValue(_window_text(windowed), value)
        ).to(topic, Produced.with_(TEXT, INT))


def _window_text(windowed: Any) -> str:
    window = windowed.window()
    return f"{windowed.key()}@{window.start()}/{window.end()}"


def _relational(builder: StreamsBuilder) -> None:
    texts = Consumed.with_(TEXT, TEXT)
    orders: KTable[str, str] = builder.table("orders", texts)
    customers: KTable[str, str] = builder.table("customers", texts)
    joined = orders.join(customers, _customer_of, lambda order, customer: f"{order}|{customer}")
    joined.toStream().to("joined", Produced.with_(TEXT, TEXT))

    history: Any = Materialized.as_(
        Stores.persistentVersionedKeyValueStore("rates-of-old", timedelta(days=1))
    )
    rates: KTable[str, int] = builder.table("rates", Consumed.with_(TEXT, INT), history)
    trades: KStream[str, int] = builder.stream("trades", Consumed.with_(TEXT, INT))
    trades.join(rates, lambda amount, rate: amount * rate).to("priced", Produced.with_(TEXT, LONG))

    payments: KStream[str, str] = builder.stream("payments", texts)
    payments.deduplicate(
        _payment_number, timedelta(days=1), Deduplicated.as_("payments-seen").withIdSerde(TEXT)
    ).to("once", Produced.with_(TEXT, TEXT))

    hops: KStream[str, int] = builder.stream("hops", Consumed.with_(TEXT, INT))
    counted = hops.groupByKey(Grouped.with_(TEXT, INT)).count(_kept("hops-counted", LONG))
    counted.toStream().to("hopped", Produced.with_(TEXT, LONG))
    # The topic leads back: what is written here is read again.
    hops.filter(lambda _, left: left > 0).mapValues(lambda left: left - 1).to(
        "hops", Produced.with_(TEXT, INT)
    )


def _customer_of(order: str) -> str:
    return order.split("|")[1]


def _payment_number(_: str, payment: str) -> str:
    return payment.split(":")[0]
