"""State whose files are gone or damaged, read by a command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from millstream import StreamsConfig, StreamsException
from millstream.core.errors import ProcessorStateException
from millstream.topology.spark.checkpoint.descriptor import FILE, Checkpoint
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.driver import state_reading
from millstream.topology.spark.driver.state_reading import StateReader

UNUSED: Any = None
"""The session, which what is refused before that does not need."""


@pytest.fixture
def reader(tmp_path: Path) -> StateReader:
    """A reader of a checkpoint with one committed batch of two stages, without their state."""
    files = LocalFiles(tmp_path)
    note = Checkpoint(id="c", topology="t", tasks={"0": 1, "1": 1}, topics={})
    files.write(FILE, note.to_json())
    files.write("offsets/0", 'v1\n{"batchTimestampMs": 5}\n{"a": {"0": 1}}')
    files.write("commits/0", 'v1\n{"nextBatchWatermarkMs":0}')
    files.write("state/0/_metadata/v2/0", "v2\n{}")
    config = StreamsConfig({"application.id": "app", "bootstrap.servers": "127.0.0.1:9"})
    return StateReader(UNUSED, config, str(tmp_path))


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

    monkeypatch.setattr(state_reading, "open_state", open_state)
    with pytest.raises(StreamsException, match="cannot read a file of the state"):
        reader.listed()
