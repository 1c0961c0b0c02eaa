"""The worked examples of KIP-914.

Kafka Streams gives the same results: scenarios ``own-kip-914-*``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.driving import TEXT, Row, outputs
from millstream import (
    BufferConfig,
    Consumed,
    Grouped,
    KTable,
    Materialized,
    Stores,
    StreamsBuilder,
    Suppressed,
    TopologyException,
)

READ = Consumed.with_(TEXT, TEXT)
AT_ONCE = Suppressed.untilTimeLimit(0, BufferConfig.unbounded())
Table = KTable[str, str]


def versioned(store: str, history_ms: int = 1000) -> Materialized[str, str, Any]:
    supplier = Stores.persistentVersionedKeyValueStore(store, history_ms)
    return Materialized.as_(supplier).withKeySerde(TEXT).withValueSerde(TEXT)


def plain(store: str) -> Materialized[str, str, Any]:
    return Materialized.as_(store).withKeySerde(TEXT).withValueSerde(TEXT)


def pair(left: str | None, right: str | None) -> str:
    return f"({left}, {right})"


def joined(rows: list[tuple[str, str, int]], left: Any, right: Any) -> list[Any]:
    """Value and time of the joins of tables A and B; all rows are for one key."""
    builder = StreamsBuilder()
    a = builder.table("A", READ, left("a"))
    a.join(builder.table("B", READ, right("b")), pair).toStream().to("out")
    given: list[Row] = [(topic, "k", value, time) for topic, value, time in rows]
    found = outputs(builder.build(), given)
    return [[(value, time) for _, value, time in each] for each in found]


OLDER = [("A", "a0", 0), ("A", "a4", 4), ("B", "b2", 2), ("B", "b1", 1)]


def test_without_versions_an_older_update_replaces_the_join_of_the_latest() -> None:
    assert joined(OLDER, plain, plain) == [[], [], [("(a4, b2)", 4)], [("(a4, b1)", 4)]]


def test_an_older_update_of_a_versioned_table_makes_no_join() -> None:
    assert joined(OLDER, versioned, versioned) == [[], [], [("(a4, b2)", 4)], []]


def test_the_example_against_joining_an_older_update_once() -> None:
    rows = [
        *(("A", "a0", 0), ("B", "b0", 0), ("A", "a4", 4)),
        *(("B", "b3", 3), ("B", "b2", 2), ("A", "a1", 1)),
    ]
    assert joined(rows, versioned, versioned) == [
        [],
        [("(a0, b0)", 0)],
        [("(a4, b0)", 4)],
        [("(a4, b3)", 4)],
        [],
        [],
    ]


def test_the_example_against_joining_an_older_update_with_all_versions() -> None:
    rows = [
        *(("A", "a0", 0), ("A", "a5", 5), ("B", "b2", 2)),
        *(("B", "b3", 3), ("B", "b4", 4), ("A", "a1", 1)),
    ]
    assert joined(rows, versioned, versioned) == [
        [],
        [],
        [("(a5, b2)", 5)],
        [("(a5, b3)", 5)],
        [("(a5, b4)", 5)],
        [],
    ]


def test_an_older_result_that_turns_out_wrong_is_not_corrected() -> None:
    rows = [("A", "a0", 0), ("B", "b2", 2), ("A", "a5", 5), ("A", "a1", 1)]
    assert joined(rows, versioned, versioned) == [[], [("(a0, b2)", 2)], [("(a5, b2)", 5)], []]


def test_of_a_versioned_and_a_plain_table_only_the_plain_one_joins_older_updates() -> None:
    rows = [("A", "a2", 2), ("B", "b5", 5), ("A", "a1", 1), ("B", "b3", 3), ("A", "a4", 4)]
    assert joined(rows, versioned, plain) == [
        [],
        [("(a2, b5)", 5)],
        [],
        [("(a2, b3)", 3)],
        [("(a4, b3)", 4)],
    ]


def test_a_foreign_key_join_leaves_older_updates_of_both_sides_out() -> None:
    builder = StreamsBuilder()
    right = builder.table("B", READ, versioned("b"))
    left = builder.table("A", READ, versioned("a"))
    left.join(right, lambda value: value[0], pair).toStream().to("out")
    rows: list[Row] = [
        *(("A", "k", "f-a0", 0), ("A", "k", "f-a5", 5)),
        *(("B", "f", "b2", 2), ("B", "f", "b3", 3), ("B", "f", "b4", 4)),
        *(("A", "k", "f-a1", 1), ("B", "f", "b1", 1), ("A", "k", "f-a9", 9)),
    ]
    assert outputs(builder.build(), rows) == [
        [],
        [],
        # A right update's results have its own time.
        [("k", "(f-a5, b2)", 2)],
        [("k", "(f-a5, b3)", 3)],
        [("k", "(f-a5, b4)", 4)],
        [],
        [],
        [("k", "(f-a9, b4)", 9)],
    ]


@pytest.mark.parametrize(("how", "missing"), [("join", False), ("leftJoin", True)])
def test_a_streams_record_meets_the_table_of_its_own_time(how: str, missing: bool) -> None:
    builder = StreamsBuilder()
    stream = builder.stream("A", READ)
    table = builder.table("B", READ, versioned("b", 100))
    getattr(stream, how)(table, pair).to("out")
    rows: list[Row] = [
        *(("B", "k", "b10", 10), ("B", "k", "b20", 20)),
        *(("A", "k", "a15", 15), ("A", "k", "a9", 9), ("A", "k", "a25", 25)),
        # Late, but in time for those that come after it.
        *(("B", "k", "b12", 12), ("A", "k", "a15", 15), ("A", "k", "a11", 11)),
        # Now all before 100 is older than the history.
        *(("B", "k", "b200", 200), ("A", "k", "a99", 99), ("A", "k", "a100", 100)),
    ]
    found = outputs(builder.build(), rows)
    alone = [[("k", "(a9, None)", 9)], [("k", "(a99, None)", 99)]] if missing else [[], []]
    assert found == [
        [],
        [],
        [("k", "(a15, b10)", 15)],
        alone[0],
        [("k", "(a25, b20)", 25)],
        [],
        [("k", "(a15, b12)", 15)],
        [("k", "(a11, b10)", 11)],
        [],
        alone[1],
        [("k", "(a100, b20)", 100)],
    ]


REPEATED: list[Row] = [("in", "k", "v1", 1), ("in", "k", "-", 2), ("in", "k", "-", 4)]
REPEATED.append(("in", "k", "v2", 3))


def filtered(kept: Any) -> list[Any]:
    builder = StreamsBuilder()
    table = builder.table("in", READ, kept("rows"))
    table.filter(lambda _, value: value != "-").toStream().to("out")
    return outputs(builder.build(), REPEATED)


def test_a_filter_of_a_versioned_table_repeats_tombstones() -> None:
    assert filtered(versioned) == [
        [("k", "v1", 1)],
        [("k", None, 2)],
        [("k", None, 4)],
        [("k", "v2", 3)],
    ]


def test_a_filter_of_a_plain_table_drops_repeated_tombstones() -> None:
    assert filtered(plain) == [[("k", "v1", 1)], [("k", None, 2)], [], [("k", "v2", 3)]]


UPDATES: list[Row] = [("in", "k", "v1", 1), ("in", "k", "v2", 10), ("in", "k", "v3", 5)]


def aggregated(derive: Callable[[StreamsBuilder], Table]) -> list[Any]:
    """What a regrouped table's aggregation adds and removes for three updates."""
    builder = StreamsBuilder()
    table = derive(builder)
    table.groupBy(lambda key, value: (key, value), Grouped.with_(TEXT, TEXT)).aggregate(
        lambda: "",
        lambda _, value, old: f"{old}+{value}",
        lambda _, value, old: f"{old}-{value}",
        plain("aggregate"),
    ).toStream().to("out")
    return [[value for _, value, _ in each] for each in outputs(builder.build(), UPDATES)]


WITHOUT_THE_OLDER = [["+v1"], ["+v1-v1+v2"], []]
WITH_THE_OLDER = [["+v1"], ["+v1-v1+v2"], ["+v1-v1+v2-v2+v3"]]


def source(builder: StreamsBuilder, kept: Any = versioned) -> Table:
    return builder.table("in", READ, kept("rows"))


DERIVED: dict[str, tuple[Callable[[StreamsBuilder], Table], list[Any]]] = {
    "a versioned table": (source, WITHOUT_THE_OLDER),
    "a plain table": (lambda b: source(b, plain), WITH_THE_OLDER),
    "a filter of a versioned one": (
        lambda b: source(b).filter(lambda *_: True),
        WITHOUT_THE_OLDER,
    ),
    "mapped values": (lambda b: source(b).mapValues(lambda value: value), WITHOUT_THE_OLDER),
    "mapped values in a plain store": (
        lambda b: source(b).mapValues(lambda value: value, plain("mapped")),
        WITH_THE_OLDER,
    ),
    "a stream made a table": (lambda b: source(b).toStream().toTable(), WITH_THE_OLDER),
    "a stream made a versioned table": (
        lambda b: source(b).toStream().toTable(versioned("again")),
        WITHOUT_THE_OLDER,
    ),
}


@pytest.mark.parametrize("table", DERIVED)
def test_an_aggregation_leaves_out_older_updates_of_versioned_tables_only(table: str) -> None:
    derive, expected = DERIVED[table]
    assert aggregated(derive) == expected


def test_count_and_reduce_leave_them_out_too() -> None:
    builder = StreamsBuilder()
    table = source(builder)
    by_value = table.groupBy(lambda _, value: (value, value), Grouped.with_(TEXT, TEXT))
    by_value.count().toStream().mapValues(str).to("out")
    assert outputs(builder.build(), UPDATES) == [
        [("v1", "1", 1)],
        [("v1", "0", 10), ("v2", "1", 10)],
        [],
    ]
    builder = StreamsBuilder()
    by_key = source(builder).groupBy(lambda key, value: (key, value), Grouped.with_(TEXT, TEXT))
    by_key.reduce(lambda a, b: f"{a}+{b}", lambda a, b: f"{a}-{b}").toStream().to("out")
    assert outputs(builder.build(), UPDATES) == [
        [("k", "v1", 1)],
        [("k", "v1-v1+v2", 10)],
        [],
    ]


REFUSED: dict[str, Callable[[Table], Table]] = {
    "itself": lambda table: table,
    "a filter of it": lambda table: table.filter(lambda *_: True),
    "its mapped values": lambda table: table.mapValues(lambda value: value),
}


@pytest.mark.parametrize("table", REFUSED)
def test_suppress_refuses_a_versioned_table(table: str) -> None:
    builder = StreamsBuilder()

    def build() -> None:
        # The table itself is refused at once, one computed from it by build().
        REFUSED[table](source(builder)).suppress(AT_ONCE)
        builder.build()

    with pytest.raises(TopologyException, match="only supported for non-versioned KTables"):
        build()


PLAIN_AGAIN: dict[str, Callable[[StreamsBuilder, Table], Table]] = {
    "a plain store": lambda _, table: table.mapValues(lambda value: value, plain("mapped")),
    "a join": lambda b, table: table.join(b.table("o", READ, versioned("others")), pair),
    "an aggregation": lambda _, table: table.groupBy(
        lambda key, value: (key, value), Grouped.with_(TEXT, TEXT)
    ).reduce(lambda _, new: new, lambda old, _: old),
    "a foreign-key join": lambda b, table: table.join(
        b.table("o", READ, versioned("others")), lambda value: value, pair
    ),
}


@pytest.mark.parametrize("table", PLAIN_AGAIN)
def test_what_ends_the_versions_lets_suppress_follow(table: str) -> None:
    builder = StreamsBuilder()
    PLAIN_AGAIN[table](builder, source(builder)).suppress(AT_ONCE)
    builder.build()


def test_a_global_table_cannot_be_versioned() -> None:
    builder = StreamsBuilder()
    with pytest.raises(TopologyException, match="cannot be versioned"):
        builder.globalTable("in", READ, versioned("rows"))
