"""In a real scheduler a lost task goes to its copy, and a new executor's core to a warming job."""

from __future__ import annotations

import pytest

from compat_tests.placement.programs import said


@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.long
def test_a_lost_task_waits_for_its_copy_and_a_new_executor_for_its_warming_job() -> None:
    running, submitted_later, joined = said("led_tasks")
    assert running == {"waited": True, "at_its_copy": True, "idle": 1}
    assert submitted_later["at_its_copy"]
    assert joined == {
        "there": [True],
        "first": ["warm", "after"],
        "later": ["batch"],
        "held": [],
        "passed": True,
    }
