"""Directories of savepoints: of any name, and of several writers."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from millstream import Materialized, StreamsBuilder, StreamsConfig, StreamsException
from millstream.core.errors import IllegalArgumentException
from millstream.topology.savepoints.manifest import FILE, SavepointManifest, StoreManifest
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.spark.checkpoint import files as checkpoint_files
from millstream.topology.spark.checkpoint.descriptor import for_spark
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.driver.savepoints import take_savepoint
from millstream.topology.spark.generations.entries import ENTRY_SCHEMA
from millstream.topology.spark.generations.image import Image
from millstream.topology.spark.generations.savepoints import image_of_savepoint, write_savepoint

UNUSED: Any = None
CONFIG = StreamsConfig({"application.id": "app", "bootstrap.servers": "127.0.0.1:9"})
BUILDER = StreamsBuilder()
BUILDER.stream("words").groupByKey().count(Materialized.as_("counts"))
MANIFEST = SavepointManifest(
    application_id="app",
    topology=str(BUILDER.build().describe()),
    tasks={0: 1},
    stores={"counts": StoreManifest(subtopology=0)},
)


@pytest.mark.parametrize("name", ["two words", "Zähler ☃", "[a-c]{1,2}*", "100 %"])
def test_a_savepoint_has_its_entries_whatever_its_directory_is_called(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    rows = spark.createDataFrame(
        [("counts", 0, b"a", b"1"), ("counts", 0, b"b", b"2")], ENTRY_SCHEMA
    )
    root = tmp_path / name
    written = write_savepoint(
        spark,
        Image(MANIFEST, rows, UNUSED),
        LocalFiles(root),
        root.as_uri(),
    )
    assert written.stores["counts"].partitions[0].count == 2
    assert sorted(Savepoint(root).entries("counts", 0)) == [(b"a", b"1"), (b"b", b"2")]
    assert image_of_savepoint(spark, LocalFiles(root), root.as_uri()).entries.count() == 2
    assert [each.name for each in tmp_path.iterdir()] == [name]
    assert sorted(each.name for each in root.iterdir()) == ["entries", FILE]


@pytest.mark.parametrize("name", ["a#b", "a?b", "a%41"])
def test_a_directory_that_spark_would_not_find_is_refused(tmp_path: Path, name: str) -> None:
    for text in (str(tmp_path / name), (tmp_path / name).as_uri()):
        with pytest.raises(IllegalArgumentException, match="cannot be a directory for Spark"):
            take_savepoint(CONFIG, text)
    with pytest.raises(IllegalArgumentException, match="cannot be a directory for Spark"):
        for_spark("file:///data/a#b")
    assert not list(tmp_path.iterdir())


def image(parquet: Any) -> Any:
    """The image of a state whose entries are written by a function."""
    write = SimpleNamespace(partitionBy=lambda *_: SimpleNamespace(parquet=parquet))
    return SimpleNamespace(entries=SimpleNamespace(write=write), manifest=MANIFEST)


def test_of_two_savepoints_to_one_directory_one_is_refused(tmp_path: Path) -> None:
    root, told = tmp_path / "new", []

    def parquet(_: str) -> None:
        files = Late(root)
        with pytest.raises(StreamsException, match="another savepoint is being written") as caught:
            write_savepoint(UNUSED, image(parquet), files, str(root))
        told.append(caught.value)
        with pytest.raises(StreamsException, match="It is not empty") as early:
            write_savepoint(UNUSED, image(parquet), LocalFiles(root), str(root))
        assert "is still being written, or was interrupted" in early.value.hint
        (root / "entries" / "store=counts").mkdir(parents=True)
        raise OSError(28, "No space left on device")

    with pytest.raises(StreamsException, match=f'cannot write a savepoint to "{root}"') as caught:
        write_savepoint(UNUSED, image(parquet), LocalFiles(root), str(root))
    assert "No space left on device" in caught.value.detail
    assert told
    # So the next attempt can have the same directory.
    assert not list(root.iterdir())


class Late(LocalFiles):
    """Files of a writer that has looked before the other one began."""

    _looks = 0

    def names(self, directory: str) -> list[str]:
        self._looks += 1
        return [] if self._looks == 1 else super().names(directory)


def test_a_file_or_a_link_to_nothing_is_refused_before_spark_starts(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(StreamsException, match="cannot write a savepoint") as caught:
        take_savepoint(CONFIG, str(tmp_path / "file"))
    assert caught.value.detail == "It is not a directory."
    with pytest.raises(StreamsException, match="cannot write a savepoint") as caught:
        take_savepoint(CONFIG, str(tmp_path / "link"))
    assert caught.value.detail == "It is a link to nothing."


def test_a_savepoint_whose_manifest_cannot_be_written_leaves_an_empty_directory(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says to make room and try again, and that was refused: "It is not empty"."""
    root, rows = tmp_path / "new", spark.createDataFrame([("counts", 0, b"a", b"1")], ENTRY_SCHEMA)

    def full(path: Path, text: str) -> None:
        path.write_text(text[:1])
        if text:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    given = Image(MANIFEST, rows, UNUSED)
    with monkeypatch.context() as patched:
        patched.setattr(checkpoint_files, "write_private", full)
        with pytest.raises(StreamsException, match="cannot write a savepoint"):
            write_savepoint(spark, given, LocalFiles(root), root.as_uri())
    assert not list(root.iterdir())
    write_savepoint(spark, given, LocalFiles(root), root.as_uri())
    assert list(Savepoint(root).entries("counts", 0)) == [(b"a", b"1")]
