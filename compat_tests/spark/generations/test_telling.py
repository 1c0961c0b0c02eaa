"""What a start says of the savepoint that the configuration names, and a savepoint's directory."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.generations.test_left_overs import description, generations
from millstream import StreamsConfig, StreamsException
from millstream.topology.savepoints.manifest import FILE
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.generations.moving import FromSavepoint, noted
from millstream.topology.spark.generations.savepoints import write_savepoint
from millstream.topology.spark.generations.telling import tell_of_savepoint

NOTHING: Any = None


def config(savepoint: str = "") -> StreamsConfig:
    given = {"millstream.savepoint": savepoint} if savepoint else {}
    return StreamsConfig({"application.id": "app", "bootstrap.servers": "b:1", **given})


def move(root: Path, location: str) -> FromSavepoint:
    return FromSavepoint(
        generations=generations(root),
        instance=NOTHING,
        compiled=NOTHING,
        config=NOTHING,
        location=location,
        former="",
    )


def told(caplog: pytest.LogCaptureFixture, root: Path, begins: Any, given: str) -> list[str]:
    caplog.set_level(logging.INFO, logger="millstream")
    tell_of_savepoint(generations(root), begins, config(given))
    return [record.getMessage() for record in caplog.records]


def test_a_start_from_a_savepoint_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lines = told(caplog, tmp_path, move(tmp_path, "file:///points/a"), "/points/a")
    assert lines == ["app: begins with the stores and positions of savepoint file:///points/a"]


def test_a_savepoint_is_not_used_where_there_is_a_checkpoint(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    noted(generations(tmp_path), description(filtered=False))
    (line,) = told(caplog, tmp_path, None, "/points/a")
    assert line.startswith("app: savepoint /points/a is not used: the application goes on with")
    assert "millstream state restore" in line
    assert caplog.records[0].levelno == logging.WARNING


def test_a_savepoint_is_not_used_where_offsets_were_reset(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (line,) = told(caplog, tmp_path, None, "/points/a")
    assert "the offsets were reset, so the application begins with empty stores" in line


def test_another_savepoint_is_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first, second = told(caplog, tmp_path, move(tmp_path, "file:///points/a"), "/points/b")
    assert "savepoint file:///points/a" in first
    assert "savepoint /points/b is not used: the state of another one" in second


def test_nothing_is_told_without_a_savepoint(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert told(caplog, tmp_path, None, "") == []


def test_a_finished_savepoint_is_not_called_interrupted(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    files.write(FILE, "{}")
    with pytest.raises(StreamsException, match="already has a savepoint") as caught:
        write_savepoint(NOTHING, NOTHING, files, str(tmp_path))
    assert "interrupted" not in str(caught.value)
