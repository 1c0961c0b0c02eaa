"""A record cache hides steps on the way, never where they led."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties import stateful, stateless
from compat_tests.properties.effort import examples
from compat_tests.properties.program import Program
from compat_tests.properties.programs import events, finished
from compat_tests.properties.world import Seen, records, run

Json = dict[str, Any]
BEFORE = [stateless.filtered, stateless.map_values, stateless.select_key, stateless.merge]
THROWING = (["throwIf", "b"], ["throwIf", 0])
AFTER = [stateful.table_map_values, stateful.table_filter]


@st.composite
def aggregations(draw: Any) -> Json:
    """Something stateless, an aggregation, filters and maps of the table."""
    program = Program(draw, frozenset())
    for step in draw(st.lists(st.sampled_from(BEFORE), max_size=2)):
        step(program)
    draw(st.sampled_from([stateful.aggregate, stateful.aggregate, stateful.cogroup]))(program)
    # Where a session only grows in place it says nothing of its old value, unless that comes from
    # a cache; then a filter of Kafka's does not know that it has passed the key on before.
    sessions = any(flow.key == "sw:string" for flow in program.flows)
    for step in draw(st.lists(st.sampled_from(AFTER[:1] if sessions else AFTER), max_size=2)):
        step(program)
    for step in program.steps:
        if step.get("fn") in THROWING:
            step["fn"] = "v"  # what a failure hides may be on the way, or where it led
        if step.get("window", {"type": "unlimited"})["type"] != "unlimited":
            # Sessions that a late record joins, and windows of a cogroup whose inputs each have a
            # stream time, may have expired in the store; only a cache still knows them.
            step["materialized"]["retention"] = 1_000_000
    scenario = finished(draw, program, continues=True)
    scenario["events"] = draw(events(scenario))
    return scenario


@given(aggregations(), st.integers(1, 30), st.sampled_from([10_000_000, 400]))
@examples(200)
def test_the_last_result_of_a_key_is_the_same_with_a_cache(
    scenario: Json, size: int, cache_bytes: int
) -> None:
    """A key whose last result is a tombstone may as well have none with a cache."""
    sent = records(scenario)
    batches = [sent[at : at + size] for at in range(0, len(sent), size)]
    uncached = run(scenario, batches, by_chunks=True)
    scenario["config"]["statestore.cache.max.bytes"] = cache_bytes
    cached = run(scenario, batches, by_chunks=True)
    assert last_results(cached) == last_results(uncached)
    if not any("window" in step for step in scenario["topology"]):
        # The deletion of what was never there does not get through a cache, and so does not move
        # the time on by which windows expire.
        assert cached.stores == uncached.stores


def last_results(seen: Seen) -> dict[tuple[Any, ...], Any]:
    """The last value and time of each topic's keys, without tombstones."""
    last = {(topic, key): (value, time) for topic, key, value, time, _ in seen.sent}
    return {place: result for place, result in last.items() if result[0] is not None}
