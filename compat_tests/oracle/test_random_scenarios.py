"""Random scenarios: those that are recorded, the comparison, and how a difference is made small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compat_tests import SCENARIOS
from compat_tests.conformance.corpus import read_scenario, scenario_files
from compat_tests.oracle import random_scenarios
from compat_tests.oracle.generate.features import scenario
from compat_tests.oracle.generate.written import written
from compat_tests.oracle.shrink import kind_of, shrunk

RECORDED = scenario_files(SCENARIOS / "random")


def test_seventy_are_recorded() -> None:
    """`compat_tests/conformance` replays them with the others."""
    assert len(RECORDED) == 70
    assert all(random_scenarios.problem(read_scenario(file)) is None for file in RECORDED)


def test_a_difference_is_found_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = read_scenario(RECORDED[0])
    wrong = {**right, "expect": {**right["expect"], "describe": "Topologies:\n"}}

    def record(folder: Path) -> int:
        for name, recorded in (("right", right), ("wrong", wrong)):
            Path(folder, f"{name}.json").write_text(written(recorded), encoding="utf-8")
        return 0

    monkeypatch.setattr(random_scenarios, "run_oracle", record)
    assert random_scenarios.main([str(tmp_path), "--seed", "1", "--count", "0"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path / 'wrong.json'}: describe line 2: expected '', got '   Sub-topology: 0'",
        "1 differ, 0 of 2 were not answered",
    ]


def test_what_is_shrunk_keeps_what_makes_the_difference() -> None:
    made = scenario(3, "mixed", 5)
    bad = next(event for event in made["events"] if "pipe" in event)

    def ask(scenes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**scene, "expect": {}} for scene in scenes]

    def problem(scene: dict[str, Any]) -> str | None:
        return "store st: too much" if bad in scene["events"] else None

    small = shrunk(made, ask, problem)
    plain = {name: part for name, part in bad.items() if name != "headers"}
    assert [{**event, **plain} for event in small["events"]] == [{**plain}]
    assert len(small["topology"]) == 1


def test_differences_are_of_one_kind_whatever_their_names_and_numbers() -> None:
    kinds = [
        kind_of("event 3 (in1 a=1@5): record 0: expected out1 'a'=1@5, got out1 'a'=2@5"),
        kind_of("event 12 (in7 b=1@5): record 1: expected out4 'a'=3@5, got out4 'a'=2@5"),
        kind_of("event 3 (in1 a=1@5): expected StreamsException, got [...]"),
        kind_of("metric dropped-records-total of {'task-id': '0_0'}: expected 1, got 2"),
    ]
    assert kinds[0] == kinds[1]
    assert len(set(kinds)) == 3
