"""``distinct`` beside a brute-force definition of it, with workers that come and go."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.first_seen import EVENTS, Event
from compat_tests.properties.test_restarts import MISHAPS, run

Json = dict[str, Any]
Row = tuple[str, int, int, str, int]
"""Key, start and end of the window, value, timestamp."""
WINDOWS = [
    {"type": "tumbling", "size": 5},
    {"type": "tumbling", "size": 10, "grace": 7},
    {"type": "hopping", "size": 6, "advance": 4, "grace": 3},
]
SESSIONS = [
    {"type": "session", "gap": 0, "grace": 5},
    {"type": "session", "gap": 3},
    {"type": "session", "gap": 2, "grace": 20},
]


def scenario(windows: Json, events: Sequence[Event]) -> Json:
    form = "sw:string" if windows["type"] == "session" else f"tw:string:{windows.get('size')}"
    return {
        "config": {"statestore.cache.max.bytes": 10_000},
        "topics": {"in": ["string", "string"], "out": [form, "string"]},
        "topology": [
            {"id": "in", "op": "stream", "topics": ["in"]},
            {"id": "grouped", "op": "groupByKey", "from": ["in"], "key": "string"},
            {
                "id": "first",
                "op": "distinct",
                "from": ["grouped"],
                "window": windows,
                "materialized": {"key": "string", "value": "string", "retention": 1_000_000},
            },
            {"id": "rows", "op": "toStream", "from": ["first"]},
            {"op": "to", "from": ["rows"], "topic": "out"},
        ],
        "events": [
            {"pipe": "in", "key": each.key, "value": each.value, "ts": each.timestamp}
            for each in events
        ],
    }


def first_in_windows(windows: Json, events: Sequence[Event]) -> Iterator[Row]:
    size, stream_time = int(windows["size"]), -1
    advance, seen = int(windows.get("advance", size)), set[tuple[str, int]]()
    for key, value, time in events:
        if key is None:
            continue
        stream_time = max(stream_time, time)
        for start in range(0, time + 1, advance):
            is_open = start + size > stream_time - windows.get("grace", 0)
            if time < start + size and is_open and (key, start) not in seen:
                seen.add((key, start))
                yield key, start, start + size, value, time


def first_in_sessions(windows: Json, events: Sequence[Event]) -> Iterator[Row]:
    gap, grace, stream_time = windows["gap"], windows.get("grace", 0), -1
    taken: dict[str, list[int]] = {}
    for key, value, time in events:
        if key is None:
            continue
        stream_time = max(stream_time, time)
        own = taken.setdefault(key, [])
        last = max(session_of(time, own, gap))
        if last < stream_time - gap - grace:
            continue
        if all(abs(time - other) > gap for other in own):
            yield key, time, time, value, time
        own.append(time)


def session_of(time: int, others: Sequence[int], gap: int) -> set[int]:
    """Return the times that hang together with one."""
    found, grows = {time}, True
    while grows:
        near = {other for other in others if any(abs(other - one) <= gap for one in found)}
        grows = not near <= found
        found |= near
    return found


@given(
    st.sampled_from([*WINDOWS, *SESSIONS]),
    st.lists(EVENTS, min_size=1, max_size=25),
    st.integers(1, 8),
    st.lists(st.sampled_from(MISHAPS), min_size=1, max_size=4),
)
@examples(100)
def test_first_records_are_those_of_the_definition_whatever_workers_do(
    windows: Json, events: list[Event], size: int, mishaps: list[str]
) -> None:
    define = first_in_sessions if windows["type"] == "session" else first_in_windows
    seen = run(scenario(windows, events), size, 0, mishaps)
    assert seen.error is None
    lines = [line for batch in seen.batches for line in batch.get("out", [])]
    assert [row(windows, *line[:3]) for line in lines] == list(define(windows, events))


def row(windows: Json, key: bytes, value: bytes, timestamp: int) -> Row:
    if windows["type"] == "session":
        # The end comes first in the bytes.
        end, start = struct.unpack(">qq", key[-16:])
        return key[:-16].decode(), start, end, value.decode(), timestamp
    start = int.from_bytes(key[-8:], "big")
    return key[:-8].decode(), start, start + windows["size"], value.decode(), timestamp
