"""Two runs of pytest side by side, of which `make test` is made."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from compat_tests import ROOT

TWO_LANES = ROOT / "tools" / "two_lanes.py"
TESTS = """
import pytest

@pytest.mark.shared_spark
def test_cluster(): assert {spark}

def test_alone(): assert {plain}
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TWO_LANES), "-ra", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  shared_spark: s\n  cluster: c\n")
    return tmp_path


@pytest.mark.parametrize(
    ("statuses", "together"),
    [([0, 0], 0), ([1, 0], 1), ([0, 1], 1), ([5, 0], 0), ([5, 1], 1), ([5, 5], 5), ([-9, 0], -9)],
)
def test_a_failure_on_either_side_is_a_failure(statuses: list[int], together: int) -> None:
    assert runpy.run_path(str(TWO_LANES))["_status"](statuses) == together


def test_each_test_runs_once(project: Path) -> None:
    (project / "test_both.py").write_text(TESTS.format(spark=0, plain=1))
    done = run(project)
    assert done.returncode == 1
    assert "shared | FAILED test_both.py::test_cluster" in done.stdout
    assert done.stdout.count("collected 2 items / 1 deselected / 1 selected") == 2


def test_the_last_lines_name_every_failure_again(project: Path) -> None:
    (project / "test_both.py").write_text(TESTS.format(spark=0, plain=0))
    last = run(project).stdout.rpartition("others ended with status 1")[2]
    assert "shared | FAILED test_both.py::test_cluster" in last
    assert "others | FAILED test_both.py::test_alone" in last


def test_a_selection_by_mark_is_one_run(project: Path) -> None:
    (project / "test_both.py").write_text(TESTS.format(spark=1, plain=1))
    done = run(project, "-m", "shared_spark")
    assert done.returncode == 0
    assert done.stdout.count("1 selected") == 1
