"""The trial of an installed wheel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.releasing import installed
from tools.releasing.errors import Refused


def report(*broken: str) -> str:
    checks = [{"what": what, "status": "broken", "text": "It is not."} for what in broken]
    return json.dumps({"checks": [{"what": "Python", "status": "ok", "text": ""}, *checks]})


def test_a_machine_without_a_broker_is_fine() -> None:
    installed.check_doctor(report())
    installed.check_doctor(report("broker"))


def test_anything_else_that_is_broken_is_refused() -> None:
    with pytest.raises(Refused, match="packages: It is not"):
        installed.check_doctor(report("broker", "packages"))


def test_a_python_that_is_not_here_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="3.99"):
        installed.install(tmp_path / "a.whl", "3.99", tmp_path / "environment", "")
