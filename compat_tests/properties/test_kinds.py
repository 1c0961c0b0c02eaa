"""Which byte store keeps a store's bytes shows nowhere, also where that changes at a restart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.line import LineOfTasks, LineSeen
from compat_tests.properties.programs import FEATURES, runs
from compat_tests.properties.test_restarts import keep_windows
from compat_tests.properties.world import records
from millstream.core.errors import MillstreamError
from millstream.core.working_copy import WorkingCopy
from millstream.topology.spark.worker.task_host import SparkTaskHost

Json = dict[str, Any]
KINDS = ["memory", "rocksdb", "lmdb"]
Step = tuple[str, bool, bool]
"""The kind, whether it is known before the stores are opened, and whether disks are lost."""


@given(
    runs(FEATURES - {"cache"}),
    st.integers(1, 8),
    st.lists(
        st.tuples(st.sampled_from(KINDS), st.booleans(), st.booleans()), min_size=2, max_size=4
    ),
)
@examples(60)
def test_stores_that_change_their_kind_at_a_restart_keep_what_they_hold(
    scenario: Json, size: int, steps: list[Step]
) -> None:
    keep_windows(scenario)
    assert run(scenario, size, steps) == run(scenario, size, [])


def run(scenario: Json, size: int, steps: list[Step]) -> LineSeen:
    """Run batches of so many records, each in an application that has just been started."""
    asked = {"kind": ""}
    working_copy = SparkTaskHost.working_copy

    def switched(host: SparkTaskHost, store: str, kind: str) -> WorkingCopy:
        return working_copy(host, store, asked["kind"] or kind)

    sent = records(scenario)
    with (
        patch.object(SparkTaskHost, "working_copy", switched),
        LineOfTasks(scenario) as line,
    ):
        names = [node.name for part in line.plan.subtopologies for node in part.stores]
        try:
            for number, at in enumerate(range(0, len(sent), size)):
                if steps:
                    asked["kind"], known, lose = steps[number % len(steps)]
                    line.restart(0, lose=lose)
                    kinds = dict.fromkeys(names, asked["kind"]) if known else {}
                    line.jobs[0] = replace(line.jobs[0], kinds=kinds)
                line.batch(sent[at : at + size], 0, 0)
        except MillstreamError as error:
            line.seen.error = type(error).__name__
            return line.seen
        return line.finish()
