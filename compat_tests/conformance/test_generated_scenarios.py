"""The generator of scenarios."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compat_tests.conformance.api import NotBuiltYetError
from compat_tests.conformance.hosts import HOSTS
from compat_tests.conformance.replay import replay
from compat_tests.oracle.generate.__main__ import main
from compat_tests.oracle.generate.features import FEATURES, scenario


def test_the_same_numbers_make_the_same_scenario() -> None:
    assert scenario(7, "chain", 3) == scenario(7, "chain", 3)
    assert scenario(7, "chain", 3) != scenario(8, "chain", 3)


@pytest.mark.parametrize("feature", FEATURES)
def test_every_source_of_a_step_is_a_step_before_it(feature: str) -> None:
    for index in range(10):
        made = scenario(1, feature, index)
        known: set[str] = set()
        for step in made["topology"]:
            assert {name.split(".")[0] for name in step.get("from", [])} <= known
            known.add(step.get("id", ""))


@pytest.mark.parametrize("feature", FEATURES)
def test_every_event_is_for_a_topic_or_store_of_the_scenario(feature: str) -> None:
    for index in range(10):
        made = scenario(1, feature, index)
        for event in made["events"]:
            if "pipe" in event:
                assert event["pipe"] in made["topics"]
                assert event["ts"] >= 0 or feature == "mixed"
            elif "query" in event:
                assert event["query"] in made["stores"]


@pytest.mark.parametrize("feature", FEATURES)
def test_what_is_made_up_can_be_replayed(feature: str) -> None:
    made = scenario(1, feature, 0)
    try:
        actual = replay(made, HOSTS["driver"]())
    except NotBuiltYetError as missing:
        pytest.skip(str(missing))
    assert "error" in actual or len(actual["outputs"]) <= len(made["events"])


def test_the_command_writes_a_file_for_each_scenario(tmp_path: Path) -> None:
    assert main([str(tmp_path), "--seed", "5", "--feature", "wire", "--count", "2"]) == 0
    files = sorted(tmp_path.rglob("*.json"))
    assert [file.name for file in files] == ["wire-5-000.json", "wire-5-001.json"]
    assert json.loads(files[1].read_text(encoding="utf-8")) == scenario(5, "wire", 1)
