"""Programs of the tests, each in a process of its own with a cluster of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from compat_tests import ROOT


def said(module: str) -> list[Any]:
    """Run a program to its end; return what it printed, a line of JSON for each step."""
    ended = subprocess.run(
        [sys.executable, "-m", f"compat_tests.placement.{module}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return [json.loads(line) for line in ended.stdout.splitlines()]
