"""A command whose JVM has been killed, or has found a full disk, says so in one line."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.java_errors import JavaError
from millstream.core.errors import StreamsException
from millstream.topology.spark.driver import jvm
from millstream.topology.spark.private import write_private

# The package names its function as it names the module.
module = import_module("millstream.cli.main")


def raises() -> Any:
    def app(**_: object) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    return app


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    """Run the command, which fails; return the one line that it says."""
    with pytest.raises(SystemExit) as caught:
        module.main()
    assert caught.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_killed_jvm_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "app", raises())
    monkeypatch.setattr(jvm, "ended_jvm", lambda: "was killed by SIGKILL")

    line = last_line(capsys)
    assert line.startswith("millstream: Spark's JVM has ended. It was killed by SIGKILL. Repeat")


def test_an_error_that_quotes_an_empty_log_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def app(**_: object) -> None:
        raise StreamsException("cannot start Spark's JVM", detail="It ended at once:\n")

    monkeypatch.setattr(module, "app", app)

    with pytest.raises(SystemExit):
        module.main()

    told = capsys.readouterr().err
    assert told == "millstream: cannot start Spark's JVM. It ended at once:\n"


def test_a_full_disk_of_which_spark_tells_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def app(**_: object) -> None:
        raise JavaError("java.io.IOException: No space left on device\n\tat java.base/sun.nio.ch")

    monkeypatch.setattr(module, "app", app)
    monkeypatch.setattr(jvm, "ended_jvm", lambda: None)

    line = last_line(capsys)
    assert line.startswith("millstream: there is no space left on the disk. Make room where")


def test_another_error_keeps_its_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "app", raises())
    monkeypatch.setattr(jvm, "ended_jvm", lambda: None)

    with pytest.raises(ConnectionRefusedError):
        module.main()


def test_a_full_disk_of_which_the_system_tells_is_told_with_its_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not as an error of standard output, or of rights."""

    def app(**_: object) -> None:
        write_private(Path("/dev/full"), "text")

    monkeypatch.setattr(module, "app", app)
    monkeypatch.setattr(jvm, "ended_jvm", lambda: None)

    line = last_line(capsys)
    told = 'millstream: there is no space left on the disk at "/dev/full". Make room where'
    assert line.startswith(told)
