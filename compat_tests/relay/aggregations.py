"""Aggregations over every kind of window, in stores of every kind that the DSL has."""

from __future__ import annotations

from compat_tests.relay.parts import (
    HOPPING,
    SESSION,
    SESSION_KEY,
    SLIDING,
    STREAM,
    TEXTS,
    TIME_KEY,
    TUMBLING,
    Part,
    aggregated,
    relay,
    texts,
)

MEMORY = {"storeType": "in_memory"}
COGROUP = {
    "op": "cogroup", "aggs": ["concat", "keyConcat"], "init": "", "from": ["g", "h"],
}  # fmt: skip
CLOSED = {"until": "windowCloses"}
SLIDING_KEY = "tw:string:600"

GROUPS = [
    {**STREAM, "id": "a", "topics": ["a"]},
    {**STREAM, "id": "b", "topics": ["b"]},
    {"id": "g", "op": "groupByKey", "from": ["a"], **TEXTS},
    {"id": "h", "op": "groupByKey", "from": ["b"], **TEXTS},
]


def _cogrouped(shows: str, output: str, key: str = "string", **given: object) -> Part:
    step = {
        **COGROUP,
        "id": f"{output}-table",
        "materialized": {"store": f"{output}-store"},
        **given,
    }
    return Part(shows, output, [step, *texts(f"{output}-table", output, key)], key)


AGGREGATIONS = relay(
    "aggregations",
    {"a": "text", "b": "text"},
    GROUPS,
    [
        aggregated("key-value", "count", "g"),
        aggregated("key-value in memory", "count-memory", "g", store=MEMORY),
        aggregated(
            "LRU", "count-lru", "g", store={"supplier": "lru", "size": 40},
        ),
        aggregated("windows", "tumbling", "g", TIME_KEY, window=TUMBLING),
        aggregated("windows in memory", "tumbling-memory", "g", TIME_KEY, window=TUMBLING,
                   store=MEMORY),
        aggregated("hopping windows", "hopping", "g", TIME_KEY, window=HOPPING),
        aggregated("sliding windows", "sliding", "g", SLIDING_KEY, window=SLIDING),
        aggregated("sliding windows in memory", "sliding-memory", "g", SLIDING_KEY,
                   window=SLIDING, store=MEMORY),
        aggregated("unlimited windows", "unlimited", "g", "tw:string:9223372036854775807",
                   window={"type": "unlimited"}),
        aggregated("windows with EmitStrategy.onWindowClose", "close", "g", TIME_KEY,
                   window=TUMBLING, emit="close"),
        aggregated("windows in memory with onWindowClose", "close-memory", "g", TIME_KEY,
                   window=TUMBLING, emit="close", store=MEMORY),
        aggregated("hopping windows with onWindowClose", "close-hopping", "g", TIME_KEY,
                   window=HOPPING, emit="close"),
        aggregated("sliding windows with onWindowClose", "close-sliding", "g", SLIDING_KEY,
                   window=SLIDING, emit="close"),
        aggregated("sessions", "session", "g", SESSION_KEY, window=SESSION),
        aggregated("sessions in memory", "session-memory", "g", SESSION_KEY, window=SESSION,
                   store=MEMORY),
        aggregated("sessions with onWindowClose", "close-session", "g", SESSION_KEY,
                   window=SESSION, emit="close"),
        aggregated("sessions in memory with onWindowClose", "close-session-memory", "g",
                   SESSION_KEY, window=SESSION, emit="close", store=MEMORY),
        aggregated("suppress untilWindowCloses, windows", "final", "g", TIME_KEY,
                   window=TUMBLING, held={**CLOSED, "name": "final-held"}),
        aggregated("suppress untilWindowCloses, sessions", "final-session", "g", SESSION_KEY,
                   window=SESSION, held={**CLOSED, "name": "final-session-held"}),
        aggregated("suppress untilTimeLimit", "limited", "g",
                   held={"until": "timeLimit", "ms": 700, "name": "limited-held"}),
        aggregated("suppress untilTimeLimit, windows", "limited-windows", "g", TIME_KEY,
                   window=TUMBLING,
                   held={"until": "timeLimit", "ms": 300, "maxRecords": 5, "full": "emitEarly",
                         "name": "limited-windows-held"}),
        _cogrouped("cogrouped key-value", "cogroup"),
        _cogrouped("cogrouped windows", "cogroup-windows", TIME_KEY, window=TUMBLING),
        _cogrouped("cogrouped sliding windows", "cogroup-sliding", SLIDING_KEY, window=SLIDING),
        _cogrouped("cogrouped sessions", "cogroup-sessions", SESSION_KEY, window=SESSION,
                   merger="concat"),
    ],
)  # fmt: skip
