"""The soak's arithmetic: slopes, samples, table, picture."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from benchmarks.soak.plot import plot
from benchmarks.soak.report import table
from benchmarks.soak.run import Feeder, Samples
from benchmarks.soak.samples import of_directory, processes, sample
from benchmarks.soak.slopes import Slope, slopes

TIMES = [float(second) for second in range(0, 1200, 5)]


def slope_of(values: list[float], warm_up_s: float = 600.0) -> Slope:
    (found,) = slopes(TIMES, {"series": values}, warm_up_s)
    return found


def test_a_series_that_grows_is_told_in_per_cent_of_ten_minutes() -> None:
    # From 100 at the start to 120 at the end; its median after the warm-up is 115.
    found = slope_of([100 + second / 60 for second in TIMES])
    assert found.percent == pytest.approx(100 * 10 / 115, rel=0.01)
    assert found.grows(1.0)
    assert not found.grows(10.0)
    assert (round(found.first), round(found.last)) == (111, 119)


def test_what_grows_only_while_it_warms_up_is_flat() -> None:
    found = slope_of([min(second, 500.0) for second in TIMES])
    assert found.percent == 0
    assert not found.grows(0.0)


def test_a_sawtooth_is_flat_and_what_falls_does_not_grow() -> None:
    assert abs(slope_of([100 + second % 60 / 10 for second in TIMES]).percent) < 1
    assert not slope_of([2000 - second for second in TIMES]).grows(1.0)


def test_a_series_that_is_not_there_all_the_time_has_no_slope() -> None:
    found = Samples()
    found.add(0.0, {"always": 1.0})
    for number in range(1, 6):
        found.add(float(number), {"always": 1.0, "later": 2.0})
    assert [each.name for each in slopes(found.times, found.series, 0)] == ["always"]
    assert [each.name for each in slopes(found.times, found.series, 1)] == ["always", "later"]


def test_a_record_that_is_not_sent_is_known_to_the_run() -> None:
    settings: Any = SimpleNamespace(rate=1, keys=1)
    feeder = Feeder("localhost:1", settings, patience_s=0.1)
    feeder._send(1)
    feeder._producer.flush(10)
    assert "timed out" in str(feeder.failure)


def test_the_table_marks_what_grows_but_not_what_must() -> None:
    grown = [Slope(name, 1, 2, 2, 50.0) for name in ("driver: memory MB", "application: batch")]
    marked = [line for line in table(grown, 1.0).splitlines() if line.endswith("GROWS")]
    assert len(marked) == 1
    assert marked[0].startswith("driver: memory MB")


def test_processes_are_found_below_the_driver_and_measured(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 10_000)
    command = "import sys, subprocess; subprocess.run([sys.executable, '-c', 'input()', 'pyspark'])"
    with subprocess.Popen([sys.executable, "-c", command], stdin=subprocess.PIPE) as driver:
        try:
            while len(processes(driver.pid)) < 2:
                assert driver.poll() is None
            found = sample(driver.pid, {"here on disk": tmp_path}, tmp_path)
        finally:
            assert driver.stdin is not None
            driver.stdin.close()
    assert found["driver: memory MB"] > 1
    assert found["driver: threads"] == 1
    assert any(name.startswith("helper") for name in found)
    assert found["here on disk: files"] == 1
    assert found["temporary directory: entries"] == len(os.listdir(tmp_path))
    assert 0 < of_directory(tmp_path)["MB"] < 0.1


def test_the_picture_is_the_same_for_the_same_numbers(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    series = {"driver: memory MB": [1.0, 2.0], "checkpoint on disk: files": [3.0, float("nan")]}
    for name in ("one.svg", "two.svg"):
        plot([0.0, 60.0], series, "a title", tmp_path / name)
    one, two = ((tmp_path / name).read_bytes() for name in ("one.svg", "two.svg"))
    assert one == two
    assert b"a title" in one
    ElementTree.fromstring(one)  # noqa: S314 - written here
