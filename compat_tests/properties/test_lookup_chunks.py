"""Streams that look up rows by columns cannot be told from single records."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.programs import CONTINUE
from compat_tests.properties.world import records, run
from millstream.topology.operators.lookup_join import LookupJoin

Json = dict[str, Any]
TEXT = {"key": "string", "value": "string"}
KINDS = ["table", "global", "versioned", "waiting"]


def program(kind: str, how: str, *, joiner: Any = "pair", mapper: Any = "k") -> Json:
    """A stream joined with a table of some kind."""
    read: Json = {"op": "globalTable" if kind == "global" else "table", "topic": "rows", **TEXT}
    join: Json = {"op": "join", "from": ["in", "rows"], "how": how, "fn": joiner, **TEXT}
    if kind == "global":
        join["mapper"] = mapper
    else:
        join["other"] = "string"
    if kind in {"versioned", "waiting"}:
        read["materialized"] = {"store": "rows", "historyRetention": 40}
    if kind == "waiting":
        join["grace"] = 5
    return {
        "config": {},
        "topics": {
            "in": ["string", "string"],
            "rows": ["string", "string"],
            "out": ["string", "string"],
        },
        "topology": [
            {"id": "in", "op": "stream", "topics": ["in"], **TEXT},
            {"id": "rows", **read},
            {"id": "joined", **join},
            {"op": "to", "from": ["joined"], "topic": "out", **TEXT},
        ],
        "events": [],
    }


@st.composite
def programs(draw: Any) -> Json:
    """Joins of any kind, whose functions may fail."""
    made = program(
        draw(st.sampled_from(KINDS)),
        draw(st.sampled_from(["inner", "left"])),
        joiner=draw(st.sampled_from(["pair", ["nullIfLeft", "a"]])),
        mapper=draw(st.sampled_from(["k", "v", "first", ["throwIf", "b"]])),
    )
    made["config"]["statestore.cache.max.bytes"] = draw(st.sampled_from([0, 300, 1 << 20]))
    if draw(st.booleans()):
        made["config"]["processing.exception.handler"] = CONTINUE
    return made


texts = st.sampled_from(["a", "b", "c", "b a", None])
steps = st.tuples(st.sampled_from(["in", "in", "rows"]), texts, texts, st.integers(-8, 12))
batches = st.lists(st.lists(steps, min_size=1, max_size=25), max_size=4)


@given(programs(), batches)
@examples(300)
def test_rows_found_by_columns_are_those_of_single_records(
    scenario: Json, given_batches: list[list[tuple[Any, ...]]]
) -> None:
    time, sizes = 0, []
    for batch in given_batches:
        sizes.append(len(batch))
        for topic, key, value, step in batch:
            time = max(0, time + step)
            scenario["events"].append({"pipe": topic, "key": key, "value": value, "ts": time})
    made = iter(records(scenario))
    sent = [list(islice(made, size)) for size in sizes]

    assert run(scenario, sent, by_chunks=True) == run(scenario, sent, by_chunks=False)


@pytest.mark.parametrize("kind", ["table", "global", "versioned"])
def test_no_row_is_looked_up_for_a_record_by_itself(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = program(kind, "inner")
    scenario["events"] = [{"pipe": "rows", "key": "a", "value": "1", "ts": 0}]
    scenario["events"] += [{"pipe": "in", "key": "a", "value": "2", "ts": 1}] * 5
    single: list[Any] = []
    process = LookupJoin.process

    def noted(join: LookupJoin, record: Any) -> None:
        single.append(record)
        process(join, record)

    monkeypatch.setattr(LookupJoin, "process", noted)

    seen = run(scenario, [records(scenario)], by_chunks=True)

    assert len(seen.sent) == 5
    # The first result tells whether the joiner returns what can be changed.
    assert len(single) <= 1
