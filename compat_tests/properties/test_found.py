"""Programs by which chunks could once be told from single records."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.properties.programs import CONTINUE
from compat_tests.properties.world import Seen, records, run

Json = dict[str, Any]
STREAM = {"id": "s", "op": "stream", "topics": ["in"], "key": "string", "value": "string"}
GROUP = {"id": "g", "op": "groupByKey", "from": ["s"], "key": "string", "value": "string"}
TO_STREAM = {"id": "t", "op": "toStream", "from": ["a"], "fn": "keyStr"}
KEPT = {"materialized": {"key": "string", "value": "long", "store": "kept"}}


def by_chunks(scenario: Json, *sizes: int) -> Seen:
    """Run batches of these sizes both ways; return what both did."""
    sent = records(scenario)
    places = [sum(sizes[:number]) for number in range(len(sizes))]
    batches = [sent[at : at + size] for at, size in zip(places, sizes, strict=True)]
    chunked = run(scenario, batches, by_chunks=True)
    assert chunked == run(scenario, batches, by_chunks=False)
    return chunked


@pytest.mark.parametrize("window", [{}, {"window": {"type": "tumbling", "size": 10}}])
def test_stream_time_during_an_eviction_is_that_of_the_record_that_evicts(window: Json) -> None:
    scenario = {
        "config": {"statestore.cache.max.bytes": 400},
        "topics": {"in": ["string", "string"], "out": ["string", "string"]},
        "topology": [
            STREAM,
            GROUP,
            {"id": "a", "op": "count", "from": ["g"], **window, **KEPT},
            TO_STREAM,
            {"id": "m", "op": "process", "from": ["t"], "processor": "meta"},
            {"op": "to", "from": ["m"], "topic": "out", "key": "string", "value": "string"},
        ],
        "events": [
            {"pipe": "in", "key": key, "value": "v", "ts": time}
            for time, key in enumerate("abcdefgabcdefgabc")
        ],
    }
    seen = by_chunks(scenario, 17)
    assert seen.sent[0][2].startswith(b"1 in/0/0 ts=0 st=")
    assert b" st=0 " not in seen.sent[0][2]


def test_the_dead_letter_of_a_record_that_a_cache_held_has_its_bytes() -> None:
    scenario = {
        "config": {
            "errors.dead.letter.queue.topic.name": "dead",
            "processing.exception.handler": CONTINUE,
        },
        "topics": {"in": ["string", "string"], "out": ["string", "string"]},
        "topology": [
            {"id": "k", "op": "table", "topic": "in", "key": "string", "value": "string"}
            | {"materialized": {"key": "string", "value": "string", "store": "kept"}},
            {"id": "a", "op": "mapValues", "from": ["k"], "fn": ["throwIf", "bad"]},
            TO_STREAM,
            {"op": "to", "from": ["t"], "topic": "out", "key": "string", "value": "string"},
        ],
        "events": [
            {"pipe": "in", "key": "a", "value": "good", "ts": 0},
            {"pipe": "in", "key": "b", "value": "bad", "ts": 1},
        ],
    }
    seen = by_chunks(scenario, 2)
    assert [line[1:4] for line in seen.logged["dead"]] == [(b"b", b"bad", 1)]


def test_a_window_that_the_other_input_has_expired_starts_anew_with_each_record() -> None:
    scenario = {
        "config": {"statestore.cache.max.bytes": 0},
        "topics": {
            "in": ["string", "string"],
            "in2": ["string", "string"],
            "out": ["string", "string"],
        },
        "topology": [
            STREAM,
            GROUP,
            {"id": "s2", "op": "stream", "topics": ["in2"], "key": "string", "value": "string"},
            {"id": "g2", "op": "groupByKey", "from": ["s2"], "key": "string", "value": "string"},
            {"id": "a", "op": "cogroup", "from": ["g", "g2"], "aggs": ["concat", "concat"]}
            | {"init": "", "window": {"type": "tumbling", "size": 10}}
            | {"materialized": {"key": "string", "value": "string"}},
            TO_STREAM,
            {"op": "to", "from": ["t"], "topic": "out", "key": "string", "value": "string"},
        ],
        "events": [
            {"pipe": "in", "key": "k", "value": "a", "ts": 0},
            {"pipe": "in2", "key": "k", "value": "b", "ts": 10},
            {"pipe": "in", "key": "k", "value": "c", "ts": 0},
            {"pipe": "in", "key": "k", "value": "d", "ts": 0},
        ],
    }
    seen = by_chunks(scenario, 2, 2)
    assert [line[2] for line in seen.sent] == [b"a", b"b", b"c", b"d"]
