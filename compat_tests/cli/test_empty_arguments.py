"""Arguments that are empty, as of an unset variable of a shell, or contradict each other."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from millstream import StreamsBuilder, StreamsConfig
from millstream.core.errors import IllegalArgumentException
from millstream.topology.spark.driver.restoring import restore_savepoint

# The package names its function as it names the module.
module = import_module("millstream.cli.main")


@pytest.mark.parametrize(
    "line",
    [
        ["savepoint", "", "somewhere"],
        ["savepoint", "app", ""],
        ["reset", "", "--execute"],
        ["state", "prune", " "],
        ["lag", ""],
        ["tasks", ""],
    ],
)
def test_an_empty_argument_is_no_default(
    line: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(module.app, line)
    assert done.exit_code == 2
    assert "It is empty." in done.output
    assert not list(tmp_path.iterdir())


def test_an_empty_savepoint_is_not_the_working_directory() -> None:
    config = StreamsConfig({"application.id": "app", "bootstrap.servers": "127.0.0.1:9"})
    with pytest.raises(IllegalArgumentException, match="is empty"):
        restore_savepoint(StreamsBuilder().build(), config, "")


def test_a_description_has_one_format(tmp_path: Path) -> None:
    done = CliRunner().invoke(module.app, ["describe", "app.py", "--format", "svg", "--json"])
    assert done.exit_code == 2
    assert "Choose one of --format and --json." in done.output
