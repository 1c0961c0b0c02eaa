"""Sliding windows and sessions, behind a record cache or not: in chunks, and by rows of keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.world import Host, run
from millstream.core.engine.output import Sent
from millstream.stores.cache.rows import CachedRows

Json = dict[str, Any]
TEXT = {"key": "string", "value": "string"}


@st.composite
def programs(draw: Any) -> Json:
    """A reduction by sliding windows or sessions, whose cache is now and then too small, or off."""
    kind, width = draw(st.sampled_from([("sliding", "diff"), ("session", "gap")]))
    topology: list[Json] = [
        {"id": "in", "op": "stream", "topics": ["in"], **TEXT},
        {"id": "g", "op": "groupByKey", "from": ["in"], **TEXT},
        {
            "id": "c",
            "op": "reduce",
            "from": ["g"],
            "agg": draw(st.sampled_from(["concat", "last", ["nullIf", "a", "concat"]])),
            "window": {
                "type": kind,
                width: draw(st.sampled_from([1, 5])),
                "grace": draw(st.sampled_from([0, 3, 60])),
            },
            "materialized": {
                "store": "joined",
                **TEXT,
                "caching": True,
                "storeType": draw(st.sampled_from([None, "in_memory"])),
                "retention": draw(st.sampled_from([200, 1000])),
            },
        },
        {"id": "s", "op": "toStream", "from": ["c"]},
        {"id": "k", "op": "selectKey", "from": ["s"], "fn": "keyStr"},
        {"op": "to", "from": ["k"], "topic": "out", **TEXT},
    ]
    return {
        "config": {
            "statestore.cache.max.bytes": draw(st.sampled_from([0, 150, 300, 600, 2000, 1 << 20])),
        },
        "topics": {"in": ["string", "string"], "out": ["string", "string"]},
        "topology": topology,
        "events": [],
    }


# Keys with a zero byte in them may lie between the windows of others.
KEYS = ["a", "b", "a\0", "a\0\0\0\0\0\0\0\5", "ab"]
steps = st.tuples(st.sampled_from(KEYS), st.sampled_from(["a", "b", "c", None]), st.integers(-8, 9))
batches = st.lists(st.lists(steps, min_size=1, max_size=30), max_size=3)


@given(programs(), batches, st.booleans())
@examples(300)
def test_chunks_do_what_single_records_do(scenario: Json, drawn: list[Any], logs: bool) -> None:
    sent = _records(drawn)
    with patch.object(Host, "logs_changes", lambda self, store: logs):
        assert run(scenario, sent, by_chunks=True) == run(scenario, sent, by_chunks=False)


@given(programs(), batches, st.booleans())
@examples(300)
def test_rows_of_a_cache_do_what_its_ranges_do(
    scenario: Json, drawn: list[Any], by_chunks: bool
) -> None:
    """Also which entries count as used, which shows in what a small cache evicts."""
    sent = _records(drawn)
    with patch.object(CachedRows, "apart", property(lambda self: False)):
        by_ranges = run(scenario, sent, by_chunks=by_chunks)
    assert run(scenario, sent, by_chunks=by_chunks) == by_ranges


def _records(drawn: Sequence[Any]) -> list[list[Sent]]:
    sent, time = list[list[Sent]](), 1_000
    for batch in drawn:
        sent.append([])
        for key, value, step in batch:
            time = max(0, time + step)
            data = None if value is None else value.encode()
            sent[-1].append(Sent("in", key.encode(), data, time, None, None))
    return sent
