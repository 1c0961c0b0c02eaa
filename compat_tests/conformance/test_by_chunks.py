"""Scenarios in blocks of records: by chunks and one by one, a topology does the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests import SCENARIOS
from compat_tests.conformance.blocks import run_in_blocks
from compat_tests.conformance.corpus import read_scenario, scenario_files
from compat_tests.effort import some

FILES = [
    file for file in some(scenario_files(SCENARIOS)) if "error" not in read_scenario(file)["expect"]
]


@pytest.mark.parametrize("size", [3, 1000])
@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_chunks_give_what_single_records_give(file: Path, size: int) -> None:
    scenario = read_scenario(file)
    log, error = run_in_blocks(scenario, size, by_chunks=False)
    assert run_in_blocks(scenario, size, by_chunks=True) == (log, error)
