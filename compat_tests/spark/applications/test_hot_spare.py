"""A second driver that waits as a hot spare, and the first one that is killed or frozen."""

from __future__ import annotations

import pytest

from compat_tests.effort import witnesses
from compat_tests.spark.applications.drivers import drivers, taken_over_exactly
from compat_tests.spark.support import Playground


@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.parametrize("fate", witnesses(["frozen", "killed"], 2))
def test_a_hot_spare_takes_over_and_the_output_stays_exact(play: Playground, fate: str) -> None:
    with drivers(play) as both:
        # A frozen driver keeps the lock of its directory; another machine has another directory.
        entries = {}
        if fate == "frozen":
            checkpoint = play.directory / play.name / "checkpoint"
            entries["millstream.checkpoint.location"] = str(checkpoint)
            entries["state.dir"] = str(play.directory / "elsewhere")
        taken_over_exactly(both, fate, entries)
