"""The workers of an executor of a real cluster are started by a job of the driver's."""

from __future__ import annotations

import pytest

from compat_tests.placement.programs import said


@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.long
def test_the_workers_are_started_on_the_executor_that_was_asked_for() -> None:
    assert said("warm_executors") == [
        {"executor": name, "there": True} for name in ("0", "1", "0", "1")
    ]
