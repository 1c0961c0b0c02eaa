"""Files of a later version of millstream: nobody is told to delete them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from millstream import StreamsException
from millstream.topology.savepoints.manifest import FORMAT, SavepointManifest
from millstream.topology.spark.checkpoint.descriptor import Checkpoint
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.checkpoint.origin import ORIGIN, POINTER, read_origin
from millstream.topology.spark.generations.pointer import read_pointer

LATER = json.dumps({"version": 99, "format": FORMAT, "of_a_later_version": True})
READERS: dict[str, Callable[[LocalFiles], Any]] = {
    "checkpoint": lambda _: Checkpoint.from_json(LATER, "here"),
    "savepoint": lambda _: SavepointManifest.from_json(LATER, "here"),
    "origin": lambda files: read_origin(files, "here"),
    "pointer": lambda files: read_pointer(files, "here"),
}


@pytest.mark.parametrize("name", READERS)
def test_it_is_not_called_damaged(name: str, tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    for each in (ORIGIN, POINTER):
        files.write(each, LATER)
    with pytest.raises(StreamsException, match='cannot read ".*json" .*here') as caught:
        READERS[name](files)
    assert caught.value.detail.startswith("It has version 99; this package reads ")
    assert caught.value.hint.startswith("Nothing is damaged")
    assert "delete" not in str(caught.value)
