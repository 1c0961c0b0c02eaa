"""Stores with generated names: their numbers shift, and they are recognised by what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compat_tests.spark.evolution.case import (
    DROPPED,
    FIRST,
    MORE,
    NEEDS_WORD,
    NEW,
    RENUMBERED,
    RESULTS,
    SAME,
    TEXT,
    Case,
    Program,
    Topics,
    grouped,
    lines,
    shown,
    texts,
)
from millstream import (
    BufferConfig,
    Consumed,
    JoinWindows,
    Materialized,
    Produced,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)

Change = Callable[[Any], Any]


def store(number: int, kind: str = "KSTREAM-AGGREGATE-STATE-STORE") -> str:
    """A generated name of a store."""
    return f"{kind}-{number:010d}"


def same(stream: Any) -> Any:
    return stream


def filtered(stream: Any) -> Any:
    return stream.filter(lambda key, value: True)


def built(*parts: Callable[[StreamsBuilder, Topics], None]) -> Program:
    """A program of several parts, in this order."""

    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        for part in parts:
            part(builder, t)
        return builder.build()

    return program


def count(source: str = "in", target: str = "out", change: Change = same, **how: Any) -> Any:
    """The count of a topic's records in a store without a name."""

    def part(builder: StreamsBuilder, t: Topics) -> None:
        stream = change(texts(builder, t(source)))
        named = how.get("store")
        table = grouped(stream).count(*([] if named is None else [Materialized.as_(named)]))
        shown(table, t(target))

    return part


def twice(change: Change, *targets: str) -> Any:
    """Two counts of one stream."""

    def part(builder: StreamsBuilder, t: Topics) -> None:
        stream = change(texts(builder, t("in")))
        for target in targets:
            shown(grouped(stream).count(), t(target))

    return part


def count_and_reduce(change: Change) -> Any:
    def part(builder: StreamsBuilder, t: Topics) -> None:
        stream = change(texts(builder, t("in")))
        shown(grouped(stream).count(), t("out"))
        shown(grouped(stream).reduce(lambda one, other: one + other), t("joined"))

    return part


def closed(change: Change) -> Any:
    """Counts by window, held back until the windows close."""

    def part(builder: StreamsBuilder, t: Topics) -> None:
        windows = TimeWindows.ofSizeWithNoGrace(60_000)
        table = grouped(change(texts(builder, t("in")))).windowedBy(windows).count()
        shown(table.suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded())), t("out"))

    return part


def pairs(change: Change, how: str = "join", store: str = "") -> Any:
    def part(builder: StreamsBuilder, t: Topics) -> None:
        left, right = change(texts(builder, t("in"))), texts(builder, t("b"))
        windows = JoinWindows.ofTimeDifferenceWithNoGrace(60_000)
        options = StreamJoined.with_(TEXT, TEXT, TEXT)
        if store:
            options = options.withStoreName(store)
        joined = getattr(left, how)(right, lambda one, other: f"{one}{other}", windows, options)
        joined.to(t("out"), Produced.with_(TEXT, TEXT))

    return part


def itself(*, optimised: bool, store: str = "") -> Program:
    """A join of a stream with itself: two stores, or one if the optimiser is on."""

    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        stream = texts(builder, t("in"))
        windows = JoinWindows.ofTimeDifferenceWithNoGrace(60_000)
        options = StreamJoined.with_(TEXT, TEXT, TEXT)
        if store:
            options = options.withStoreName(store)
        joined = stream.join(stream, lambda one, other: one + other, windows, options)
        joined.to(t("out"), Produced.with_(TEXT, TEXT))
        return builder.build({"topology.optimization": "all"}) if optimised else builder.build()

    return program


def table_lookup(change: Change) -> Any:
    def part(builder: StreamsBuilder, t: Topics) -> None:
        stream = change(texts(builder, t("in")))
        table = builder.table(t("b"), Consumed.with_(TEXT, TEXT))
        found = stream.join(table, lambda value, row: value + row)
        found.to(t("out"), Produced.with_(TEXT, TEXT))

    return part


def by_foreign_key(builder: StreamsBuilder, t: Topics) -> None:
    left = builder.table(t("in"), Consumed.with_(TEXT, TEXT))
    right = builder.table(t("b"), Consumed.with_(TEXT, TEXT))
    joined = left.join(right, lambda value: value, lambda one, other: f"{one} {other}")
    joined.toStream().to(t("out"), Produced.with_(TEXT, TEXT))


def copied(builder: StreamsBuilder, t: Topics) -> None:
    filtered(texts(builder, t("c"))).to(t("c-out"), Produced.with_(TEXT, TEXT))


def of_topics(*topics: str) -> Any:
    def part(builder: StreamsBuilder, t: Topics) -> None:
        stream: Any = builder.stream([t(topic) for topic in topics], Consumed.with_(TEXT, TEXT))
        shown(grouped(stream).count(), t("out"))

    return part


def goes_on(before: Program, after: Program, formers: dict[str, str], **fields: Any) -> Case:
    """A change after which stores go on under other names."""
    stores = dict.fromkeys(formers, RENUMBERED) | fields.pop("stores", {})
    fields.setdefault("first", FIRST)
    fields.setdefault("more", MORE)
    fields.setdefault("results", RESULTS)
    return Case(before=before, after=after, stores=stores, formers=formers, **fields)


JOINED: dict[str, Any] = {
    "first": [("in", "a", "x", 1000), ("b", "c", "y", 1000)],
    "more": [("b", "a", "y", 2000), ("in", "c", "z", 2000)],
    "results": {"out": {"a": "xy", "c": "zy"}},
}
CASES: dict[str, Case] = {
    "a filter above a store without a name": goes_on(
        built(count()), built(count(change=filtered)), {store(2): store(1)}
    ),
    "a filter less above a store without a name": goes_on(
        built(count(change=filtered)), built(count()), {store(1): store(2)}
    ),
    "an operator above all others": goes_on(
        built(count(), count("b", "b-out")),
        built(copied, count(), count("b", "b-out")),
        {store(4): store(1), store(11): store(8)},
    ),
    "the name of a store comes to another one": goes_on(
        built(count()),
        built(count("b", "b-out"), count()),
        {store(8): store(1)},
        stores={store(1): NEW},
    ),
    "two stores change places": goes_on(
        built(count(), count("b", "b-out")),
        built(count("b", "b-out"), count()),
        {store(1): store(8), store(8): store(1)},
    ),
    "windows and a suppression": goes_on(
        built(closed(same)),
        built(closed(filtered)),
        {
            store(2): store(1),
            store(5, "KTABLE-SUPPRESS-STATE-STORE"): store(4, "KTABLE-SUPPRESS-STATE-STORE"),
        },
        more=[*MORE, *lines("in", "z", 200)],
    ),
    "a join of streams": goes_on(
        built(pairs(same)),
        built(pairs(filtered)),
        {
            "KSTREAM-JOINTHIS-0000000005-store": "KSTREAM-JOINTHIS-0000000004-store",
            "KSTREAM-JOINOTHER-0000000006-store": "KSTREAM-JOINOTHER-0000000005-store",
        },
        **JOINED,
    ),
    "a join with itself gets one store": Case(
        before=itself(optimised=False),
        after=itself(optimised=True),
        stores={
            "KSTREAM-JOINTHIS-0000000003-store": SAME,
            "KSTREAM-JOINOTHER-0000000004-store": DROPPED,
        },
        then={"topology_optimization": "all"},
        first=[("in", "a", "x", 1000)],
        more=[("in", "a", "y", 2000)],
        results={"out": {"a": "yy"}},
    ),
    "a join with itself gets one store of two with names": Case(
        before=itself(optimised=False, store="pairs"),
        after=itself(optimised=True, store="pairs"),
        stores={"pairs-this-join-store": SAME, "pairs-other-join-store": DROPPED},
        then={"topology_optimization": "all"},
        first=[("in", "a", "x", 1000)],
        more=[("in", "a", "y", 2000)],
        results={"out": {"a": "yy"}},
    ),
    "a join with itself gets two stores with names": Case(
        before=itself(optimised=True, store="pairs"),
        after=itself(optimised=False, store="pairs"),
        stores={"pairs-this-join-store": SAME, "pairs-other-join-store": NEEDS_WORD},
        config={"topology_optimization": "all"},
    ),
    "a join with itself gets two stores": Case(
        before=itself(optimised=True),
        after=itself(optimised=False),
        stores={
            "KSTREAM-JOINTHIS-0000000003-store": SAME,
            "KSTREAM-JOINOTHER-0000000004-store": NEEDS_WORD,
        },
        config={"topology_optimization": "all"},
    ),
    "an inner join becomes a left one": goes_on(
        built(pairs(same)),
        built(pairs(same, "leftJoin")),
        {"KSTREAM-OUTEROTHER-0000000005-store": "KSTREAM-JOINOTHER-0000000005-store"},
        stores={
            "KSTREAM-JOINTHIS-0000000004-store": SAME,
            "KSTREAM-OUTERSHARED-0000000004-store": NEW,
        },
        **JOINED,
    ),
    "an inner join with a name becomes an outer one": goes_on(
        built(pairs(same, store="pairs")),
        built(pairs(same, "outerJoin", store="pairs")),
        {
            "pairs-outer-this-join-store": "pairs-this-join-store",
            "pairs-outer-other-join-store": "pairs-other-join-store",
        },
        stores={"pairs-outer-shared-join-store": NEW},
        **JOINED,
    ),
    "a left join with a name becomes an outer one": goes_on(
        built(pairs(same, "leftJoin", store="pairs")),
        built(pairs(same, "outerJoin", store="pairs")),
        {
            "pairs-outer-this-join-store": "pairs-this-join-store",
            "pairs-outer-shared-join-store": "pairs-left-shared-join-store",
        },
        stores={"pairs-outer-other-join-store": SAME},
        **JOINED,
    ),
    "a table of a topic": goes_on(
        built(table_lookup(same)),
        built(table_lookup(filtered)),
        {"b-STATE-STORE-0000000002": "b-STATE-STORE-0000000001"},
        first=[("b", "a", "y", 1000)],
        more=[("in", "a", "x", 2000)],
        results={"out": {"a": "xy"}},
    ),
    "a join by foreign keys": goes_on(
        built(by_foreign_key),
        built(copied, by_foreign_key),
        {
            "in-STATE-STORE-0000000003": "in-STATE-STORE-0000000000",
            "b-STATE-STORE-0000000006": "b-STATE-STORE-0000000003",
            "KTABLE-FK-JOIN-SUBSCRIPTION-STATE-STORE-0000000013": (
                "KTABLE-FK-JOIN-SUBSCRIPTION-STATE-STORE-0000000010"
            ),
        },
        first=[("in", "a", "k", 1000)],
        more=[("b", "k", "y", 2000)],
        results={"out": {"a": "k y"}},
    ),
    "two kinds of aggregations of one stream": goes_on(
        built(count_and_reduce(same)),
        built(count_and_reduce(filtered)),
        {
            store(2): store(1),
            store(8, "KSTREAM-REDUCE-STATE-STORE"): store(7, "KSTREAM-REDUCE-STATE-STORE"),
        },
        results=RESULTS | {"joined": {"a": "vvv"}},
    ),
    "two alike that go to two topics": goes_on(
        built(twice(same, "out", "again")),
        built(twice(filtered, "out", "again")),
        {store(2): store(1), store(8): store(7)},
    ),
    "one of two alike is left out": Case(
        before=built(twice(same, "out", "again")),
        after=built(twice(same, "again")),
        stores={store(1): RENUMBERED, f"former {store(1)}": DROPPED},
        formers={store(1): store(7)},
        then={"millstream_state_drop": store(1)},
        first=FIRST,
        more=MORE,
        results={"again": RESULTS["out"]},
    ),
    "two alike that go to one topic": Case(
        before=built(twice(same, "out", "out")),
        after=built(twice(filtered, "out", "out")),
        stores=dict.fromkeys((store(1), store(2), store(7), store(8)), NEEDS_WORD),
    ),
    "two alike that go to one topic, with words": goes_on(
        built(twice(same, "out", "out")),
        built(twice(filtered, "out", "out")),
        {store(2): store(1), store(8): store(7)},
        then={"millstream_state_rename": f"{store(1)}:{store(2)},{store(7)}:{store(8)}"},
    ),
    "a store gets a name": goes_on(
        built(count()), built(count(store="counts")), {"counts": store(1)}
    ),
    "a store loses its name": Case(
        before=built(count(store="counts")),
        after=built(count()),
        stores={store(1): NEW, "counts": NEEDS_WORD},
    ),
    "a topic more in a source": Case(
        before=built(of_topics("in")),
        after=built(of_topics("in", "b")),
        stores={store(1): SAME},
        formers={},
        first=FIRST,
        more=MORE,
        results=RESULTS,
    ),
    "keys are chosen before the count": Case(
        before=built(count()),
        after=built(count(change=lambda stream: stream.selectKey(lambda key, value: value))),
        stores={store(2): NEEDS_WORD, store(1): NEEDS_WORD},
    ),
    "a count becomes a count of windows": Case(
        before=built(count()),
        after=built(closed(same)),
        stores={
            store(1): NEW,
            f"former {store(1)}": NEEDS_WORD,
            store(4, "KTABLE-SUPPRESS-STATE-STORE"): NEW,
        },
    ),
}
