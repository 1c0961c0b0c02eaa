"""Tests of the start of a page, beside that of the application's log."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from millstream import ConfigException, KafkaStreams, StreamsBuilder, StreamsException
from millstream.page.address import noted

MILLSTREAM = logging.getLogger("millstream")


def _application(directory: Path, **entries: Any) -> KafkaStreams:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    given = {key.replace("_", "."): value for key, value in entries.items()}
    config = {"application.id": "app", "bootstrap.servers": "b:1", "millstream.ui.port": 0}
    return KafkaStreams(builder.build(), {**config, "state.dir": str(directory), **given})


def test_the_log_and_the_terminal_tell_the_address(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a program that has not set up logging; pytest has.
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    streams = _application(tmp_path, millstream_ui_host="0.0.0.0")

    def fails() -> None:
        raise StreamsException("no broker answers")

    # Where it would ask the broker.
    monkeypatch.setattr(streams._runner, "start", fails)
    with pytest.raises(StreamsException):
        streams.start()

    for told in ((tmp_path / "app" / "millstream.log").read_text(), capsys.readouterr().err):
        assert "app: live page at http://127.0.0.1:" in told
        assert "whoever reaches http://127.0.0.1:" in told


def test_a_log_that_cannot_be_written_leaves_no_page_behind(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    streams = _application(tmp_path, millstream_log_file=str(tmp_path / "file" / "log"))

    with pytest.raises(ConfigException, match="cannot write the log file"):
        streams.start()

    assert streams.state() is KafkaStreams.State.CREATED
    assert noted(tmp_path / "app") is None


def test_a_page_that_is_refused_leaves_no_log_behind(tmp_path: Path) -> None:
    before = list(MILLSTREAM.handlers)
    streams = _application(tmp_path, millstream_ui_host="no.such.host.invalid")

    with pytest.raises(ConfigException, match="no such address"):
        streams.start()

    assert streams.state() is KafkaStreams.State.CREATED
    assert MILLSTREAM.handlers == before
