"""Commands that a signal ends, and what the system does not give them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from typer.testing import CliRunner

from compat_tests.cli.support import refused

# The package names its function as it names the module.
module = import_module("millstream.cli.main")
SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """The handlers of a new process; those before are restored."""
    before = {each: signal.signal(each, signal.SIG_DFL) for each in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_leaves_no_copy_of_the_state_behind(
    number: signal.Signals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module.exit_on_signals()
    with pytest.raises(SystemExit) as caught, TemporaryDirectory(dir=tmp_path):
        signal.raise_signal(number)
    assert caught.value.code == 128 + number
    assert not list(tmp_path.iterdir())
    assert capsys.readouterr().err == f"millstream: ended by {number.name}\n"


def test_nohup_is_obeyed() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    module.exit_on_signals()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.parametrize(("command", "changed"), [("run", 0), ("describe", len(SIGNALS))])
def test_only_commands_that_do_not_close_by_themselves_have_the_handlers_until_they_end(
    command: str, changed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, set_to_exit = signal.signal, []

    def noted(number: signal.Signals, handler: Any) -> Any:
        if handler is module._exit:
            set_to_exit.append(number)
        return plain(number, handler)

    monkeypatch.setattr(module.signal, "signal", noted)

    CliRunner().invoke(module.app, [command, "no.such.program"])

    assert len(set_to_exit) == changed
    assert [signal.getsignal(each) for each in SIGNALS] == [signal.SIG_DFL] * len(SIGNALS)


def test_a_file_that_the_system_does_not_give_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def app(**_: Any) -> None:
        raise PermissionError(13, "Permission denied", "/data/state/orders/placement.json")

    monkeypatch.setattr(module, "app", app)
    with pytest.raises(SystemExit) as caught:
        module.main()
    assert caught.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith('millstream: cannot use "/data/state/orders/placement.json". Permission')


def test_a_home_directory_of_nobody_is_a_path_as_others(tmp_path: Path) -> None:
    told = refused("state", "list", "~nobody-of-this-name/orders", cwd=tmp_path)
    assert told.startswith('there is no savepoint, checkpoint or application "~nobody')
