"""Memory that programs can still take: of the machine, and of a container."""

from __future__ import annotations

from pathlib import Path

import pytest

from millstream.topology.spark.driver import free_memory as module
from millstream.topology.spark.driver.free_memory import free_memory


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "_MACHINE", tmp_path / "meminfo")
    pair = (str(tmp_path / "most"), str(tmp_path / "now"))
    monkeypatch.setattr(module, "_CONTAINERS", (pair,))
    return tmp_path


def test_the_smaller_one_counts(files: Path) -> None:
    assert free_memory() is None
    (files / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    3000 kB\n")
    assert free_memory() == 3000 * 1024
    (files / "most").write_text("5000\n")
    (files / "now").write_text("4000\n")
    assert free_memory() == 1000
    (files / "most").write_text("max\n")
    assert free_memory() == 3000 * 1024


def test_this_machine_has_some() -> None:
    found = free_memory()
    assert found is None or found > 0
