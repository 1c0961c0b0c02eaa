"""`millstream state rescale` while another one of the same checkpoint is at work."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from millstream import LockException, StreamsBuilder
from millstream.cli import rescale_in_place
from millstream.cli.rescale_in_place import InPlace
from millstream.cli.target import LoadedTarget
from millstream.topology.spark.checkpoint.origin import RESCALING


class LockedRunner:
    """The runner of an application whose lock another process has."""

    def __init__(self, *_: Any) -> None:
        pass

    def replace(self, _: Any) -> bool:
        raise LockException("another instance runs")


def test_one_that_is_refused_leaves_the_files_of_the_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rescale_in_place, "reading_session", lambda _: nullcontext())
    monkeypatch.setattr(rescale_in_place, "Runner", LockedRunner)
    file = tmp_path / RESCALING / "before" / "savepoint.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    config = {
        "application.id": "app",
        "bootstrap.servers": "127.0.0.1:9",
        "state.dir": str(tmp_path / "state"),
        "millstream.checkpoint.location": f"file://{tmp_path}",
    }
    second = InPlace(LoadedTarget("app.py", builder.build(), config, rescale_in_place), {})
    with pytest.raises(LockException):
        second.make(lambda _: None)
    assert file.exists()
