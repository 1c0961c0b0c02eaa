"""In a real scheduler a lost task goes to its copy, and a new executor's core to a warming job."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from compat_tests import ROOT


@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.long
def test_a_lost_task_waits_for_its_copy_and_a_new_executor_for_its_warming_job() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "compat_tests.placement.led_tasks"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    lost, joined = (json.loads(line) for line in ended.stdout.splitlines())
    assert lost == {"waited": True, "at_its_copy": True, "idle": 1}
    assert joined == {"there": [True], "first": ["warm"], "later": ["batch"], "held": []}
