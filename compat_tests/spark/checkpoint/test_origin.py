"""The origin of a generation, and the checkpoint that it belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from millstream import StreamsException
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.checkpoint.origin import ORIGIN, Origin, read_origin, root_of
from millstream.topology.spark.ownership import Claim


@pytest.mark.parametrize("root", ["file:///a/b", "s3://bucket/app", "/a/generations", "x"])
def test_a_generation_belongs_to_its_checkpoint(root: str) -> None:
    assert root_of(root) == root
    assert root_of(f"{root}/generations/12") == root


def test_a_claim_shows_the_checkpoint_and_not_the_generation() -> None:
    claim = Claim(
        number=1,
        checkpoint="c",
        instance="i",
        host="h",
        machine="m",
        location="s3://a/generations/3",
    )
    assert claim.place() == '"s3://a" on machine "h"'


def test_an_origin_comes_back(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    assert read_origin(files, "here") is None
    origin = Origin(source="savepoint", location="s3://x", positions={"t": {0: 5, 11: 7}})
    files.write(ORIGIN, origin.to_json())
    assert read_origin(files, "here") == origin


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 0}', '{"version": 1}'])
def test_a_damaged_origin_is_told(text: str, tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    files.write(ORIGIN, text)
    with pytest.raises(StreamsException, match='cannot read "millstream-origin.json"') as caught:
        read_origin(files, "here")
    assert "Once a batch has ended, it is not needed" in caught.value.hint
