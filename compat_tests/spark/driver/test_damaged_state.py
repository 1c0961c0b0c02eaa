"""State whose files are gone or damaged, read by a command."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError

from millstream import StreamsConfig, StreamsException
from millstream.core.errors import ProcessorStateException
from millstream.topology.spark.checkpoint.descriptor import FILE, Checkpoint
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.driver import savepoints
from millstream.topology.spark.driver.savepoints import ATTEMPTS, Opened, take_savepoint
from millstream.topology.spark.driver.state_reading import StateReader

UNUSED: Any = None
"""The session, which what is refused before that does not need."""
CONFIG = StreamsConfig({"application.id": "app", "bootstrap.servers": "127.0.0.1:9"})


@pytest.fixture
def reader(tmp_path: Path) -> StateReader:
    """A reader of a checkpoint with one committed batch of two stages, without their state."""
    files = LocalFiles(tmp_path)
    note = Checkpoint(id="c", topology="t", tasks={"0": 1, "1": 1}, topics={})
    files.write(FILE, note.to_json())
    files.write("offsets/0", 'v1\n{"batchTimestampMs": 5}\n{"a": {"0": 1}}')
    files.write("commits/0", 'v1\n{"nextBatchWatermarkMs":0}')
    files.write("state/0/_metadata/v2/0", "v2\n{}")
    return StateReader(UNUSED, CONFIG, str(tmp_path))


def test_a_directory_of_the_state_that_is_gone_is_named(
    reader: StateReader, tmp_path: Path
) -> None:
    with pytest.raises(ProcessorStateException, match=f'"{tmp_path}/state/1"') as caught:
        reader.listed()
    assert "The contents of stores in it are lost" in caught.value.detail
    assert "from a copy" in caught.value.hint


def test_damage_that_shows_when_the_state_is_opened_is_no_trace_of_spark(
    reader: StateReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_state(*_: Any) -> Any:
        raise ValueError("[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] An error occurred")

    monkeypatch.setattr(savepoints, "open_state", open_state)
    with pytest.raises(StreamsException, match="cannot read a file of the state"):
        reader.listed()


class OfTheJvm:
    """An exception as py4j gives it."""

    _target_id = "o1"
    _gateway_client = None

    def __init__(self, text: str, cause: OfTheJvm | None = None) -> None:
        self._text, self._cause = text, cause

    def toString(self) -> str:
        return self._text

    __str__ = toString

    def getCause(self) -> OfTheJvm | None:
        return self._cause


def test_a_savepoint_of_a_checkpoint_that_is_mounted_read_only_is_no_trace_of_spark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def open_state(*_: Any) -> Any:
        file = "/backup/state/0/0/.5_a.changelog.b.tmp"
        cause = OfTheJvm(f"java.io.FileNotFoundException: {file} (Read-only file system)")
        said = OfTheJvm("SparkException: [CANNOT_LOAD_STATE_STORE.UNCATEGORIZED]", cause)
        raise Py4JJavaError("An error occurred", said)

    monkeypatch.setattr(savepoints, "open_state", open_state)
    with pytest.raises(ProcessorStateException, match='read or write "/backup/state') as caught:
        take_savepoint(CONFIG, "unused", object())  # type: ignore[arg-type]
    assert "Nothing is lost" in caught.value.detail


@pytest.mark.parametrize("overtaken", [ATTEMPTS - 1, ATTEMPTS, 0])
def test_a_savepoint_whose_batch_is_deleted_while_it_is_read_is_begun_anew(
    reader: StateReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, overtaken: int
) -> None:
    """As the state of a running application, whose later batches take its place."""
    files, writes = LocalFiles(tmp_path), []

    def write(*_: Any) -> Any:
        writes.append(1)
        if len(writes) > overtaken > 0:
            return "written"
        if overtaken:
            files.write(f"commits/{len(writes)}", "")
        raise Py4JJavaError("An error occurred", OfTheJvm("batch 0 doesn't exist"))

    monkeypatch.setattr(savepoints, "open_state", lambda *_: Opened(UNUSED, UNUSED, UNUSED))
    monkeypatch.setattr(savepoints, "write_savepoint", write)
    config = StreamsConfig(CONFIG.originals() | {"millstream.checkpoint.location": str(tmp_path)})
    session: Any = object()
    if overtaken == ATTEMPTS - 1:
        found: Any = take_savepoint(config, str(tmp_path / "new"), session)
        assert found == "written"
        return
    told = "while the application runs" if overtaken else "batch 0 doesn't exist"
    with pytest.raises(StreamsException, match=told):
        take_savepoint(config, str(tmp_path / "new"), session)
    assert len(writes) == max(1, overtaken)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Mkdirs failed to create file:/x/_temporary", "read-only"),
        ("No space left on device", "no space left on its disk"),
    ],
)
def test_a_directory_for_a_savepoint_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, told: str
) -> None:
    def parquet(_: str) -> None:
        cause = OfTheJvm(f"java.io.IOException: {said}")
        raise Py4JJavaError("An error occurred", OfTheJvm("[TASK_WRITE_FAILED]", cause))

    write = SimpleNamespace(partitionBy=lambda *_: SimpleNamespace(parquet=parquet))
    image: Any = SimpleNamespace(entries=SimpleNamespace(write=write))
    opened = Opened(UNUSED, UNUSED, image)
    monkeypatch.setattr(savepoints, "open_state", lambda *_: opened)
    target = str(tmp_path / "new")
    with pytest.raises(StreamsException, match=f'cannot write a savepoint to "{target}"') as caught:
        take_savepoint(CONFIG, target, SimpleNamespace(session=UNUSED))  # type: ignore[arg-type]
    assert told in caught.value.detail


def test_a_directory_that_has_a_savepoint_is_refused_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(*_: Any) -> Any:
        raise AssertionError("the state is read")

    monkeypatch.setattr(savepoints, "reading_session", opened)
    (tmp_path / "savepoint.json").touch()
    with pytest.raises(StreamsException, match="already has a savepoint"):
        take_savepoint(CONFIG, tmp_path.as_uri())
