"""Scenarios on the test driver, which begins anew with its savepoint half way: it shows nowhere.

Without a record cache, which is empty at a start and may hold windows that have expired.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests import SCENARIOS
from compat_tests.conformance.corpus import read_scenario, scenario_files
from compat_tests.conformance.hosts import DriverHost
from compat_tests.conformance.replay import replay
from compat_tests.conformance.representatives import representatives
from compat_tests.conformance.savepoint_host import SavepointHost
from compat_tests.effort import some

UNLIKE = {
    "own-a-record-that-its-source-drops-still-fires": "its schedule is made by a punctuation",
    "own-start-3-on-the-wall-clock": "its processor counts in a field of its own",
    "own-start-at-the-clock-of-init-and-cancelled-at-the-third-run": "it counts in a field",
    "own-start-0-on-the-wall-clock": "its processor counts in a field of its own",
    "own-idling-waits-for-repartition-topics-too": "records wait, which a savepoint does not have",
    "own-idling-with-a-pattern": "records wait, which a savepoint does not have",
}
FILES = [
    file
    for file in some(representatives(scenario_files(SCENARIOS), share=8))
    if "error" not in read_scenario(file)["expect"] and file.stem not in UNLIKE
]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_start_from_a_savepoint_shows_nowhere(file: Path) -> None:
    scenario = read_scenario(file)
    scenario = {
        **scenario,
        # A logger of changes counts from 1 again, as Kafka's does.
        "captureInternal": False,
        "serdes": None,
        "config": {**scenario.get("config", {}), "statestore.cache.max.bytes": 0},
    }
    half = len(scenario["events"]) // 2 + 1

    assert replay(scenario, SavepointHost(half)) == replay(scenario, DriverHost())
