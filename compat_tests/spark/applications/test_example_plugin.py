"""A plugin of somebody else's, from its wheel to a word count on Spark."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from compat_tests import ROOT
from compat_tests.spark.applications.test_processes import program
from compat_tests.spark.support import Playground, eventually

SOURCE = ROOT / "examples" / "plugins" / "millstream-sqlite"
TEXT = ["the quick brown fox", "the lazy dog", "quick quick", "dog eat dog"]

Environment = dict[str, str]


def run(*command: str | Path, env: Environment | None = None) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment in which the plugin's wheel has been installed."""
    folder = tmp_path_factory.mktemp("plugin")
    options = ["--no-deps", "--no-index", "--disable-pip-version-check", "-q"]
    wheels, target = folder / "wheels", folder / "site"
    run("pip", "wheel", *options, "--no-build-isolation", "-w", wheels, SOURCE)
    (wheel,) = wheels.glob("*.whl")
    assert wheel.name == "millstream_sqlite-1.0.0-py3-none-any.whl"
    run("pip", "install", *options, "--target", target, wheel)
    return {"PYTHONPATH": os.pathsep.join([str(target), str(ROOT)])}


def test_the_plugin_is_found_by_its_entry_point(installed: Environment) -> None:
    listed = run("millstream.cli", "plugins", env=installed)
    (row,) = (line.split() for line in listed.splitlines() if " sqlite " in line)
    assert row == [
        *("store", "sqlite", "durable,", "ordered,", "snapshot_scans,", "native_ttl"),
        *("millstream-sqlite", "1.0.0", "millstream_sqlite.SqliteStore"),
    ]


def test_the_plugin_passes_the_check(installed: Environment) -> None:
    output = run("millstream.cli", "plugins", "check", "sqlite", env=installed)
    assert "FAIL" not in output
    assert output.endswith("It keeps its promises.\n")


def test_the_plugin_passes_its_own_tests(installed: Environment) -> None:
    output = run("pytest", "-q", SOURCE / "tests", "-p", "no:cacheprovider", env=installed)
    assert " passed" in output


@pytest.mark.spark
@pytest.mark.long
def test_the_word_count_on_spark_uses_it_by_its_name(
    installed: Environment, play: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in installed.items():
        monkeypatch.setenv(name, value)
    source, target = play.topic("text"), play.topic("counts")
    play.produce(source, [(None, line.encode(), n, n % 2) for n, line in enumerate(TEXT)])

    def counts() -> dict[str, int]:
        return {m.key().decode(): int.from_bytes(m.value(), "big") for m in play.read(target, 1)}

    with program(play, source, target, {"default.dsl.store": "sqlite"}):
        eventually(counts, dict(Counter(word for line in TEXT for word in line.split())))
    kept = list(play.directory.rglob("store.db"))
    assert kept
    assert {path.parent.parent.name for path in kept} == {"sqlite"}
