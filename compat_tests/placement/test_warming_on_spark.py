"""The workers of an executor of a real cluster are started by a job of the driver's."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from compat_tests import ROOT


@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.long
def test_the_workers_are_started_on_the_executor_that_was_asked_for() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "compat_tests.placement.warm_executors"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert [json.loads(line) for line in ended.stdout.splitlines()] == [
        {"executor": name, "there": True} for name in ("0", "1", "0", "1")
    ]
