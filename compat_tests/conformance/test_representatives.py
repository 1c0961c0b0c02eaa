"""The scenarios that stand for all."""

from __future__ import annotations

from compat_tests import SCENARIOS
from compat_tests.conformance.corpus import read_scenario, scenario_files
from compat_tests.conformance.representatives import representatives, traits

FILES = scenario_files(SCENARIOS)


def test_they_have_every_folder_and_everything_that_any_scenario_has() -> None:
    chosen = representatives(FILES)
    assert {file.parent for file in chosen} == {file.parent for file in FILES}
    everything = {trait for file in FILES for trait in traits(read_scenario(file))}
    assert {trait for file in chosen for trait in traits(read_scenario(file))} == everything


def test_they_are_a_third_or_somewhat_more_and_always_the_same() -> None:
    chosen = representatives(FILES)
    assert len(FILES) / 3 <= len(chosen) <= len(FILES) / 2
    assert representatives(FILES[::-1]) == chosen


def test_a_trait_tells_an_operator_and_its_variant() -> None:
    scenario = {
        "config": {"topology.optimization": "all"},
        "topology": [
            {"op": "join", "how": "left", "windows": {"diff": 5}},
            {"op": "process", "processor": ["counter", "st"]},
            {"op": "count", "window": {"type": "sliding", "diff": 3}, "emit": "close"},
        ],
    }
    assert traits(scenario) == {
        "config topology.optimization",
        "count",
        "count emit close",
        "count type sliding",
        "count window",
        "join",
        "join how left",
        "join windows",
        "process",
        "process processor counter",
    }
