"""A protection that is switched off is off, in every Python process that starts so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from compat_tests import ROOT

TOKEN = """
from millstream.topology.spark.ownership import Committed, Mark
from millstream.topology.spark.worker.sink_rules import Found, Writer
from millstream.topology.spark.worker.writers import must_write

writer = Writer(application_id="a", checkpoint="c", instance="", partition=0, exactly_once=True)
found = Found(token=Committed(6, Mark("c", "w")))
print("damage" if must_write(writer, 5, (), found) else "refused")
"""
ROLLBACK = """
from compat_tests.spark.state.test_changelog import Cluster

cluster = Cluster()
cluster.batch(0, {"counts": {b"k": b"1"}})
cluster.batch(0, {"counts": {b"k": b"2"}}, fails=True)
try:
    cluster.batch(0, {})
    print("refused")
except AssertionError:
    print("damage")
"""
FENCING = """
from types import SimpleNamespace

from millstream.topology.spark.worker.writers import SinkWriter

writer = SinkWriter.__new__(SinkWriter)
writer._job, writer._partition = SimpleNamespace(application_id="a"), 3
names = {writer._transactional_id() for _ in range(2)}
print("refused" if names == {"a-3"} else "damage")
"""


@pytest.mark.parametrize(
    ("protection", "program"),
    [("token", TOKEN), ("rollback", ROLLBACK), ("fencing", FENCING)],
)
def test_a_protection_that_is_switched_off_is_off(protection: str, program: str) -> None:
    assert said(program, {"SMOKE_WITHOUT": protection}) == "damage"


def test_nothing_is_switched_off_without_being_asked() -> None:
    assert said(FENCING, {}) == "refused"


def said(program: str, environment: dict[str, str]) -> str:
    weakened = Path(__file__).parent / "weakened"
    path = os.pathsep.join([str(weakened), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()
