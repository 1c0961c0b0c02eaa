"""Tables that are made from tables and streams, behind repartitions and in stores of their own."""

from __future__ import annotations

from typing import Any

from compat_tests.relay.parts import (
    STREAM,
    TEXTS,
    TIME_KEY,
    TUMBLING,
    Json,
    Part,
    aggregated,
    relay,
    texts,
    to,
)


def _made(shows: str, output: str, steps: list[Json], **given: Any) -> Part:
    """The last step's table as a stream."""
    stream = {"id": f"{output}-stream", "op": "toStream", "from": [steps[-1]["id"]]}
    return Part(shows, output, [*steps, stream, to(f"{output}-stream", output)], **given)


def _store(name: str, **given: Any) -> Json:
    return {"materialized": {"store": f"{name}-store", **TEXTS, **given}}


FORMER_PLACE = "Kafka Streams restores a key that left the buffer and came again at its former time"
BY_CHANCE = "in Kafka Streams itself it depends on the order in which tasks write to a repartition"

GROUPED = {"op": "groupBy", "fn": "v", **TEXTS}

TABLES = relay(
    "tables",
    {"t": "table", "a": "text", "z": "table"},
    [
        {"id": "t", "op": "table", "topic": "t", **TEXTS, "materialized": {"store": "t-store"}},
        {**STREAM, "id": "a", "topics": ["a"]},
        {"id": "z", "op": "table", "topic": "z", **TEXTS,
         "materialized": {"store": "z-store", "historyRetention": 60_000}},
        {"id": "by-value", "from": ["t"], **GROUPED, "name": "by-value"},
        {"id": "z-by-value", "from": ["z"], **GROUPED, "name": "z-by-value"},
    ],
    [
        _made("table of its source topic", "source",
              [{"id": "upper", "op": "mapValues", "from": ["t"], "fn": "upper"}]),
        _made("mapped table", "mapped",
              [{"id": "map", "op": "mapValues", "from": ["t"], "fn": ["append", "!"],
                **_store("mapped")}]),
        _made("filtered table in memory", "filtered",
              [{"id": "filter", "op": "filter", "from": ["t"], "pred": ["contains", "x"],
                **_store("filtered", storeType="in_memory")}]),
        _made("LRU table", "filtered-lru",
              [{"id": "filter-lru", "op": "filter", "from": ["t"], "pred": ["contains", "y"],
                **_store("filtered-lru", supplier="lru", size=40)}]),
        _made("transformed table and its own store", "transformed",
              [{"op": "store", "store": {"name": "calls", "kind": "kv", "key": "string",
                                         "value": "long"}},
               {"id": "transform", "op": "transformValues", "from": ["t"],
                "transformer": ["countCalls", "calls"], "stores": ["calls"],
                **_store("transformed")}]),
        _made("table of a stream", "made",
              [{"id": "made-table", "op": "toTable", "from": ["a"], **_store("made")}]),
        _made("versioned table, filtered", "versioned",
              [{"id": "filter-versioned", "op": "filter", "from": ["z"],
                "pred": ["contains", "z"],
                "materialized": {"store": "versioned-store", "historyRetention": 60_000,
                                 **TEXTS}}]),
        _made("suppress untilTimeLimit, table", "late",
              [{"id": "late-held", "op": "suppress", "from": ["t"], "until": "timeLimit",
                "ms": 500, "name": "late-held"}], known=FORMER_PLACE),
        Part("grouped table, count", "group-count",
             [{"id": "group-counts", "op": "count", "from": ["by-value"],
               "materialized": {"store": "group-count-store", "value": "long"}},
              *texts("group-counts", "group-count")], unordered=True),
        Part("grouped table, aggregate in memory", "group-sum",
             [{"id": "group-sums", "op": "aggregate", "from": ["by-value"], "init": 0,
               "adder": "count", "subtractor": "uncount",
               "materialized": {"store": "group-sum-store", "value": "long",
                                "storeType": "in_memory"}},
              *texts("group-sums", "group-sum")], unordered=True),
        Part("grouped versioned table", "group-versioned",
             [{"id": "group-versions", "op": "count", "from": ["z-by-value"],
               "materialized": {"store": "group-versioned-store", "value": "long"}},
              *texts("group-versions", "group-versioned")], unordered=True, known=BY_CHANCE),
        Part("repartition with a number of its own", "spread",
             [{"id": "spread-keys", "op": "selectKey", "from": ["a"], "fn": "v"},
              {"id": "spread-far", "op": "repartition", "from": ["spread-keys"], **TEXTS,
               "name": "spread", "partitions": 5},
              {"id": "spread-groups", "op": "groupByKey", "from": ["spread-far"], **TEXTS},
              {"id": "spread-counts", "op": "count", "from": ["spread-groups"],
               "materialized": {"store": "spread-store", "value": "long"}},
              *texts("spread-counts", "spread")], unordered=True),
        Part("windows behind a repartition", "again",
             [{"id": "again-groups", "op": "groupBy", "from": ["a"], "fn": "first", **TEXTS,
               "name": "again"},
              *aggregated("", "again", "again-groups", TIME_KEY, window=TUMBLING).steps],
             TIME_KEY, unordered=True, known=BY_CHANCE),
    ],
    partitions=3,
)  # fmt: skip
