"""Pictures of the kinds of joins: the results of each, record by record."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from millstream import JoinWindows, Materialized, Stores, StreamsBuilder
from tools.pictures.lanes import Adds, Lanes, draw
from tools.pictures.traces import OUT, Event

WINDOWS = JoinWindows.ofTimeDifferenceAndGrace(timedelta(minutes=5), timedelta(minutes=2))


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'none'} + {right or 'none'}"


def of_streams(method: str) -> Adds:
    def add(builder: StreamsBuilder) -> None:
        left, right = builder.stream("left"), builder.stream("right")
        getattr(left, method)(right, pair, WINDOWS).to(OUT)

    return add


def of_stream_and_table(method: str) -> Adds:
    def add(builder: StreamsBuilder) -> None:
        table = builder.table("right")
        getattr(builder.stream("left"), method)(table, pair).to(OUT)

    return add


def of_tables(method: str) -> Adds:
    def add(builder: StreamsBuilder) -> None:
        left, right = builder.table("left"), builder.table("right")
        getattr(left, method)(right, pair).toStream().to(OUT)

    return add


def of_foreign_keys(method: str) -> Adds:
    def add(builder: StreamsBuilder) -> None:
        orders, customers = builder.table("left"), builder.table("right")
        getattr(orders, method)(customers, lambda name: name, pair).toStream().to(OUT)

    return add


def of_global_table(method: str) -> Adds:
    def add(builder: StreamsBuilder) -> None:
        customers = builder.globalTable("right")
        orders = builder.stream("left")
        getattr(orders, method)(customers, lambda number, name: name, pair).to(OUT)

    return add


def of_table(kept: Callable[[], Any]) -> Adds:
    def add(builder: StreamsBuilder) -> None:
        prices = builder.table("right", materialized=kept())
        builder.stream("left").leftJoin(prices, pair).to(OUT)

    return add


def versions() -> Any:
    return Materialized.as_(Stores.inMemoryVersionedKeyValueStore("prices", timedelta(hours=1)))


STREAMS = Lanes(
    "join-streams",
    "Joins of two streams: 5 minutes apart at most, grace period 2 minutes",
    "A pair comes as soon as both records are there. A record without a partner comes when its "
    "window and the grace period are over, in a left join that of the left side, in an outer join "
    "that of either side.",
    {"left": "left stream", "right": "right stream"},
    {
        "join": of_streams("join"),
        "leftJoin": of_streams("leftJoin"),
        "outerJoin": of_streams("outerJoin"),
    },
    [
        *(Event(0, "A", "left"), Event(3, "x", "right"), Event(10, "B", "left")),
        *(Event(18, "y", "right"), Event(21, "C", "left"), Event(30, "z", "right")),
        *(Event(26, "D", "left"), Event(33, "w", "right"), Event(45, "E", "left")),
    ],
    marks={6: "late, in grace"},
)
STREAM_TABLE = Lanes(
    "join-stream-table",
    "A stream joined with a table: each record meets the row of its key",
    "Only records of the stream give results; a change of the table gives none.",
    {"left": "stream", "right": "table"},
    {"join": of_stream_and_table("join"), "leftJoin": of_stream_and_table("leftJoin")},
    [
        *(Event(0, "A", "left"), Event(1, "x", "right"), Event(2, "B", "left")),
        *(Event(3, "y", "right"), Event(4, "C", "left"), Event(5, None, "right")),
        Event(6, "D", "left"),
    ],
)
TABLES = Lanes(
    "join-tables",
    "Joins of two tables: the result is a table of pairs",
    "A change on either side changes the row of the result, and deletes it when a side that it "
    "needs is gone.",
    {"left": "left table", "right": "right table"},
    {
        "join": of_tables("join"),
        "leftJoin": of_tables("leftJoin"),
        "outerJoin": of_tables("outerJoin"),
    },
    [
        *(Event(0, "A", "left"), Event(1, "x", "right"), Event(2, "B", "left")),
        *(Event(3, None, "right"), Event(4, None, "left"), Event(5, "y", "right")),
    ],
)
FOREIGN_KEY = Lanes(
    "join-foreign-key",
    "A join by foreign key: each order names its customer",
    "One customer has many orders. A change of the customer changes the results of all of them.",
    {"left": "orders", "right": "customers"},
    {"join": of_foreign_keys("join"), "leftJoin": of_foreign_keys("leftJoin")},
    [
        *(Event(0, "anna", "left", "1"), Event(1, "Mill Ln", "right", "anna")),
        *(Event(2, "anna", "left", "2"), Event(3, "High St", "right", "anna")),
        *(Event(4, None, "left", "1"), Event(5, None, "right", "anna")),
    ],
    keyed=True,
    column=148,
)
GLOBAL = Lanes(
    "join-global",
    "A stream joined with a global table: any field of the record chooses the row",
    "Every task has the whole global table, so the keys of the two need not be equal, nor their "
    "numbers of partitions. A change of the table gives no result.",
    {"left": "orders", "right": "customers"},
    {"join": of_global_table("join"), "leftJoin": of_global_table("leftJoin")},
    [
        *(Event(0, "anna", "left", "1"), Event(1, "Mill Ln", "right", "anna")),
        *(Event(2, "anna", "left", "2"), Event(3, "High St", "right", "anna")),
        Event(4, "anna", "left", "3"),
    ],
    keyed=True,
    column=148,
)
VERSIONED = Lanes(
    "join-versioned",
    "A versioned table: a late record meets the row of its own time",
    "The order of minute 5 comes after the price of minute 10; the price of minute 8 comes last. "
    "A plain table has only the price that came last, a versioned one the price of each time.",
    {"left": "orders", "right": "prices"},
    {"plain table": of_table(lambda: Materialized.as_("prices")), "versioned": of_table(versions)},
    [
        *(Event(0, "100", "right"), Event(1, "A", "left"), Event(10, "120", "right")),
        *(Event(5, "B", "left"), Event(11, "C", "left"), Event(8, "110", "right")),
        Event(12, "D", "left"),
    ],
    marks={3: "late", 5: "late"},
)


def pictures() -> dict[str, str]:
    """Return the pictures by the names of their files."""
    kinds = (STREAMS, STREAM_TABLE, TABLES, FOREIGN_KEY, GLOBAL, VERSIONED)
    return {f"{kind.name}.svg": draw(kind) for kind in kinds}
