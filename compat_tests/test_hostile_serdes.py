"""Every recorded scenario on the test driver, with serdes and functions that behave badly.

Here each scenario meets one kind of them. `tox -e hostile-serdes` runs every scenario with each.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from compat_tests.conformance.corpus import judge, read_scenario, scenario_files, with_serdes
from compat_tests.conformance.hostile import KINDS, kind_of

SCENARIOS = Path(__file__).parent / "oracle" / "scenarios"
FILES = scenario_files(SCENARIOS)
BY_KIND = {kind: [file for file in FILES if kind_of(file.stem) == kind] for kind in KINDS}
IN_BYTES = {"own-grace-wire-and-late"}
"""The buffer's bytes that these show hold the record's headers, and so those of serializers."""


@pytest.mark.parametrize("kind", KINDS)
def test_results_do_not_depend_on_how_serdes_and_functions_behave(kind: str) -> None:
    outcomes = Counter[str]()
    wrong = {}
    for file in BY_KIND[kind]:
        verdict = judge(with_serdes(read_scenario(file), kind))
        if verdict.differences:
            wrong[f"{file.parent.name}/{file.stem}"] = verdict.differences[0]
        elif verdict.skipped_for:
            assert kind == "headers"
            assert file.stem in IN_BYTES
        outcomes["skipped" if verdict.skipped_for else "ran"] += 1
    print(f"{outcomes['ran']} scenarios ran with {kind} serdes")
    assert not wrong
    assert outcomes["ran"] > 100


def test_every_scenario_has_its_turn() -> None:
    assert sorted(file for files in BY_KIND.values() for file in files) == FILES
    assert len(FILES) > 1100
