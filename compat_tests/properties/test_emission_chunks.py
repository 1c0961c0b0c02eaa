"""Windows that are emitted on close, by columns, cannot be told from one record by record."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.world import Host, run
from millstream.core.engine.output import Sent
from millstream.stores.window.access import SerdeWindowAccess

Json = dict[str, Any]
TEXT = {"key": "string", "value": "string"}


@st.composite
def programs(draw: Any) -> Json:
    """A count by window, which goes on to another topic with the window in its key."""
    size = draw(st.sampled_from([5, 10]))
    windows: Json = {"grace": draw(st.sampled_from([0, 3]))}
    if draw(st.integers(0, 3)):
        advance = draw(st.sampled_from([size, 2, 5]))
        windows |= {"type": "hopping", "size": size, "advance": advance}
    else:
        windows |= {"type": "sliding", "diff": size}
    counted = {"op": "count", "from": ["g"], "window": windows, "emit": "close"}
    topology: list[Json] = [
        {"id": "in", "op": "stream", "topics": ["in"], **TEXT},
        {"id": "g", "op": "groupByKey", "from": ["in"], **TEXT},
        {
            "id": "c",
            **counted,
            "materialized": {
                "store": "counts",
                "key": "string",
                "value": "long",
                "storeType": draw(st.sampled_from([None, "in_memory"])),
            },
        },
        {"id": "s", "op": "toStream", "from": ["c"]},
        {"id": "k", "op": "selectKey", "from": ["s"], "fn": "keyStr"},
        {"op": "to", "from": ["k"], "topic": "out", "key": "string", "value": "long"},
    ]
    return {
        "config": {"statestore.cache.max.bytes": draw(st.sampled_from([0, 300, 1 << 20]))},
        "topics": {"in": ["string", "string"], "out": ["string", "long"]},
        "topology": topology,
        "events": [],
    }


steps = st.tuples(st.sampled_from("abc"), st.integers(-8, 12))
batches = st.lists(st.lists(steps, min_size=1, max_size=20), max_size=4)


@given(programs(), batches)
@examples(150)
def test_columns_close_what_single_records_close(
    program: Json, given_batches: list[list[tuple[str, int]]]
) -> None:
    sent = records(given_batches)
    assert run(program, sent, by_chunks=True) == run(program, sent, by_chunks=False)


@given(programs(), batches, st.booleans())
@examples(150)
def test_closed_windows_are_read_by_columns_as_one_by_one(
    program: Json, given_batches: list[list[tuple[str, int]]], logs: bool
) -> None:
    """Also as on Spark, where a store logs nothing and takes its cache's changes by the column."""
    sent = records(given_batches)
    with patch.object(Host, "logs_changes", return_value=logs):
        columns = run(program, sent, by_chunks=True)
        with patch.object(SerdeWindowAccess, "between", return_value=None):
            assert run(program, sent, by_chunks=False) == columns


def records(batches: list[list[tuple[str, int]]]) -> list[list[Sent]]:
    """Records of batches of keys and steps in time."""
    sent, time = [], 0
    for batch in batches:
        made = []
        for key, step in batch:
            time = max(0, time + step)
            made.append(Sent("in", key.encode(), b"v", time, None))
        sent.append(made)
    return sent
