"""`millstream ui`, and `millstream run --ui`."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from millstream.cli import running
from millstream.cli.main import app
from millstream.cli.running import PreparedApplication
from millstream.core.errors import MillstreamError
from millstream.page.address import FILE, Address, forget, note, noted


def noted_at(directory: Path, port: int, **facts: bool) -> Address:
    url = f"http://127.0.0.1:{port}/"
    note(str(directory), Address(url=url, started_ms=1, token=facts.get("token", False)))
    found = noted(directory)
    assert found is not None
    return found


def run(*arguments: str, directory: Path) -> str:
    done = CliRunner().invoke(app, ["ui", *arguments, "--set", f"state.dir={directory}"])
    if done.exception is not None:
        raise done.exception
    return done.stdout


def test_the_address_of_a_running_application_is_printed(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        found = noted_at(tmp_path / "app", port, token=True)
        assert run("app", directory=tmp_path).splitlines()[0] == found.url
        assert "millstream.ui.token" in run("app", directory=tmp_path)
        told = json.loads(run("app", "--json", directory=tmp_path))
    assert told == {"application": "app", "url": found.url, "token": True, "pid": os.getpid()}


def test_a_configuration_file_names_the_application(tmp_path: Path) -> None:
    file = tmp_path / "app.toml"
    file.write_text(f'"application.id" = "orders"\n"state.dir" = "{tmp_path}"\n')
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = noted_at(tmp_path / "orders", server.getsockname()[1])
        done = CliRunner().invoke(app, ["ui", str(file)])
    assert done.stdout.strip() == found.url


def test_an_application_without_a_page_is_told_how_to_have_one(tmp_path: Path) -> None:
    with pytest.raises(MillstreamError, match="serves no live page") as caught:
        run("app", directory=tmp_path)
    assert "--ui" in caught.value.hint


def test_a_page_that_has_gone_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    noted_at(tmp_path / "app", port)
    with pytest.raises(MillstreamError, match="does not answer"):
        run("app", directory=tmp_path)


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / FILE).write_text("{")
    with pytest.raises(MillstreamError, match="cannot read"):
        run("app", directory=tmp_path)


def test_the_file_of_another_process_stays(tmp_path: Path) -> None:
    noted_at(tmp_path, 1)
    other = (tmp_path / FILE).read_text().replace(str(os.getpid()), "1")
    (tmp_path / FILE).write_text(other)
    forget(str(tmp_path))
    assert noted(tmp_path) is not None


@pytest.mark.parametrize(
    ("given", "entries"),
    [
        ([], []),
        (["--ui"], ["millstream.ui.port=0"]),
        (["--ui=8080"], ["millstream.ui.port=8080"]),
    ],
)
def test_run_takes_a_port_or_none(
    monkeypatch: pytest.MonkeyPatch, given: list[str], entries: list[str]
) -> None:
    seen: list[list[str]] = []

    def prepared(target: str, files: object, sets: list[str], **rest: bool) -> PreparedApplication:
        seen.append(sets)
        raise MillstreamError(target)

    monkeypatch.setattr(running, "prepared", prepared)
    CliRunner().invoke(app, ["run", *given, "app.py"])
    assert seen == [entries]
