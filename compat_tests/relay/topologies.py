"""Topologies of the relay, in the form of the oracle's scenarios, with stores of every kind."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

TEXT = ["string", "string"]


STREAM = {"op": "stream", "key": "string", "value": "string"}
OUT = {"op": "to", "key": "string", "value": "string"}


def counted(id: str, source: str, store: str, **given: Any) -> list[Json]:
    """A count, and its updates as a stream of texts."""
    return [
        {
            "id": f"{id}-counts",
            "op": "count",
            "from": [source],
            "materialized": {"store": store, "value": "long"} | given.pop("store", {}),
            **given,
        },
        {"id": f"{id}-stream", "op": "toStream", "from": [f"{id}-counts"]},
        {"id": f"{id}-text", "op": "mapValues", "from": [f"{id}-stream"], "fn": "toString"},
    ]


def to(source: str, topic: str, key: str = "string") -> Json:
    return {**OUT, "from": [source], "topic": topic, "key": key}


TUMBLING = {"type": "tumbling", "size": 1000, "grace": 500}

SMALL: Json = {
    "name": "small-relay",
    "feature": "relay",
    "topics": {"a": TEXT, "out-count": TEXT, "out-final": ["tw:string:1000", "string"]},
    "inputs": ["a"],
    "outputs": ["out-count", "out-final"],
    "unordered": [],
    "topology": [
        {**STREAM, "id": "a", "topics": ["a"]},
        {"id": "g", "op": "groupByKey", "from": ["a"], "key": "string", "value": "string"},
        *counted("count", "g", "counts"),
        to("count-text", "out-count"),
        {"id": "held", "op": "count", "from": ["g"], "window": TUMBLING,
         "materialized": {"store": "held-windows", "value": "long"}},
        {"id": "sup", "op": "suppress", "from": ["held"], "until": "windowCloses",
         "name": "held-back"},
        {"id": "sup-stream", "op": "toStream", "from": ["sup"]},
        {"id": "sup-text", "op": "mapValues", "from": ["sup-stream"], "fn": "toString"},
        to("sup-text", "out-final", "tw:string:1000"),
    ],
}  # fmt: skip
"""A count, and windows that are held back until they close."""

RELAY: Json = {
    "name": "relay",
    "feature": "relay",
    "topics": {
        "a": TEXT, "b": TEXT, "t": TEXT, "v": TEXT, "l": TEXT, "r": TEXT,
        "out-count": TEXT, "out-window": ["tw:string:1000", "string"],
        "out-final": ["tw:string:1000", "string"], "out-emit": ["tw:string:1000", "string"],
        "out-session": ["sw:string", "string"], "out-join": TEXT, "out-table": TEXT,
        "out-past": TEXT, "out-fk": TEXT, "out-own": TEXT, "out-again": TEXT,
    },
    "inputs": ["a", "b", "t", "v", "l", "r"],
    "outputs": [
        "out-count", "out-window", "out-final", "out-emit", "out-session", "out-join",
        "out-table", "out-past", "out-fk", "out-own", "out-again",
    ],
    "unordered": ["out-fk", "out-again"],
    "topology": [
        {**STREAM, "id": "a", "topics": ["a"]},
        {**STREAM, "id": "b", "topics": ["b"]},
        {"id": "g", "op": "groupByKey", "from": ["a"], "key": "string", "value": "string"},
        *counted("count", "g", "counts"),
        to("count-text", "out-count"),
        *counted("win", "g", "windows", window=TUMBLING),
        to("win-text", "out-window", "tw:string:1000"),
        {"id": "held", "op": "count", "from": ["g"], "window": TUMBLING,
         "materialized": {"store": "held-windows", "value": "long"}},
        {"id": "sup", "op": "suppress", "from": ["held"], "until": "windowCloses",
         "name": "held-back"},
        {"id": "sup-stream", "op": "toStream", "from": ["sup"]},
        {"id": "sup-text", "op": "mapValues", "from": ["sup-stream"], "fn": "toString"},
        to("sup-text", "out-final", "tw:string:1000"),
        *counted("emit", "g", "emitted", window=TUMBLING, emit="close"),
        to("emit-text", "out-emit", "tw:string:1000"),
        *counted("ses", "g", "sessions", window={"type": "session", "gap": 300, "grace": 500}),
        to("ses-text", "out-session", "sw:string"),
        {"id": "joined", "op": "join", "from": ["a", "b"], "how": "outer", "fn": "pair",
         "windows": {"diff": 400, "grace": 300}, "key": "string", "value": "string",
         "other": "string", "name": "near", "storeName": "near-store"},
        to("joined", "out-join"),
        {"id": "t", "op": "table", "topic": "t", "key": "string", "value": "string",
         "materialized": {"store": "looked-up"}},
        {"id": "tj", "op": "join", "from": ["a", "t"], "how": "left", "fn": "pair",
         "key": "string", "value": "string", "other": "string"},
        to("tj", "out-table"),
        {"id": "v", "op": "table", "topic": "v", "key": "string", "value": "string",
         "materialized": {"store": "versions", "historyRetention": 60000}},
        {"id": "vj", "op": "join", "from": ["a", "v"], "how": "left", "fn": "pair", "grace": 700,
         "key": "string", "value": "string", "other": "string", "name": "past"},
        to("vj", "out-past"),
        {"id": "l", "op": "table", "topic": "l", "key": "string", "value": "string",
         "materialized": {"store": "left"}},
        {"id": "r", "op": "table", "topic": "r", "key": "string", "value": "string",
         "materialized": {"store": "right"}},
        {"id": "fk", "op": "join", "from": ["l", "r"], "how": "inner", "fn": "pair",
         "fk": ["field", 0], "name": "foreign",
         "materialized": {"store": "foreign", "key": "string", "value": "string"}},
        {"id": "fk-stream", "op": "toStream", "from": ["fk"]},
        to("fk-stream", "out-fk"),
        {"op": "store",
         "store": {"name": "own", "kind": "kv", "key": "string", "value": "long"}},
        {"id": "own", "op": "process", "from": ["a"], "processor": ["counter", "own"],
         "stores": ["own"]},
        {"id": "own-text", "op": "mapValues", "from": ["own"], "fn": "toString"},
        to("own-text", "out-own"),
        {"id": "rk", "op": "selectKey", "from": ["a"], "fn": "v"},
        {"id": "rg", "op": "groupByKey", "from": ["rk"], "key": "string", "value": "string",
         "name": "again"},
        *counted("again", "rg", "again-counts"),
        to("again-text", "out-again"),
    ],
}  # fmt: skip


def named(scenario: Json, prefix: str) -> Json:
    """The scenario with other names of topics."""
    names = {name: f"{prefix}-{name}" for name in scenario["topics"]}

    def step(given: Json) -> Json:
        found = dict(given)
        if isinstance(found.get("topic"), str):
            found["topic"] = names.get(found["topic"], found["topic"])
        if "topics" in found:
            found["topics"] = [names.get(each, each) for each in found["topics"]]
        return found

    return {
        **scenario,
        "topics": {names[name]: types for name, types in scenario["topics"].items()},
        "inputs": [names[name] for name in scenario["inputs"]],
        "outputs": [names[name] for name in scenario["outputs"]],
        "unordered": [names[name] for name in scenario["unordered"]],
        "topology": [step(each) for each in scenario["topology"]],
    }
