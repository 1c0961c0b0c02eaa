"""Ports as a type checker sees them: word count, windowed count, anomalies. Checked, never run."""

# pyright: strict
from __future__ import annotations

from datetime import timedelta

from typing_extensions import assert_type

from millstream import (
    Consumed,
    Grouped,
    KeyValue,
    KGroupedStream,
    KStream,
    KTable,
    Materialized,
    Named,
    Produced,
    Serdes,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
    Windowed,
    WindowedSerdes,
)


def word_count() -> Topology:
    builder = StreamsBuilder()
    text, number = Serdes.String(), Serdes.Long()
    lines = builder.stream("lines", Consumed.with_(text, text))
    assert_type(lines, KStream[str, str])
    words = lines.flatMapValues(lambda line: line.lower().split())
    assert_type(words, KStream[str, str])
    grouped = words.groupBy(lambda _, word: word, Grouped.with_(text, text))
    assert_type(grouped, KGroupedStream[str, str])
    counts = grouped.count(Named.as_("count"), Materialized.as_("counts"))
    assert_type(counts, KTable[str, int])
    counts.toStream().to("counts", Produced.with_(text, number))
    return builder.build()


def windowed_count() -> Topology:
    builder = StreamsBuilder()
    text = Serdes.String()
    clicks = builder.stream("clicks", Consumed.with_(text, text))
    windows = TimeWindows.ofSizeAndGrace(timedelta(minutes=5), timedelta(seconds=30))
    counts = (
        clicks.groupByKey()
        .windowedBy(windows)
        .count(Materialized.with_(text, Serdes.Long()))
        .suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()))
    )
    assert_type(counts, KTable[Windowed[str], int])
    flat = counts.toStream(lambda window, _: f"{window.key()}@{window.window().start()}")
    assert_type(flat, KStream[str, int])
    flat.to("out", Produced.with_(text, Serdes.Long()))
    counts.toStream().to(
        "windows", Produced.with_(WindowedSerdes.timeWindowedSerdeFrom(str, 300_000), Serdes.Long())
    )
    return builder.build()


def anomalies() -> Topology:
    builder = StreamsBuilder()
    text = Serdes.String()
    views = builder.stream("views", Consumed.with_(text, text))
    by_user = views.map(lambda _, user: KeyValue.pair(user, 1))
    assert_type(by_user, KStream[str, int])
    often = (
        by_user.groupByKey(Grouped.with_(text, Serdes.Long()))
        .windowedBy(TimeWindows.ofSizeWithNoGrace(60_000))
        .reduce(lambda total, one: total + one)
        .filter(lambda _, count: count >= 3)
    )
    assert_type(often, KTable[Windowed[str], int])
    told = (
        often.toStream()
        .filter(lambda _, count: count > 0)
        .map(lambda window, count: KeyValue(str(window), count))
    )
    assert_type(told, KStream[str, int])
    return builder.build()
