"""Every recorded scenario on the test driver, with serdes and functions that behave badly.

Here each scenario meets one kind of them. `tox -e hostile-serdes` runs every scenario with each.
"""

from __future__ import annotations

from collections import Counter

import pytest

from compat_tests import SCENARIOS
from compat_tests.conformance.corpus import judge, read_scenario, scenario_files, with_serdes
from compat_tests.conformance.hostile import KINDS, kind_of

FILES = scenario_files(SCENARIOS)
BY_KIND = {kind: [file for file in FILES if kind_of(file.stem) == kind] for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_results_do_not_depend_on_how_serdes_and_functions_behave(kind: str) -> None:
    outcomes = Counter[str]()
    wrong = {}
    for file in BY_KIND[kind]:
        verdict = judge(with_serdes(read_scenario(file), kind))
        if verdict.differences:
            wrong[f"{file.parent.name}/{file.stem}"] = verdict.differences[0]
        outcomes[verdict.skipped_for or "ran"] += 1
    print(f"{outcomes['ran']} scenarios ran with {kind} serdes")
    assert not wrong
    assert outcomes["ran"] > 100
    # What serializers add to headers shows where bytes count or are shown.
    assert set(outcomes) - {"ran", "its serdes are watched"} == set() or kind == "headers"


def test_every_scenario_runs_with_one_kind_of_hostile_serdes() -> None:
    assert sorted(file for files in BY_KIND.values() for file in files) == FILES
    assert len(FILES) > 1100
