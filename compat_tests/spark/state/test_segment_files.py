"""Segments as files: read back as they were, damage is named, old ones are deleted."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from millstream.core.errors import ProcessorStateException
from millstream.core.processor import TaskId
from millstream.topology.spark.driver.segment_sizes import SegmentSizes
from millstream.topology.spark.progress import state_size
from millstream.topology.spark.state.manifest import NO_ID
from millstream.topology.spark.state.segment_files import (
    SMALL,
    BatchNotKept,
    Cleaning,
    FiledSegments,
    SegmentFiles,
)
from millstream.topology.spark.state.segments import CHANGES, Section, encode_segments

LARGE, OTHER = (
    encode_segments(
        NO_ID,
        NO_ID,
        [Section(store="s", kind=CHANGES, keys=[b"k"], values=[Random(seed).randbytes(2000)])],
    )[0]
    for seed in (1, 2)
)


class Log:
    """Spark's state of one task."""

    def __init__(self) -> None:
        self.kept: dict[int, bytes] = {}

    def get(self, seq: int) -> bytes | None:
        return self.kept.get(seq)

    def put(self, seq: int, segment: bytes) -> None:
        self.kept[seq] = segment

    def remove(self, seq: int) -> None:
        del self.kept[seq]


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def files(tmp_path: Path) -> SegmentFiles:
    return SegmentFiles.of(tmp_path / "segments", TaskId(1, 2))


def names(files: SegmentFiles) -> list[str]:
    assert files.directory is not None
    found = [each.name for each in files.directory.iterdir() if "-" in each.name]
    return sorted(found, key=lambda name: int(name.partition("-")[0]))


def numbers(files: SegmentFiles) -> list[int]:
    return [int(name.partition("-")[0]) for name in names(files)]


def test_a_large_segment_is_a_file_and_a_small_one_is_not(log: Log, files: SegmentFiles) -> None:
    segments = FiledSegments(log, files, writes=True)
    segments.put(0, b"x" * SMALL)
    segments.put(1, LARGE)
    assert segments.get(0) == log.kept[0]
    assert len(log.kept[1]) < 20
    assert segments.get(1) == LARGE
    assert segments.get(2) is None
    assert numbers(files) == [1]
    assert files.directory is not None
    path = files.directory / names(files)[0]
    assert path.stat().st_mode & 0o007 == 0


def test_files_are_read_where_no_more_are_written(log: Log, files: SegmentFiles) -> None:
    FiledSegments(log, files, writes=True).put(0, LARGE)
    without = FiledSegments(log, files, writes=False)
    without.put(1, LARGE)
    assert without.get(0) == without.get(1) == log.kept[1] == LARGE


def test_an_attempt_that_failed_leaves_the_files_of_another_one_alone(
    files: SegmentFiles,
) -> None:
    first, second = Log(), Log()
    FiledSegments(first, files, writes=True).put(0, LARGE)
    FiledSegments(second, files, writes=True).put(0, OTHER)
    assert FiledSegments(first, files, writes=True).get(0) == LARGE
    assert FiledSegments(second, files, writes=True).get(0) == OTHER


def test_a_segment_without_a_file_system_stays_in_sparks_state(log: Log) -> None:
    segments = FiledSegments(log, SegmentFiles.of("", TaskId(0, 0)), writes=True)
    segments.put(0, LARGE)
    assert log.kept[0] == LARGE == segments.get(0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no device that is always full")
def test_a_segment_goes_into_sparks_state_where_the_disk_is_full(
    log: Log, files: SegmentFiles, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = os.open

    def full(path: object, flags: int, mode: int = 0o777) -> int:
        del path, flags, mode
        return real("/dev/full", os.O_WRONLY)

    assert files.directory is not None
    files.directory.mkdir(parents=True)
    monkeypatch.setattr(os, "open", full)
    segments = FiledSegments(log, files, writes=True)
    segments.put(0, LARGE)
    monkeypatch.undo()
    assert segments.get(0) == log.kept[0] == LARGE
    assert names(files) == []
    assert "No space left on device" in caplog.text


def test_a_directory_in_the_place_of_a_file_is_no_failure_of_the_file_system(
    log: Log, files: SegmentFiles
) -> None:
    FiledSegments(log, files, writes=True).put(7, LARGE)
    assert files.directory is not None
    path = files.directory / names(files)[0]
    path.unlink()
    path.mkdir()
    with pytest.raises(ProcessorStateException, match="segment 7") as caught:
        FiledSegments(log, files, writes=True).get(7)
    assert caught.value.detail == f'"{path}" is a directory; its file is missing.'
    assert caught.value.hint.startswith("Restore the checkpoint from a copy")
    path.rmdir()
    files.directory.rmdir()
    files.directory.touch()
    with pytest.raises(ProcessorStateException, match="segment 7") as caught:
        FiledSegments(log, files, writes=True).get(7)
    assert caught.value.detail == f'A file is where the directory of "{path}" belongs.'
    assert caught.value.hint.startswith("Restore the checkpoint from a copy")


def test_the_file_of_a_damaged_segment_is_named(log: Log, files: SegmentFiles) -> None:
    FiledSegments(log, files, writes=True).put(7, LARGE)
    assert files.directory is not None
    path = files.directory / names(files)[0]
    for damaged in (b"", LARGE[:-1], LARGE[:99] + bytes([LARGE[99] ^ 1]) + LARGE[100:]):
        path.write_bytes(damaged)
        with pytest.raises(ProcessorStateException, match=f'segment 7, file "{path}", of the'):
            FiledSegments(log, files, writes=True).get(7)


@pytest.mark.parametrize("damage", ["missing", "unreadable", "cut", "flipped", "not mounted"])
def test_damage_is_named(log: Log, files: SegmentFiles, damage: str) -> None:
    FiledSegments(log, files, writes=True).put(7, LARGE)
    assert files.directory is not None
    if damage == "missing":
        (files.directory / names(files)[0]).unlink()
    elif damage == "unreadable":
        path = files.directory / names(files)[0]
        path.unlink()
        path.symlink_to(path)
    elif damage == "cut":
        log.kept[7] = log.kept[7][:-1]
    elif damage == "flipped":
        log.kept[7] = log.kept[7][:3] + b"\xff" + log.kept[7][4:]
    else:
        files = SegmentFiles(None)
    with pytest.raises(ProcessorStateException, match="segment 7"):
        FiledSegments(log, files, writes=True).get(7)


def test_files_stay_as_long_as_spark_has_a_batch_that_names_them(
    log: Log, files: SegmentFiles
) -> None:
    segments = FiledSegments(log, files, writes=True)
    kept, here = 20, 5
    for batch in range(100):
        segments.put(batch, LARGE)
        if batch >= here:
            segments.remove(batch - here)
        # Workers change, and forget.
        Cleaning(files, kept).after(batch, max(0, batch - here + 1))
        oldest = max(0, batch - kept - here)
        assert set(range(oldest, batch + 1)) <= set(numbers(files))
        assert len(names(files)) <= kept + here + 2
    segments.put(0, LARGE)  # of an attempt that failed
    Cleaning(files, kept).after(100, 95)
    assert 0 not in numbers(files)


def test_old_files_are_looked_for_a_few_times_while_a_batch_is_kept(
    files: SegmentFiles, log: Log
) -> None:
    segments = FiledSegments(log, files, writes=True)
    cleaning = Cleaning(files, kept=20)
    found = []
    for batch in range(60):
        segments.put(batch, LARGE)
        cleaning.after(batch, batch)
        found.append(len(names(files)))
    assert max(found) <= 20 + 2 * 5 + 2


def test_a_segment_that_later_batches_have_deleted_is_no_damage(
    log: Log, files: SegmentFiles
) -> None:
    """A reader of an old batch was told to delete a checkpoint that is whole."""
    segments = FiledSegments(log, files, writes=True)
    old = Log()
    for number in range(4):
        segments.put(number, LARGE)
        old.put(number, log.kept[number])
    for batch in range(12):
        files.delete_old(batch, 2, 10)
    with pytest.raises(BatchNotKept, match="segment 1 .* not kept any more") as caught:
        FiledSegments(old, files, writes=False).get(1)
    assert "Read the state of the last batch" in caught.value.hint
    assert "elete" not in caught.value.hint
    # What the last batch needs is missing for another reason.
    assert files.directory is not None
    (files.directory / names(files)[0]).unlink()
    with pytest.raises(ProcessorStateException, match="segment 2") as damaged:
        segments.get(2)
    assert not isinstance(damaged.value, BatchNotKept)


def test_a_damaged_note_deletes_nothing(log: Log, files: SegmentFiles) -> None:
    segments = FiledSegments(log, files, writes=True)
    segments.put(0, LARGE)
    Cleaning(files, 2).after(0, 0)
    assert files.directory is not None
    (files.directory / "removed").write_bytes(b"[[0, ")
    Cleaning(files, 2).after(1, 1)
    Cleaning(files, 2).after(3, 1)
    assert numbers(files) == [0]
    Cleaning(files, 2).after(4, 1)
    assert numbers(files) == []


def test_the_size_is_that_of_the_segments_in_use(log: Log, files: SegmentFiles) -> None:
    assert files.size() == 0
    segments = FiledSegments(log, files, writes=True)
    for number in range(4):
        segments.put(number, LARGE)
    assert files.size() == 4 * len(LARGE)
    Cleaning(files, 20).after(0, 3)
    assert files.size() == len(LARGE)


def test_a_report_has_the_sizes_of_its_stages(tmp_path: Path) -> None:
    stages: Any = [SimpleNamespace(subtopology=4, tasks=2), SimpleNamespace(subtopology=7, tasks=1)]
    root = tmp_path / "segments"
    for task, count in ((TaskId(4, 0), 1), (TaskId(4, 1), 2), (TaskId(7, 0), 4)):
        segments = FiledSegments(Log(), SegmentFiles.of(root, task), writes=True)
        for number in range(count):
            segments.put(number, LARGE)
    clock = iter([0.0, 0.1, 4.0, 6.0, 6.0]).__next__
    sizes = SegmentSizes(str(root), stages, clock)
    # Spark numbers operators from the line's end.
    report = sizes.add_to(
        {"stateOperators": [{"customMetrics": {"rocksdbSstFileSize": 10}}, {"customMetrics": {}}]}
    )
    assert list(map(state_size, report["stateOperators"])) == [10 + 4 * len(LARGE), 3 * len(LARGE)]
    segments = FiledSegments(Log(), SegmentFiles.of(root, TaskId(7, 0)), writes=True)
    segments.put(9, LARGE)
    assert sizes.of_stages()[1] == 4 * len(LARGE), "it looks seldom"
    assert sizes.of_stages()[1] == 5 * len(LARGE)
    assert sizes.add_to({}) == {}


def test_a_note_of_an_attempt_that_failed_deletes_nothing_that_is_in_use(
    log: Log, files: SegmentFiles
) -> None:
    segments = FiledSegments(log, files, writes=True)
    for number in range(4):
        segments.put(number, LARGE)
    # The attempt saw more segments go than the one that was committed in its place.
    files.delete_old(0, 3, 10)
    files.delete_old(11, 1, 10)
    assert numbers(files) == [1, 2, 3]


def test_a_size_that_cannot_be_looked_up_is_no_failure(tmp_path: Path) -> None:
    stages: Any = [SimpleNamespace(subtopology=0, tasks=1)]
    files = SegmentFiles.of(tmp_path, TaskId(0, 0))
    FiledSegments(Log(), files, writes=True).put(0, LARGE)
    clock = iter([0.0, 0.0, 10.0, 10.0]).__next__
    sizes = SegmentSizes(str(tmp_path), stages, clock)
    assert sizes.of_stages() == [len(LARGE)]

    def broken(self: SegmentFiles) -> int:
        raise OSError("stale file handle")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SegmentFiles, "size", broken)
        assert sizes.of_stages() == [len(LARGE)]
