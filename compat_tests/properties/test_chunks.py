"""Records as chunks cannot be told from the same records one by one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.programs import runs
from compat_tests.properties.world import records, run

Json = dict[str, Any]


@given(runs(), st.sampled_from([1000, 3, 10]), st.lists(st.integers(0, 3000), max_size=2))
@examples(300)
def test_chunks_do_what_single_records_do(scenario: Json, size: int, clock: list[int]) -> None:
    sent = records(scenario)
    batches: list[Any] = []
    for at in range(0, len(sent), size):
        batches += [sent[at : at + size], *clock]
    single = run(scenario, batches, by_chunks=False)
    chunked = run(scenario, batches, by_chunks=True)
    assert chunked == single
