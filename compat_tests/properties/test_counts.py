"""Counts of topics and of repartition topics, by the last record of each key and one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.line import LineOfTasks, LineSeen
from millstream.core.engine.output import Sent
from millstream.core.engine.shortcuts.last_records import LastRecords

Json = dict[str, Any]
Rows = Sequence[tuple[str, str | None, int]]
TEXT = {"key": "string", "value": "string"}


def program(cache: int, *, repartitions: bool, by: str) -> Json:
    first: list[Json] = [{"id": "in", "op": "stream", "topics": ["in"], **TEXT}]
    if repartitions:
        first += [
            {"id": "m", "op": "selectKey", "from": ["in"], "fn": by},
            {"id": "g", "op": "groupByKey", "from": ["m"], **TEXT},
        ]
    else:
        first.append({"id": "g", "op": "groupByKey", "from": ["in"], **TEXT})
    stored = {"store": "counts", "key": "string", "value": "long", "caching": True}
    return {
        "config": {"statestore.cache.max.bytes": cache},
        "topics": {"in": ["string", "string"], "out": ["string", "long"]},
        "topology": [
            *first,
            {"id": "c", "op": "count", "from": ["g"], "materialized": stored},
            {"id": "s", "op": "toStream", "from": ["c"]},
            {"op": "to", "from": ["s"], "topic": "out", "key": "string", "value": "long"},
        ],
        "events": [],
    }


def run(scenario: Json, batches: Sequence[Rows]) -> LineSeen:
    with LineOfTasks(scenario) as line:
        for number, rows in enumerate(batches):
            sent = [
                Sent("in", key.encode(), None if value is None else value.encode(), time, None)
                for key, value, time in rows
            ]
            line.batch(sent, number, 0)
        return line.finish()


row = st.tuples(
    st.sampled_from("abc"), st.sampled_from(["x", "y", "x", "y", None]), st.integers(0, 50)
)
some = st.lists(row, min_size=1, max_size=40)
without_null = some.map(lambda rows: [(key, value or "x", time) for key, value, time in rows])


@given(
    st.builds(
        program,
        st.sampled_from([0, 400, 1 << 20]),
        repartitions=st.booleans(),
        by=st.sampled_from(["v", "kv", "k"]),
    ),
    st.lists(some | without_null, min_size=1, max_size=4),
)
@examples(300)
def test_the_last_record_of_each_key_stands_for_all(scenario: Json, batches: list[Any]) -> None:
    with patch.object(LastRecords, "of", classmethod(lambda cls, task: None)):
        expected = run(scenario, batches)
    assert run(scenario, batches) == expected


def test_counts_over_a_repartition_topic_go_by_the_last_record_of_each_key() -> None:
    stood_for: list[int] = []
    take = LastRecords.take

    def counted(shortcut: LastRecords, group: Any) -> int:
        stood_for.append(take(shortcut, group))
        return stood_for[-1]

    rows = [("k", "xy"[n % 2], 40 - n) for n in range(40)]
    with patch.object(LastRecords, "take", counted):
        run(program(1 << 20, repartitions=True, by="v"), [rows])
    assert 40 in stood_for
