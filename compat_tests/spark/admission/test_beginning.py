"""Directories in which a checkpoint begins, and those in which it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from millstream import IllegalStateException, StreamsException
from millstream.topology.spark.admission.beginning import check_new
from millstream.topology.spark.checkpoint.files import LocalFiles

MINE = ["state/orders.db", "sources/app.py", "metadata", "seed/users.sql", "backfill/january.csv"]


@pytest.mark.parametrize("path", MINE)
def test_a_directory_of_somebody_else_is_refused(tmp_path: Path, path: str) -> None:
    """The first start deleted a directory named "seed", and a reset would have deleted the rest."""
    files = LocalFiles(tmp_path)
    files.write(path, "mine")
    name = path.partition("/")[0]
    with pytest.raises(IllegalStateException, match=f'cannot begin in "c": it has "{name}"'):
        check_new(files, "c")
    assert files.text(path) == "mine"


def test_what_an_interrupted_start_leaves_is_no_hindrance(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    check_new(files, "c")
    for path in ("seed/_temporary/0/part", "seed/stage=0/part", "seed/._SUCCESS.crc"):
        files.write(path, "")
    files.write("millstream-origin.json", "{}")
    files.write("millstream-lease/1.json", "{}")
    files.write("readme.txt", "")
    check_new(files, "c")


def test_a_checkpoint_without_its_description_is_told_as_before(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    files.write("offsets/3", "")
    with pytest.raises(StreamsException, match='"millstream.json" is missing in checkpoint "c"'):
        check_new(files, "c")
