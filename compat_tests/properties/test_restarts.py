"""Workers come and go at the end of any batch, and it shows nowhere.

What a worker lost comes back from the changelog; what it has on disk may be the batch before, an
attempt that failed, or older. A task keeps more than Kafka's: besides stream time and the
partitions' times also punctuations' schedules and what operators have seen, so it goes on as if it
had never stopped, where an operator of Kafka Streams starts with no time observed. What is lost is
what only memory holds: metrics, a user's processor's own fields, and the record cache. The cache is
empty after a commit but for reading; only windows that have expired in the store can be missed.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.line import LineOfTasks, LineSeen
from compat_tests.properties.programs import runs
from compat_tests.properties.world import records
from millstream.core.engine.output import Sent
from millstream.core.errors import MillstreamError

Json = dict[str, Any]
FAILURES = {"fail": 99, "fail at once": 0, "fail halfway": 1, "fail elsewhere": 99}
"""How many stages succeed before the batch fails."""

MISHAPS = ["restart", "lose", "move", *FAILURES, "none"]


@given(
    runs(),
    st.integers(1, 8),
    st.sampled_from([0, 1500]),
    st.lists(st.sampled_from(MISHAPS), min_size=1, max_size=4),
)
@examples(80)
def test_a_restart_at_the_end_of_a_batch_shows_nowhere(
    scenario: Json, size: int, step_ms: int, mishaps: list[str]
) -> None:
    if scenario["config"]["statestore.cache.max.bytes"]:
        keep_windows(scenario)
    assert run(scenario, size, step_ms, mishaps) == run(scenario, size, step_ms, ["none"])


def keep_windows(scenario: Json) -> None:
    """Let nothing expire: what has, a record cache may still show, and it is empty at a start."""
    for step in scenario["topology"]:
        if step.get("window", {"type": "unlimited"})["type"] != "unlimited":
            step["materialized"]["retention"] = 1_000_000
        for store in (step.get("store"), *step.get("supplierStores", [])):
            if isinstance(store, dict) and "retention" in store:
                store["retention"] = 1_000_000


def run(scenario: Json, size: int, step_ms: int, mishaps: list[str]) -> LineSeen:
    """Run batches of so many records; something goes wrong before each, in turn."""
    with LineOfTasks(scenario) as line:
        try:
            run_batches(line, records(scenario), size, step_ms, mishaps)
        except MillstreamError as error:
            # The application ends; what its last batches committed stands.
            line.seen.error = type(error).__name__
            return line.seen
        return line.finish()


def run_batches(
    line: LineOfTasks, sent: list[Sent], size: int, step_ms: int, mishaps: list[str]
) -> None:
    worker = 0
    for number, at in enumerate(range(0, len(sent), size)):
        batch, clock_ms = sent[at : at + size], number * step_ms
        mishap = mishaps[number % len(mishaps)]
        if mishap in ("restart", "lose"):
            line.restart(worker, lose=mishap == "lose")
        elif mishap == "move":
            worker = 1 - worker
        elif mishap in FAILURES:
            line.fail(batch, clock_ms, worker, FAILURES[mishap])
            worker = 1 - worker if mishap == "fail elsewhere" else worker
        line.batch(batch, clock_ms, worker)
