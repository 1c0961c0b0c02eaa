"""Records for a scenario's input topics, queries to its stores, and ticks of the clock."""

from __future__ import annotations

from typing import Any

from compat_tests.oracle.generate.draft import Draft, Spec

SEGMENT_MS = 60_000
"""The shortest segment of a window store on disk: where old windows go as a whole."""


def events(draft: Draft, count: int, *, jumps: float = 0.02, queries: float = 0.0) -> list[Spec]:
    """Make records whose times lie about the bounds of the scenario's windows."""
    made: list[Spec] = []
    edges = draft.edges_ms or [10]
    # Kafka's cached session stores fail when a session may begin a segment before time 0.
    now = draft.pick(0, 0, 3, 50) if max(edges) < SEGMENT_MS else 1_000_000
    for _ in range(count):
        now, ts = _time(draft, now, edges, jumps)
        made.append(_record(draft, ts))
        if (asked := _stores_to_ask(draft)) and draft.chance(queries):
            made.append(_query(draft, draft.random.choice(asked), ts))
        if draft.chance(0.03):
            made.append({"advanceWallClock": draft.pick(1, 100, 2000)})
    return made


def _time(draft: Draft, now: int, edges: list[int], jumps: float) -> tuple[int, int]:
    """Return the latest time so far and the time of the next record."""
    if draft.chance(jumps):
        now += draft.pick(SEGMENT_MS, SEGMENT_MS - 1, 3 * SEGMENT_MS, max(edges) + 1)
        return now, now
    edge = draft.random.choice(edges)
    if draft.chance(0.45):
        now += draft.random.randint(0, max(1, min(edge, 12)))
        return now, now
    shift = edge + draft.pick(-1, 0, 0, 1)
    if draft.chance(0.6):
        return now, max(0, now - (shift if draft.chance(0.5) else draft.random.randint(0, 15)))
    now += max(0, shift) if draft.chance(0.5) else draft.random.randint(0, 9)
    return now, now


def _record(draft: Draft, ts: int) -> Spec:
    topic = draft.random.choice(draft.inputs)
    key, value = draft.topics[topic]
    made: Spec = {"pipe": topic, "key": _key(draft, key), "value": _value(draft, value), "ts": ts}
    if draft.chance(0.02 if not topic.startswith("tab") else 0):
        made["key"] = None
    if draft.chance(0.2 if topic.startswith("tab") else 0.07):
        made["value"] = None
    if topic in draft.before_1970 and draft.chance(0.08):
        made["ts"] = -draft.pick(1, 5, 100)
    if draft.chance(0.12):
        made["headers"] = [["h", f"v{ts}"]] + ([["g", None]] if draft.chance(0.3) else [])
    return made


def _key(draft: Draft, serde: str) -> Any:
    return draft.pick("a", "a", "b", "c") if serde == "string" else draft.pick(1, 2)


def _value(draft: Draft, serde: str) -> Any:
    if serde == "long":
        return draft.random.randint(-2, 9)
    return draft.pick("A", "B", "C") + str(draft.random.randint(0, 3)) + draft.pick("", "", " x")


def _stores_to_ask(draft: Draft) -> list[str]:
    """The stores with keys that commands can name: not windowed ones."""
    return [
        store
        for store in sorted(draft.store_kinds)
        if not draft.stores[store][0].startswith(("tw:", "sw:"))
    ]


def _query(draft: Draft, store: str, ts: int) -> Spec:
    key = draft.pick("a", "b") if draft.stores[store][0] == "string" else "1"
    start = max(0, ts - draft.pick(0, 10, 100))
    commands = {
        "kv": ["all", "reverseAll", f"get {key}", f"range {key} *"],
        "window": ["all", f"fetch {key} {start} {ts}", f"fetchAll {start} {ts}", "backwardAll"],
        "session": [f"fetch {key}", f"findSessions {key} {start} {ts}"],
    }
    return {"query": store, "cmd": draft.random.choice(commands[draft.store_kinds[store]])}
