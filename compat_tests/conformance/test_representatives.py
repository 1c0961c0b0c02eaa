"""The scenarios that stand for all."""

from __future__ import annotations

from compat_tests import SCENARIOS
from compat_tests.conformance.corpus import read_scenario, scenario_files
from compat_tests.conformance.representatives import representatives, traits

FILES = scenario_files(SCENARIOS)


def test_representatives_have_every_folder_operator_and_event() -> None:
    chosen = representatives(FILES)
    assert {file.parent for file in chosen} == {file.parent for file in FILES}
    everything = {trait for file in FILES for trait in traits(read_scenario(file))}
    assert {trait for file in chosen for trait in traits(read_scenario(file))} == everything


def test_representatives_are_a_third_to_a_half_of_the_scenarios_in_whatever_order() -> None:
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
