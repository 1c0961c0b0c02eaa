"""A processor with a store of each kind of `Stores`, told what to do by the records' values."""

from __future__ import annotations

from typing import Any

from compat_tests.relay.parts import STREAM, TEXTS, Json, Part, relay, to

KINDS: dict[str, dict[str, str]] = {
    "key-value": {
        "plain": "kv", "plain in memory": "kv-inmemory", "LRU": "kv-lru",
        "timestamped": "tkv", "timestamped in memory": "tkv-inmemory",
        "timestamped LRU": "timestamped over kv-lru",
        "timestamped over plain": "timestamped over kv",
        "with headers": "headers over hkv", "with headers in memory": "headers over kv-inmemory",
        "with headers, LRU": "headers over kv-lru",
        "with headers over timestamped": "headers over tkv",
    },
    "window": {
        "plain": "window", "plain in memory": "window-inmemory",
        "timestamped": "twindow", "timestamped in memory": "timestamped over window-inmemory",
        "with headers": "headers over hwindow",
        "with headers in memory": "headers over window-inmemory",
        "with duplicates": "window", "with duplicates in memory": "window-inmemory",
    },
    "session": {
        "plain": "session", "plain in memory": "session-inmemory",
        "with headers": "headers over hsession",
        "with headers in memory": "headers over session-inmemory",
    },
    "versioned": {"plain": "versioned"},
}  # fmt: skip
"""Type of store -> form -> kind, as in the oracle's store specs."""

NUMBERED_ANEW = "Kafka Streams numbers duplicates anew after each restart"

FORMS = [
    ("key-value", "plain"), ("key-value", "timestamped"), ("key-value", "with headers"),
    ("window", "plain"), ("window", "timestamped"), ("window", "with headers"),
    ("session", "plain"), ("session", "with headers"), ("versioned", "plain"),
]  # fmt: skip
"""What the parts of a value are commands for, in their order."""
SETTINGS: dict[str, Json] = {
    "key-value": {"size": 40},
    "window": {"retention": 6000, "windowSize": 1000},
    "session": {"retention": 6000},
    "versioned": {"historyRetention": 6000},
}


def _part(type: str, form: str, kind: str) -> Part:
    output = f"{type} {form}".replace(",", "").replace(" ", "-")
    store: Json = {"name": f"{output}-store", "kind": kind, **TEXTS, **SETTINGS[type]}
    if "duplicates" in form:
        store["retainDuplicates"] = True
    word = next(each for each in ("with headers", "timestamped", "plain") if each in form + "plain")
    field = FORMS.index((type, word))
    steps: list[Json] = [
        {"op": "store", "store": store},
        {"id": f"{output}-command", "op": "mapValues", "from": ["c"], "fn": ["field", field]},
        {"id": output, "op": "process", "from": [f"{output}-command"], "name": output,
         "processor": ["shell", store["name"]], "stores": [store["name"]]},
        to(output, output),
    ]  # fmt: skip
    types = {store["name"]: ("string", "string")}
    known = NUMBERED_ANEW if "duplicates" in form else ""
    return Part(f"{type} store, {form}", output, steps, types=types, known=known)


def _global(output: str, topic: str, kind: str) -> Part:
    store = {"name": f"{output}-store", "kind": kind, **TEXTS, "logging": False}
    steps: list[Json] = [
        {"op": "globalStore", "store": store, "topic": topic, **TEXTS,
         "processor": ["globalPut", store["name"]]},
        {"id": output, "op": "process", "from": ["k"], "name": output,
         "processor": ["globalLookup", store["name"]]},
        to(output, output),
    ]  # fmt: skip
    return Part(f"global store, {kind}", output, steps)


SOURCES: list[dict[str, Any]] = [
    {**STREAM, "id": "c", "topics": ["c"]},
    {"id": "k", "op": "mapValues", "from": ["c"], "fn": "k", "withKey": True},
]

PROCESSORS = relay(
    "processors",
    {"c": "commands", "g": "table", "h": "table"},
    SOURCES,
    [
        *(_part(type, form, kind) for type, kinds in KINDS.items() for form, kind in kinds.items()),
        _global("global", "g", "kv"),
        _global("global-timestamped", "h", "tkv"),
    ],
    partitions=3,
    of_globals=["g", "h"],
)
