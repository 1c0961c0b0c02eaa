"""Compares what a scenario did with what it was recorded to do."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import Any

from compat_tests.conformance.spied import distinct, needed
from compat_tests.conformance.values import is_error

Json = dict[str, Any]


def differences(scenario: Json, actual: Json) -> list[str]:
    """How `actual` differs from the scenario's `expect`, first thing first; empty if not at all."""
    expect = scenario["expect"]
    if scenario.get("serdeHeaders"):
        expect, actual = _distinct_headers(expect), _distinct_headers(actual)
    if "error" in expect or "error" in actual:
        return _build_error(expect.get("error"), actual.get("error"))
    found = _text("describe", expect["describe"], actual["describe"])
    # Only a host in this process notes what a processor wrapper was shown.
    if "wrapped" in actual and expect.get("wrapped") != actual["wrapped"]:
        found.append(_wrapped(expect["wrapped"], actual["wrapped"]))
    for index, expected in enumerate(expect["outputs"]):
        if index >= len(actual["outputs"]):
            break
        if problem := _event(expected, actual["outputs"][index]):
            where = f"event {index} ({event_text(scenario['events'][index])})"
            found.append(f"{where}: {problem}")
    return [
        *found,
        *_calls(scenario["events"], expect.get("serdeCalls", []), actual.get("serdeCalls", [])),
        *_stores(expect.get("stores", {}), actual.get("stores")),
    ]


def _wrapped(expected: list[Json], actual: list[Json]) -> str:
    pairs = zip_longest(expected, actual)
    right, ours = next((right, ours) for right, ours in pairs if right != ours)
    return f"shown to the processor wrapper: expected {right}, got {ours}"


def topic_differences(expected: dict[str, list[Json]], actual: dict[str, list[Json]]) -> list[str]:
    """How what came out, by topic, differs from what should have."""
    found = []
    for topic in sorted(expected.keys() | actual.keys()):
        if problem := _records(expected.get(topic, []), actual.get(topic, [])):
            found.append(f"topic {topic}: {problem}")
    return found


def error_difference(expected: Json | None, actual: Json | None) -> list[str]:
    """How a failure differs from the one that should have been; None stands for no failure."""
    return [] if expected is actual is None else _build_error(expected, actual)


def _build_error(expected: Json | None, actual: Json | None) -> list[str]:
    if actual is None:
        return [f"build: expected {_error(expected)}, got no error"]
    if expected is None:
        return [f"build: unexpected {_error(actual)}"]
    if is_error(expected["error"], actual):
        return []
    return [f"build: expected {_error(expected)}, got {_error(actual)}"]


def _text(what: str, expected: str, actual: str) -> list[str]:
    if expected == actual:
        return []
    ours, theirs = actual.split("\n"), expected.split("\n")
    for number, (line, right) in enumerate(zip(ours, theirs, strict=False), 1):
        if line != right:
            return [f"{what} line {number}: expected {right!r}, got {line!r}"]
    return [f"{what}: expected {len(theirs)} lines, got {len(ours)}"]


def _event(expected: Any, actual: Any) -> str | None:
    if isinstance(expected, list) and isinstance(actual, list):
        return _records(expected, actual)
    if isinstance(actual, dict) and "error" in actual:
        if isinstance(expected, list) or "error" not in expected:
            return f"expected {_short(expected)}, got {_error(actual)}"
        if not is_error(expected["error"], actual):
            return f"expected {_error(expected)}, got {_error(actual)}"
        return _records(expected.get("records", []), actual.get("records", []))
    if isinstance(expected, dict) and "error" in expected:
        return f"expected {_error(expected)}, got {_short(actual)}"
    return None if expected == actual else f"expected {_short(expected)}, got {_short(actual)}"


def _records(expected: list[Json], actual: list[Json]) -> str | None:
    for index, (right, ours) in enumerate(zip(expected, actual, strict=False)):
        if right != ours:
            return f"record {index}: expected {_record(right)}, got {_record(ours)}"
    if len(expected) > len(actual):
        missing = expected[len(actual)]
        return f"{len(expected)} records expected, got {len(actual)}; missing {_record(missing)}"
    if len(actual) > len(expected):
        extra = actual[len(expected)]
        return f"{len(expected)} records expected, got {len(actual)}; extra {_record(extra)}"
    return None


def _stores(expected: Json, actual: Json | None) -> list[str]:
    if actual is None:
        return []
    found = []
    for name, right in expected.items():
        ours = actual.get(name)
        if right != ours:
            missing = sorted(set(right) - set(ours or []))
            extra = sorted(set(ours or []) - set(right))
            found.append(f"store {name}: missing {_short(missing)}, extra {_short(extra)}")
    return found


def event_text(event: Json) -> str:
    """An event in a few characters: `in a=v@1`."""
    if "query" in event:
        return f"query {event['query']}: {event['cmd']}"
    if "pipe" not in event:
        return f"wall clock +{event['advanceWallClock']}"
    return f"{event['pipe']} {event['key']}={event['value']}@{event['ts']}"


def _calls(events: list[Json], expected: list[list[str]], actual: list[list[str]]) -> list[str]:
    """How the calls of serdes differ, whatever their order and number."""
    found = []
    for event, right, ours in zip(events, expected, actual, strict=False):
        theirs, own = distinct(right), distinct(ours)
        missing = sorted(call for call in theirs - own if needed(call))
        extra = sorted(call for call in own - theirs if needed(call))
        if missing or extra:
            found.append(
                f"serde calls of {event_text(event)}: missing {_short(missing)}, "
                f"extra {_short(extra)}"
            )
    return found


def _distinct_headers(part: Any) -> Any:
    """The same with each header of a record once: a serializer adds one at every call."""
    if isinstance(part, list):
        return [_distinct_headers(each) for each in part]
    if not isinstance(part, dict):
        return part
    plain = {name: _distinct_headers(each) for name, each in part.items() if name != "headers"}
    if "headers" in part:
        pairs = {(name, value) for name, value in part["headers"]}
        plain["headers"] = sorted([list(pair) for pair in pairs], key=str)
    return plain


def _record(record: Json) -> str:
    key, value = (record.get(n, record.get(n + "Hex")) for n in ("key", "value"))
    headers = f" {_short(record['headers'])}" if "headers" in record else ""
    return f"{record['topic']} {key!r}={value!r}@{record['ts']}{headers}"


def _error(record: Json | None) -> str:
    assert record is not None
    cause = f" ({record['cause']})" if "cause" in record else ""
    message = record.get("message", "").strip().split("\n")[0][:160]
    return f"{record['error']}{cause}" + (f": {message}" if message else "")


def _short(value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return shown if len(shown) <= 200 else shown[:197] + "..."
