"""Changelog topics that tasks write have their stores' state, whatever happens to workers."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.line import LineOfTasks
from compat_tests.properties.programs import runs
from compat_tests.properties.test_restarts import MISHAPS, keep_windows, run, run_batches
from compat_tests.properties.world import records
from compat_tests.stores.changelogs.folded import left_over, missing_in
from millstream.core.errors import MillstreamError
from millstream.core.state.changelog_format import ChangelogRecord
from millstream.topology.spark.logged_store import SPILLED

Json = dict[str, Any]


@given(
    runs(),
    st.integers(1, 8),
    st.sampled_from([0, 1500]),
    st.lists(st.sampled_from(MISHAPS), min_size=1, max_size=4),
)
@examples(60)
def test_the_topics_have_the_state_and_nothing_else_is_different(
    scenario: Json, size: int, step_ms: int, mishaps: list[str]
) -> None:
    keep_windows(scenario)
    plain = run(scenario, size, step_ms, ["none"])
    with LineOfTasks(scenario, changelogs=True) as line:
        try:
            run_batches(line, records(scenario), size, step_ms, mishaps)
        except MillstreamError as error:
            line.seen.error = type(error).__name__
        seen = line.finish()
        written: dict[str, list[ChangelogRecord]] = {
            store.topic: [] for store in line.logged.values()
        }
        for batch in seen.batches:
            for topic, records_of in written.items():
                records_of += [ChangelogRecord(*each) for each in batch.pop(topic, ())]
        assert seen.error == plain.error
        assert seen.batches == plain.batches
        for place, rows in seen.stores.items():
            name = place.split(" ", 1)[1]
            if name not in line.logged:
                continue
            layout, found = line.logged[name].format, written[line.logged[name].topic]
            state = dict(rows + seen.stores.get(place + SPILLED, []))
            assert missing_in(layout, found, state) == {}, (name, found)
            if line.notes[name].type != "versioned":
                assert left_over(layout, found, state) == set(), (name, found)
