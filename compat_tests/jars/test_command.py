"""`millstream jars` prints the jars of a lock, and no others that lie beside them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from millstream.cli import jars as command
from millstream.cli.main import app
from millstream.jars import read_lock


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache where the jars of all locks lie, empty."""

    def found(name: str, *, ivy_settings: Path | None = None) -> list[Path]:
        del ivy_settings
        paths = [tmp_path / jar.file_name for jar in read_lock(name)]
        for path in paths:
            path.touch()
        return paths

    monkeypatch.setattr(command, "jars", found)
    found("kafka")
    found("streams")
    return tmp_path


def printed(*arguments: str) -> list[str]:
    done = CliRunner().invoke(app, ["jars", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()


def test_each_path_is_shown(folder: Path) -> None:
    head, *paths = printed("spark")
    assert head.startswith("spark: ")
    assert sorted(paths) == sorted(f"  {folder / jar.file_name}" for jar in read_lock("spark"))
    assert sum("kafka-clients-" in path for path in paths) == 1


@pytest.mark.parametrize(("option", "separator"), [("--classpath", os.pathsep), ("--commas", ",")])
def test_one_line_is_for_other_programs(folder: Path, option: str, separator: str) -> None:
    (line,) = printed("spark", option)
    assert sorted(line.split(separator)) == sorted(
        str(folder / jar.file_name) for jar in read_lock("spark")
    )
