"""What a type checker makes of lambdas with conditional results; checked, never run."""

from __future__ import annotations

from typing_extensions import assert_type

from millstream import (
    Consumed,
    JoinWindows,
    KeyValue,
    KStream,
    KTable,
    Materialized,
    Named,
    Serdes,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
    Windowed,
)

text, number = Serdes.String(), Serdes.Long()
builder = StreamsBuilder()
lines = builder.stream("lines", Consumed.with_(text, text))
table = builder.table("table", Consumed.with_(text, text))
kept = Materialized.with_(text, number)
grouped = lines.groupByKey()

assert_type(
    grouped.aggregate(lambda: 0, lambda k, v, a: a + 1 if v == "x" else a, kept), KTable[str, int]
)
assert_type(
    grouped.aggregate(lambda: 0, lambda k, v, a: a + 1 if v == "x" else a), KTable[str, int]
)
assert_type(
    grouped.aggregate(lambda: 0, lambda k, v, a: a + len(v) if v else None, Named.as_("n"), kept),
    KTable[str, int],
)
hours = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(5))
assert_type(
    hours.aggregate(lambda: 0, lambda k, v, a: a + 1 if v == "x" else a, kept),
    KTable[Windowed[str], int],
)
sessions = grouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(5))
sessions.aggregate(
    lambda: 0, lambda k, v, a: a + 1 if v else a, lambda k, a, b: a + b if a else b, kept
)
sliding = grouped.windowedBy(SlidingWindows.ofTimeDifferenceWithNoGrace(5))
assert_type(sliding.reduce(lambda a, b: a + b if b else None), KTable[Windowed[str], str])
regrouped = table.groupBy(lambda k, v: KeyValue.pair(v, k))
assert_type(
    regrouped.aggregate(
        lambda: 0,
        lambda k, v, a: a + 1 if v == "x" else a,
        lambda k, v, a: a - 1 if v == "x" else a,
        kept,
    ),
    KTable[str, int],
)
assert_type(
    regrouped.reduce(lambda a, b: a + b if b else a, lambda a, b: a if b else b), KTable[str, str]
)
assert_type(lines.mapValues(lambda v: len(v) if v else 0), KStream[str, int])
assert_type(lines.map(lambda k, v: (v, len(v) if v else 0)), KStream[str, int])
assert_type(lines.selectKey(lambda k, v: v if k else k), KStream[str, str])
assert_type(
    lines.join(lines, lambda a, b: len(a) if b else 0, JoinWindows.ofTimeDifferenceWithNoGrace(5)),
    KStream[str, int],
)
assert_type(table.mapValues(lambda v: len(v) if v else 0, kept), KTable[str, int])
