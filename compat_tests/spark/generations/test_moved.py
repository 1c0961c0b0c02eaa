"""A checkpoint that is not where it was written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from millstream import StreamsException
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.generations import moved
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.moved import ReadableCheckpoint, settle
from millstream.topology.spark.state_location import state_location

NO_SESSION: Any = None


def checkpoint(root: Path, noted: str) -> LocalFiles:
    """Leave the files of a batch as Spark does; its notes have the given location."""
    files = LocalFiles(root)
    schema = f"{noted}/state/0/_stateSchema/default/0_x"
    note = {"stateStoreInfo": [{"stateSchemaFilePaths": [schema]}]}
    files.write("state/0/_metadata/v2/7", "v2\n" + json.dumps(note))
    files.write("state/0/_metadata/v2/.7.crc", "crc")
    files.write("state/0/1/7.delta", "entries")
    files.write("commits/7", "v1")
    return files


@pytest.mark.parametrize("form", ["{}", "file:{}", "file://{}"])
def test_one_that_is_where_it_was_is_read_there(tmp_path: Path, form: str) -> None:
    checkpoint(tmp_path / "c", form.format(tmp_path / "c"))
    location = (tmp_path / "c").as_uri()
    assert ReadableCheckpoint(NO_SESSION, location, 7).location == location


@pytest.mark.parametrize("batch", [7, 12], ids=["with a note", "without one"])
def test_a_moved_one_is_read_with_the_paths_of_its_place(tmp_path: Path, batch: int) -> None:
    files = checkpoint(tmp_path / "c", "file:/former/place")
    before = files.text("state/0/_metadata/v2/7")

    readable = ReadableCheckpoint(NO_SESSION, str(tmp_path / "c"), batch)

    links = LocalFiles(Path(readable.location.removeprefix("file://")))
    schema = f"{(tmp_path / 'c').as_uri()}/state/0/_stateSchema/default/0_x"
    assert f'"{schema}"' in links.text("state/0/_metadata/v2/7")
    assert not links.has("state/0/_metadata/v2/.7.crc")
    assert links.text("state/0/1/7.delta") == "entries"
    assert links.text("commits/7") == "v1"
    assert files.text("state/0/_metadata/v2/7") == before


@pytest.mark.parametrize("former", ["file:/former/place", "{}"])
def test_an_application_gives_the_notes_the_paths_of_its_place(tmp_path: Path, former: str) -> None:
    root = tmp_path / "c"
    files = checkpoint(root, former.format(root.as_uri()))
    older = "v2\n" + files.text("state/0/_metadata/v2/7").splitlines()[1]
    files.write("state/0/_metadata/v2/6", older)
    settle(files, root.as_uri())
    schema = f"{root.as_uri()}/state/0/_stateSchema/default/0_x"
    for number in (6, 7):
        assert f'"{schema}"' in files.text(f"state/0/_metadata/v2/{number}")
    # A checksum of the former text would be an error.
    assert files.has("state/0/_metadata/v2/.7.crc") == (former == "{}")


@pytest.mark.parametrize("name", ["two words", "Zähler %"])
def test_spark_gets_paths_as_they_are_and_not_as_urls(tmp_path: Path, name: str) -> None:
    root = tmp_path / name
    # An earlier version has written URLs.
    files = checkpoint(root, root.as_uri())
    schema = f'"file://{root}/state/0/_stateSchema/default/0_x"'
    readable = ReadableCheckpoint(NO_SESSION, root.as_uri(), 7)
    assert schema in json_text(LocalFiles(Path(readable.location.removeprefix("file://"))))
    settle(files, root.as_uri())
    assert schema in json_text(files)
    again = ReadableCheckpoint(NO_SESSION, root.as_uri(), 7)
    assert again.location == root.as_uri()


def json_text(files: LocalFiles) -> str:
    """The note, with letters as they are."""
    text = files.text("state/0/_metadata/v2/7")
    return json.dumps(json.loads(text.splitlines()[1]), ensure_ascii=False)


@pytest.mark.parametrize("name", ["two words", "[1]", "100 %"])
def test_spark_s_reader_of_state_gets_a_name_without_what_urls_escape(
    tmp_path: Path, name: str
) -> None:
    root = tmp_path / name
    checkpoint(root, str(root))
    for location in (str(root), f"file://{root}"):
        found = state_location(location)
        assert name not in found
        assert (Path(found.removeprefix("file://")) / "commits" / "7").read_text() == "v1"
        assert state_location(location) == found
    for location in (str(tmp_path / "Zähler"), "s3a://bucket/two words"):
        assert state_location(location) == location


def test_one_that_was_moved_to_another_file_system_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = checkpoint(tmp_path / "c", "s3a://former/place")
    monkeypatch.setattr(moved, "RemoteFiles", lambda session, location: files)

    with pytest.raises(StreamsException, match="cannot be read where it is") as caught:
        ReadableCheckpoint(NO_SESSION, "s3a://new/place", 7)

    assert "millstream savepoint" in str(caught.value)


def test_the_directory_of_a_rescaling_is_known_by_its_place(tmp_path: Path) -> None:
    root = tmp_path / "c"
    generations = Generations(root.as_uri(), LocalFiles(root), lambda at: LocalFiles(root))
    assert generations.is_rescaling(str(root / "rescaling" / "after"))
    assert not generations.is_rescaling(str(root / "savepoint"))
    assert not generations.is_rescaling("s3a://bucket/rescaling/after")
