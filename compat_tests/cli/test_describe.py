"""`millstream describe`, `millstream completion` and the help, as processes."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from compat_tests.cli.support import WORD_COUNT, command, printed, refused
from millstream.cli.main import app as cli


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(WORD_COUNT)
    return tmp_path


def test_describe_prints_kafkas_text(folder: Path) -> None:
    namespace: dict[str, object] = {"__name__": "program"}
    exec(WORD_COUNT, namespace)  # noqa: S102 - our own program
    topology = namespace["build_topology"]()  # type: ignore[operator]
    assert printed("describe", "app.py", cwd=folder) == f"{topology.describe()}\n"


def test_describe_draws(folder: Path) -> None:
    assert printed("describe", "app", "-f", "mermaid", cwd=folder).startswith("flowchart TD\n")
    assert printed("describe", "app.py", "--format", "dot", cwd=folder).startswith("digraph ")
    body = json.loads(printed("describe", "app.py:build_topology", "--json", cwd=folder))
    assert [part["id"] for part in body["subtopologies"]] == [0, 1]
    assert printed("describe", "app.py", "-f", "svg", "-o", "app.svg", cwd=folder) == ""
    ElementTree.parse(folder / "app.svg")


def test_describe_takes_the_configuration_into_account(folder: Path) -> None:
    (folder / "app.py").write_text(
        "from millstream import StreamsBuilder\nbuilder = StreamsBuilder()\n"
        'builder.table("in").toStream().to("out")\n'
    )
    assert "KTABLE-SOURCE" in printed("describe", "app.py", cwd=folder)
    (folder / "app.toml").write_text('[topology]\noptimization = "all"\n')
    printed("describe", "app.py", "--config", "app.toml", cwd=folder)


def test_errors_are_one_line_and_exit_code_1(folder: Path) -> None:
    assert refused("describe", "other.py", cwd=folder).startswith('there is no file "other.py".')
    told = refused("describe", "app.py", "-o", "none/app.svg", cwd=folder)
    assert told == "cannot write none/app.svg. No such file or directory."


def test_wrong_usage_is_exit_code_2(folder: Path) -> None:
    for arguments in (["describe"], ["describe", "app.py", "-f", "png"], ["nothing"]):
        assert command(*arguments, cwd=folder).returncode == 2
    assert command("describe", "app.py", "--set", "nothing", cwd=folder).returncode == 2
    for port in ("--port", "--registry-port"):
        assert command("broker", port, "65536", cwd=folder).returncode == 2


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    assert printed("--version", cwd=tmp_path) == f"millstream {version('millstream')}\n"


def test_completion_prints_a_script_that_asks_the_command(tmp_path: Path) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_MILLSTREAM_COMPLETE=complete_" in printed("completion", shell, cwd=tmp_path)
    assert printed("completion", cwd=tmp_path, SHELL="/bin/zsh").startswith("#compdef")
    found = command(
        cwd=tmp_path,
        _MILLSTREAM_COMPLETE="complete_bash",
        COMP_WORDS="millstream desc",
        COMP_CWORD="1",
    )
    assert found.stdout.split() == ["describe"]


def test_the_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom millstream.cli.main import app\n"
        "try:\n    app(['run', '--help'])\nexcept SystemExit:\n    pass\n"
        "print({'pyspark', 'pandas', 'pyarrow', 'fastavro'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\nset()\n")


def test_every_subcommand_has_an_example_and_says_its_exit_codes() -> None:
    for info in cli.registered_commands:
        text = info.epilog or ""
        assert "\n  millstream " in text, info.name
        assert "Exit codes: 0 fine; 1 " in text


@pytest.mark.parametrize("name", sorted(get_command(cli).commands))  # type: ignore[attr-defined]
def test_every_subcommand_prints_its_help(name: str) -> None:
    shown = CliRunner().invoke(cli, [name, "--help"])
    assert (shown.exit_code, shown.exception) == (0, None)
    assert f" {name} [OPTIONS]" in shown.output


@pytest.mark.parametrize("arguments", [("--version",), ("describe", "--help"), ("plugins",)])
def test_output_on_a_full_disk_is_told_in_one_line(arguments: tuple[str, ...]) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("only Linux has a device that is always full")
    with full.open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "millstream.cli", *arguments],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    said = "millstream: write error: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, said)
