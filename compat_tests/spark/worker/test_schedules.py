"""Wall-clock schedules of tasks that run batch by batch, without Spark."""

from __future__ import annotations

import pytest

from compat_tests import SCENARIOS
from compat_tests.conformance.corpus import read_scenario
from compat_tests.properties.line import LineOfTasks

SCENARIOS = SCENARIOS / "punctuate"


@pytest.mark.parametrize("restarts", [False, True])
def test_a_first_time_at_the_start_is_the_next_reading_of_the_clock(restarts: bool) -> None:
    file = SCENARIOS / "own-start-at-the-clock-of-init-fires-when-the-clock-moves.json"
    with LineOfTasks(read_scenario(file)) as line:
        for clock_ms in (1000, 1001, 1009, 1010, 1040):
            line.batch([], clock_ms, 0)
            if restarts:
                # A task that is made anew knows of its schedule, and that it is not new.
                line.restart(0, lose=True)
        times = [[out[2] for out in batch.get("out", [])] for batch in line.seen.batches]
    assert times == [[], [1001], [], [1010], [1040]]
