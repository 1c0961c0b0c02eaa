"""Changes that need a word, or are refused."""

from __future__ import annotations

from typing import Any

from compat_tests.spark.evolution.case import (
    CONVERTED,
    DROPPED,
    FIRST,
    LONG,
    MORE,
    NEEDS_WORD,
    NEW,
    REFUSED,
    RENUMBERED,
    RESULTS,
    SAME,
    TEXT,
    Case,
    Program,
    Topics,
    encoded,
    grouped,
    shown,
    texts,
)
from millstream import (
    Consumed,
    Materialized,
    SessionWindows,
    SlidingWindows,
    Stores,
    StreamsBuilder,
    TimeWindows,
    Topology,
)

UTF_16, ASCII = encoded("utf-16"), encoded("ascii")
TEN_TIMES = "compat_tests.spark.evolution.cases_words.ten_times"


def ten_times(value: bytes) -> bytes:
    """A count as text instead of eight bytes, ten times as large to be noticed."""
    return str(int.from_bytes(value, "big") * 10).encode()


def count(name: str = "counts", value: Any = LONG, key: Any = TEXT) -> Program:
    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        how: Any = Materialized.as_(name).withKeySerde(key).withValueSerde(value)
        stream = grouped(texts(builder, t("in")))
        if value is LONG:
            shown(stream.count(how), t("out"))
        else:
            plus_one = lambda key, value, total: str(int(total) + 1)  # noqa: E731 - sent by value
            shown(stream.aggregate(lambda: "0", plus_one, how), t("out"))
        return builder.build()

    return program


def counts(*names: str) -> Program:
    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        stream = texts(builder, t("in"))
        for name in names:
            shown(grouped(stream).count(Materialized.as_(name)), t(f"{name}-out"))
        if not names:
            stream.to(t("copied"))
        return builder.build()

    return program


def windowed(windows: Any) -> Program:
    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        table = grouped(texts(builder, t("in"))).windowedBy(windows).count(Materialized.as_("w"))
        shown(table, t("out"))
        return builder.build()

    return program


def versioned(retention: int, interval: int | None = None) -> Program:
    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        supplier = Stores.persistentVersionedKeyValueStore("rows", retention, interval)
        shown(
            builder.table(t("in"), Consumed.with_(TEXT, TEXT), Materialized.as_(supplier)),
            t("out"),
        )
        return builder.build()

    return program


def with_rates(value: Any) -> Program:
    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        builder.globalTable(t("rates"), Consumed.with_(TEXT, value), Materialized.as_("rates"))
        shown(grouped(texts(builder, t("in"))).count(Materialized.as_("counts")), t("out"))
        return builder.build()

    return program


def supplied(plain: bool) -> Program:
    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        make = (
            Stores.persistentKeyValueStore if plain else Stores.persistentTimestampedKeyValueStore
        )
        shown(grouped(texts(builder, t("in"))).count(Materialized.as_(make("counts"))), t("out"))
        return builder.build()

    return program


def words(**entries: str) -> dict[str, Any]:
    return {f"millstream_state_{name}": text for name, text in entries.items()}


HEADERS = {"dsl_store_format": "headers"}
CASES: dict[str, Case] = {
    "a store less": Case(
        before=counts("one", "two"),
        after=counts("one"),
        stores={"one": SAME, "two": NEEDS_WORD},
    ),
    "a store less, with a word": Case(
        before=counts("one", "two"),
        after=counts("one"),
        stores={"one": SAME, "two": DROPPED},
        then=words(drop="two"),
        first=FIRST,
        more=MORE,
        results={"one-out": RESULTS["out"]},
    ),
    "all stores less, with words": Case(
        before=counts("one", "two"),
        after=counts(),
        stores={"one": DROPPED, "two": DROPPED},
        then=words(drop="one,two"),
        first=FIRST,
        more=MORE,
        results={"copied": {"c": "v"}},
    ),
    "another name": Case(
        before=counts("one"), after=counts("two"), stores={"two": NEW, "one": NEEDS_WORD}
    ),
    "another name, with a word": Case(
        before=counts("one"),
        after=counts("two"),
        stores={"two": RENUMBERED},
        formers={"two": "one"},
        then=words(rename="one:two"),
        first=FIRST,
        more=MORE,
        results={"two-out": RESULTS["out"]},
    ),
    "names that move on, with words": Case(
        before=counts("one", "two"),
        after=counts("two", "three"),
        stores={"two": RENUMBERED, "three": RENUMBERED},
        formers={"two": "one", "three": "two"},
        then=words(rename="one:two,two:three"),
        first=FIRST,
        more=MORE,
        results={"two-out": RESULTS["out"], "three-out": RESULTS["out"]},
    ),
    "another value serde": Case(
        before=count(), after=count(value=TEXT), stores={"counts": NEEDS_WORD}
    ),
    "another value serde, with a converter": Case(
        before=count(),
        after=count(value=TEXT),
        stores={"counts": CONVERTED},
        then=words(convert=f"counts:{TEN_TIMES}"),
        first=FIRST,
        more=MORE,
        results={"out": {"a": "21", "b": "11", "c": "1"}},
    ),
    "another value serde and headers, with a converter": Case(
        before=count(),
        after=count(value=TEXT),
        stores={"counts": CONVERTED},
        then=words(convert=f"counts:{TEN_TIMES}") | HEADERS,
        first=FIRST,
        more=MORE,
        results={"out": {"a": "21", "b": "11", "c": "1"}},
    ),
    "another name and another value serde, with words": Case(
        before=count(),
        after=count("texts", value=TEXT),
        stores={"texts": CONVERTED},
        formers={"texts": "counts"},
        then=words(rename="counts:texts", convert=f"texts:{TEN_TIMES}"),
        first=FIRST,
        more=MORE,
        results={"out": {"a": "21", "b": "11", "c": "1"}},
    ),
    "a serde that reads the same bytes": Case(
        before=count(value=TEXT),
        after=count(value=ASCII),
        stores={"counts": SAME},
        then={"millstream_store_changed_ok": "counts"},
        in_place=True,
        first=FIRST,
        more=MORE,
        results=RESULTS,
    ),
    "another key serde": Case(before=count(), after=count(key=UTF_16), stores={"counts": REFUSED}),
    "another key serde, begun empty": Case(
        before=count(),
        after=count(key=UTF_16),
        stores={"counts": NEW, "former counts": DROPPED},
        then=words(drop="counts"),
        first=FIRST,
        more=MORE,
        results={"out": {"a": "1", "b": "1", "c": "1"}},
    ),
    "another size of windows": Case(
        before=windowed(TimeWindows.ofSizeWithNoGrace(1000)),
        after=windowed(TimeWindows.ofSizeWithNoGrace(2000)),
        stores={"w": REFUSED},
    ),
    "windows that begin more often": Case(
        before=windowed(TimeWindows.ofSizeWithNoGrace(1000)),
        after=windowed(TimeWindows.ofSizeWithNoGrace(1000).advanceBy(500)),
        stores={"w": REFUSED},
    ),
    "windows that begin more often, by a word": Case(
        before=windowed(TimeWindows.ofSizeWithNoGrace(1000)),
        after=windowed(TimeWindows.ofSizeWithNoGrace(1000).advanceBy(500)),
        stores={"w": SAME},
        then={"millstream_store_changed_ok": "w"},
        in_place=True,
    ),
    "hopping windows of which some are left": Case(
        before=windowed(TimeWindows.ofSizeWithNoGrace(1000).advanceBy(500)),
        after=windowed(TimeWindows.ofSizeWithNoGrace(1000)),
        stores={"w": SAME},
        in_place=True,
    ),
    "sliding windows instead of others": Case(
        before=windowed(TimeWindows.ofSizeWithNoGrace(1000)),
        after=windowed(SlidingWindows.ofTimeDifferenceWithNoGrace(1000)),
        stores={"w": REFUSED},
    ),
    "other windows instead of sliding ones": Case(
        before=windowed(SlidingWindows.ofTimeDifferenceWithNoGrace(1000)),
        after=windowed(TimeWindows.ofSizeWithNoGrace(1000)),
        stores={"w": REFUSED},
    ),
    "sessions instead of windows": Case(
        before=windowed(TimeWindows.ofSizeWithNoGrace(1000)),
        after=windowed(SessionWindows.ofInactivityGapWithNoGrace(1000)),
        stores={"w": REFUSED},
    ),
    "versions in other segments": Case(
        before=versioned(60_000), after=versioned(600_000), stores={"rows": REFUSED}
    ),
    "versions kept longer in the same segments": Case(
        before=versioned(60_000),
        after=versioned(600_000, 20_000),
        stores={"rows": SAME},
        in_place=True,
        first=FIRST,
        more=MORE,
        results={"out": {"a": "v"}},
    ),
    "headers are left out again": Case(
        before=count(), after=count(), config=HEADERS, stores={"counts": REFUSED}
    ),
    "times are left out": Case(
        before=supplied(plain=False), after=supplied(plain=True), stores={"counts": REFUSED}
    ),
    "more partitions": Case(
        before=count(), after=count(), partitions=(2, 3), stores={"counts": NEEDS_WORD}
    ),
    "a global table with another serde": Case(
        before=with_rates(TEXT),
        after=with_rates(LONG),
        stores={"counts": SAME, "rates": NEW},
        first=FIRST,
        more=MORE,
        results=RESULTS,
    ),
}
