"""Joins of every kind, with rows and records that wait for a partner at the seams."""

from __future__ import annotations

from typing import Any

from compat_tests.relay.parts import STREAM, TEXTS, Json, Part, relay, to

NEAR = {"diff": 400, "grace": 300}
OTHER = {"other": "string"}
CANNOT_RESTORE = "Kafka Streams 4.3.1 cannot restore that buffer"


def _table(topic: str, store: str, **given: Any) -> Json:
    return {"id": topic, "op": "table", "topic": topic, **TEXTS,
            "materialized": {"store": store, **given}}  # fmt: skip


SOURCES = [
    {**STREAM, "id": "a", "topics": ["a"]},
    {**STREAM, "id": "b", "topics": ["b"]},
    _table("t", "looked-up"),
    _table("m", "in-memory", storeType="in_memory"),
    _table("v", "versions", historyRetention=60_000),
    _table("l", "left"),
    _table("r", "right"),
    {"id": "w", "op": "globalTable", "topic": "w", **TEXTS, "materialized": {"store": "world"}},
    {"id": "x", "op": "globalTable", "topic": "x", **TEXTS,
     "materialized": {"store": "world-memory", "storeType": "in_memory"}},
]  # fmt: skip


def _streams(shows: str, output: str, how: str, **given: Any) -> Part:
    step = {
        "id": f"{output}-joined", "op": "join", "from": ["a", "b"], "how": how, "fn": "pair",
        "windows": NEAR, **TEXTS, **OTHER, "name": output, "storeName": f"{output}-store", **given,
    }  # fmt: skip
    return Part(shows, output, [step, to(f"{output}-joined", output)])


def _looked_up(shows: str, output: str, table: str, *, known: str = "", **given: Any) -> Part:
    step = {"id": f"{output}-joined", "op": "join", "from": ["a", table], "how": "left",
            "fn": "pair", **given}  # fmt: skip
    return Part(shows, output, [step, to(f"{output}-joined", output)], known=known)


def _tables(shows: str, output: str, how: str, *, unordered: bool = False, **given: Any) -> Part:
    step = {"id": f"{output}-joined", "op": "join", "from": ["l", "r"], "how": how, "fn": "pair",
            "name": output, "materialized": {"store": f"{output}-store", **TEXTS},
            **given}  # fmt: skip
    steps = [step, {"id": f"{output}-stream", "op": "toStream", "from": [f"{output}-joined"]},
             to(f"{output}-stream", output)]  # fmt: skip
    return Part(shows, output, steps, unordered=unordered)


JOINED = {**TEXTS, **OTHER}

JOINS = relay(
    "joins",
    {"a": "text", "b": "text", "t": "table", "m": "table", "v": "table", "l": "foreign",
     "r": "table", "w": "table", "x": "table"},
    SOURCES,
    [
        _streams("join of streams", "inner", "inner"),
        _streams("left join of streams", "left-join", "left"),
        _streams("outer join of streams", "outer", "outer"),
        _streams("outer join of streams in memory", "outer-memory", "outer",
                 storeType="in_memory"),
        _looked_up("table", "table", "t", **JOINED, name="table"),
        _looked_up("table in memory", "table-memory", "m", **JOINED, name="table-memory"),
        _looked_up("versioned table, join with a grace period", "past", "v", **JOINED, grace=700,
                   name="past", known=CANNOT_RESTORE),
        _looked_up("versioned table", "versioned", "v", **JOINED, name="versioned"),
        _looked_up("global table", "global", "w", mapper="k"),
        _looked_up("global table in memory", "global-memory", "x", mapper="k"),
        _tables("join of tables", "tables-inner", "inner"),
        _tables("left join of tables", "tables-left", "left"),
        _tables("outer join of tables", "tables-outer", "outer"),
        _tables("foreign-key join", "foreign", "inner", fk=["field", 0], unordered=True),
        _tables("left foreign-key join", "foreign-left", "left", fk=["field", 0], unordered=True),
    ],
    of_globals=["w", "x"],
)  # fmt: skip
