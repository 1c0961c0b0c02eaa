"""Runs of records as chunks must not be told from the same records one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.conformance.own_windows import own_windows
from compat_tests.topology.running import KEYS, Event, run
from millstream import (
    Consumed,
    Grouped,
    KeyValue,
    KStream,
    KTable,
    LogAndContinueProcessingExceptionHandler,
    Materialized,
    Produced,
    Serdes,
    SessionWindows,
    Stores,
    StreamsBuilder,
    TimeWindows,
)

TEXT = Serdes.String()
LONG = Serdes.Long()


def boom(value: Any, result: Any) -> Any:
    """Return ``result``, unless the value says to fail."""
    if value is not None and "!" in value:
        raise ValueError(value)
    return result


def lazy(value: str) -> Any:
    for word in value.split():
        yield boom(word, word)


def pair(key: Any, value: Any) -> Any:
    return KeyValue(key, value) if key == "a" else (value, key) if key else None


STREAM_STEPS: dict[str, Callable[[KStream[Any, Any]], KStream[Any, Any]]] = {
    "filter": lambda s: s.filter(lambda k, v: boom(v, v is not None and len(v) > 1)),
    "filterNot": lambda s: s.filterNot(lambda k, v: k == "b"),
    "mapValues": lambda s: s.mapValues(lambda v: boom(v, v and v + "x")),
    "mapValuesWithKey": lambda s: s.mapValues(lambda k, v: f"{k}:{v}"),
    "map": lambda s: s.map(pair),
    "selectKey": lambda s: s.selectKey(lambda k, v: boom(v, v and v[0])),
    "flatMapValues": lambda s: s.flatMapValues(lambda v: v.split()),
    "lazyFlatMapValues": lambda s: s.flatMapValues(lazy),
    "flatMap": lambda s: s.flatMap(lambda k, v: [(k, v), KeyValue(v, boom(v, k))]),
    "flatMapToPairs": lambda s: s.flatMap(
        lambda k, v: [KeyValue.pair(word, k) for word in boom(v, v).split()]
    ),
    "flatMapToTuples": lambda s: s.flatMap(lambda k, v: tuple((word, k) for word in v.split())),
    "peek": lambda s: s.peek(lambda k, v: boom(v, None)),
}

TABLE_STEPS: dict[str, Callable[[KTable[Any, Any]], KTable[Any, Any]]] = {
    "filter": lambda t: t.filter(lambda k, v: boom(str(v), len(str(v)) % 2 == 1)),
    "filterNot": lambda t: t.filterNot(
        lambda k, v: str(v).endswith("2"),
        Materialized.as_("not").withKeySerde(TEXT).withValueSerde(TEXT).withCachingDisabled(),
    ),
    "mapValues": lambda t: t.mapValues(lambda v: f"<{v}>"),
    "keptMapValues": lambda t: t.mapValues(
        lambda k, v: boom(str(v), str(v)), Materialized.as_("map").withKeySerde(TEXT)
    ),
}


def grouped(stream: KStream[Any, Any]) -> Any:
    return stream.groupByKey(Grouped.with_(TEXT, TEXT))


def kept(name: str, value: Any, *, cached: bool) -> Materialized[Any, Any, Any]:
    chosen = Materialized.as_(name).withKeySerde(TEXT).withValueSerde(value)
    return chosen if cached else chosen.withCachingDisabled()


def nothing_for_dots(key: str, value: str | None, total: str) -> Any:
    return boom(value, None if value == "." else f"{total}{value}")


class SometimesFailing(TimeWindows):
    """Windows that some times have none of."""

    @staticmethod
    def ofSizeAndGrace(size: Any, afterWindowEnd: Any) -> SometimesFailing:
        return SometimesFailing(sizeMs=size, advanceMs=size, grace_ms=afterWindowEnd)

    def windowsFor(self, timestamp: int) -> dict[int, Any]:
        if timestamp % 7 == 3:
            raise ValueError(timestamp)
        return dict(reversed(TimeWindows.windowsFor(self, timestamp).items()))


AGGREGATIONS: dict[str, Callable[[Any, bool], KTable[Any, Any]]] = {
    "count": lambda g, c: g.count(kept("agg", LONG, cached=c)),
    "reduce": lambda g, c: g.reduce(lambda a, b: boom(b, f"{a}{b}"), kept("agg", TEXT, cached=c)),
    "aggregate": lambda g, c: g.aggregate(str, nothing_for_dots, kept("agg", TEXT, cached=c)),
}

WINDOWS = {
    "none": None,
    "tumbling": TimeWindows.ofSizeWithNoGrace(10),
    "graceful": TimeWindows.ofSizeAndGrace(10, 15),
    "hopping": TimeWindows.ofSizeAndGrace(10, 5).advanceBy(4),
    "own": own_windows({"type": "slots", "size": 10, "advance": 4, "length": 7, "grace": 5}),
    "failing": SometimesFailing.ofSizeAndGrace(10, 5),
}

keys = st.sampled_from([None, *KEYS])
values = st.sampled_from([None, "x", "yy", "y z", "z !w q", ".", "!"])


def events_with(headers: list[bytes | None]) -> st.SearchStrategy[list[Event]]:
    event = st.builds(
        Event,
        key=keys,
        value=values,
        timestamp=st.integers(0, 60),
        header=st.sampled_from(headers),
        commit=st.sampled_from([False, False, False, True]),
    )
    return st.lists(event, max_size=40)


# Chunks without any headers take the fastest ways, so they must be common.
events = st.one_of(events_with([None]), events_with([None, b"h"]))
config = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    "default.key.serde": TEXT,
    "default.value.serde": TEXT,
}


@given(st.lists(st.sampled_from(sorted(STREAM_STEPS)), max_size=4), events)
@settings(max_examples=150, deadline=None)
def test_stateless_operations_do_the_same_by_chunks(steps: list[str], given: list[Event]) -> None:
    builder = StreamsBuilder()
    stream: KStream[Any, Any] = builder.stream("in", Consumed.with_(TEXT, TEXT))
    for step in steps:
        stream = STREAM_STEPS[step](stream)
    stream.to("out", Produced.with_(TEXT, TEXT))
    plan = builder.build().plan()
    assert run(plan, config, given, by_chunks=True) == run(plan, config, given, by_chunks=False)


@given(
    st.sampled_from(sorted(AGGREGATIONS)),
    st.sampled_from(sorted(WINDOWS)),
    st.booleans(),
    st.sampled_from([0, 400, 100_000]),
    st.lists(st.sampled_from(sorted(TABLE_STEPS)), unique=True, max_size=2),
    events,
)
@settings(max_examples=400, deadline=None)
def test_aggregations_do_the_same_by_chunks(
    aggregation: str,
    window: str,
    cached: bool,
    cache_bytes: int,
    steps: list[str],
    given: list[Event],
) -> None:
    builder = StreamsBuilder()
    groups = grouped(builder.stream("in", Consumed.with_(TEXT, TEXT)))
    windows = WINDOWS[window]
    table = AGGREGATIONS[aggregation](
        groups if windows is None else groups.windowedBy(windows), cached
    )
    if windows is None and steps:
        table = table.mapValues(str)  # counts are not text
        for step in steps:
            table = TABLE_STEPS[step](table)
    shown: KStream[Any, Any] = table.toStream(lambda k, v: str(k)).mapValues(
        lambda v: None if v is None else str(v)
    )
    shown.to("out", Produced.with_(TEXT, TEXT))
    plan = builder.build().plan()
    given_config = config | {"statestore.cache.max.bytes": cache_bytes}
    whole = run(plan, given_config, given, by_chunks=True)
    assert whole == run(plan, given_config, given, by_chunks=False)


@given(st.booleans(), st.sampled_from([0, 400, 100_000]), events)
@settings(max_examples=100, deadline=None)
def test_tables_of_topics_do_the_same_by_chunks(
    named: bool, cache_bytes: int, given: list[Event]
) -> None:
    builder = StreamsBuilder()
    options = (kept("rows", TEXT, cached=True),) if named else ()
    table = builder.table("in", Consumed.with_(TEXT, TEXT), *options)
    table.filter(lambda k, v: len(v) > 1).toStream().to("out", Produced.with_(TEXT, TEXT))
    plan = builder.build().plan()
    given_config = config | {"statestore.cache.max.bytes": cache_bytes}
    whole = run(plan, given_config, given, by_chunks=True)
    assert whole == run(plan, given_config, given, by_chunks=False)


def grown(key: str, value: str | None, words: list[str]) -> list[str]:
    words.append(boom(value, value or ""))
    return words


def merged_words(key: str, one: list[str], two: list[str]) -> list[str]:
    one.extend(two)
    return one


SESSION_AGGREGATIONS: dict[str, Callable[[Any, Any], KTable[Any, Any]]] = {
    "count": lambda g, m: g.count(m),
    "reduce": lambda g, m: g.reduce(lambda a, b: boom(b, f"{a}{b}"), m),
    "aggregate": lambda g, m: g.aggregate(str, nothing_for_dots, lambda k, a, b: f"{a}|{b}", m),
    "grown": lambda g, m: g.aggregate(list, grown, merged_words, m),
}
SERDES = {"count": LONG, "grown": Serdes.JsonSerde()}
FULL = 400
"""Bytes of a cache that a few entries fill."""


@given(
    st.sampled_from(sorted(SESSION_AGGREGATIONS)),
    st.sampled_from([(5, 0), (5, 15), (0, 0), (1, 100_000)]),
    st.booleans(),
    st.sampled_from([0, FULL, 100_000]),
    st.sampled_from(["in_memory", "rocksDB"]),
    st.booleans(),
    events,
)
@settings(max_examples=400, deadline=None)
def test_sessions_do_the_same_by_chunks(
    aggregation: str,
    gap_and_grace: tuple[int, int],
    cached: bool,
    cache_bytes: int,
    store: str,
    sends_old: bool,
    given: list[Event],
) -> None:
    same_sessions(aggregation, gap_and_grace, cached, cache_bytes, store, sends_old, given)


def test_the_same_expired_sessions_are_still_in_a_full_cache() -> None:
    """Which entries it has depends on what was used last; the store has expired the others."""
    times = [("cc", 0), ("a", 0), ("b", 0), ("a", 6), ("a", 12), ("cc", 0)]
    given = [Event(key, None, time, None, commit=time == 6) for key, time in times]
    same_sessions("count", (5, 0), True, FULL, "in_memory", False, given)


def same_sessions(
    aggregation: str,
    gap_and_grace: tuple[int, int],
    cached: bool,
    cache_bytes: int,
    store: str,
    sends_old: bool,
    given: list[Event],
) -> None:
    """Assert that sessions are the same by chunks and record by record."""
    builder = StreamsBuilder()
    groups = grouped(builder.stream("in", Consumed.with_(TEXT, TEXT)))
    windowed = groups.windowedBy(SessionWindows.ofInactivityGapAndGrace(*gap_and_grace))
    chosen = kept("agg", SERDES.get(aggregation, TEXT), cached=cached)
    table = SESSION_AGGREGATIONS[aggregation](windowed, chosen)
    if sends_old:
        table = table.filter(lambda k, v: v is not None)
    shown: KStream[Any, Any] = table.toStream(lambda k, v: str(k)).mapValues(
        lambda v: None if v is None else str(v)
    )
    shown.to("out", Produced.with_(TEXT, TEXT))
    plan = builder.build().plan()
    given_config = config | {"statestore.cache.max.bytes": cache_bytes, "default.dsl.store": store}
    whole = run(plan, given_config, given, by_chunks=True)
    assert whole == run(plan, given_config, given, by_chunks=False)


@given(
    st.sampled_from(sorted(WINDOWS)),
    st.booleans(),
    st.sampled_from([None, Stores.lruMap("agg", 2)]),
    events,
)
@settings(max_examples=150, deadline=None)
def test_aggregates_that_are_changed_in_place_or_forgotten_do_the_same_by_chunks(
    window: str, cached: bool, supplier: Any, given: list[Event]
) -> None:
    builder = StreamsBuilder()
    groups = grouped(builder.stream("in", Consumed.with_(TEXT, TEXT)))
    windows = WINDOWS[window]
    materialized = kept("agg", Serdes.JsonSerde(), cached=cached)
    if windows is not None:
        table = groups.windowedBy(windows).aggregate(list, grown, materialized)
    elif supplier is not None:
        forgetful = Materialized.as_(supplier).withKeySerde(TEXT).withValueSerde(Serdes.JsonSerde())
        table = groups.aggregate(list, grown, forgetful)
    else:
        table = groups.aggregate(list, grown, materialized)
    shown: KStream[Any, Any] = table.toStream(lambda k, v: str(k)).mapValues(str)
    shown.to("out", Produced.with_(TEXT, TEXT))
    plan = builder.build().plan()
    whole = run(plan, config, given, by_chunks=True)
    assert whole == run(plan, config, given, by_chunks=False)
