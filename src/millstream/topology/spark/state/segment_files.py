"""Segments of a task as files beside Spark's state, which then has only their names.

    <checkpoint>/segments/<task>/<number>-<name>    a segment
    <checkpoint>/segments/<task>/removed            what of them Spark's state has no more

    name in Spark's state = version u8 | name 8 bytes | crc32 u32

Spark loads a task's whole state before a batch can begin where the task has not run yet. With the
segments in files, that state is small, and the worker reads only the segments that it lacks.

Each attempt gives its files names of their own, so no file ever changes, and one that is not in
Spark's state belongs to an attempt that failed. A file stays until Spark, too, has deleted every
batch that names it.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from millstream.core.errors import ProcessorStateException
from millstream.core.processor import TaskId
from millstream.core.typed_json import Count, read_json
from millstream.topology.spark.private import FILE_MODE, private_directory
from millstream.topology.spark.state.changelog import SegmentLog
from millstream.topology.spark.state.segments import check_segment, damaged

log = logging.getLogger(__name__)

REMOVED = "removed"
SMALL = 512
"""A segment of no more bytes stays in Spark's state: its name would not be much smaller."""

_POINTER = struct.Struct("<B8sI")
_VERSION = 2
"""A segment itself begins with its own version, which is 1."""
_LOOKS = 4
"""How often old files are looked for, while Spark keeps a batch."""


class BatchNotKept(ProcessorStateException):
    """The batch whose state is read is not kept any more; that of the last batch is there."""


@dataclass(frozen=True, slots=True)
class SegmentFiles:
    """The files of one task's segments.

    Args:
        directory: Their directory, which may not exist; None where workers see no files of the
            checkpoint, so that Spark's state has all segments.
    """

    directory: Path | None

    @staticmethod
    def of(root: str | Path | None, task: TaskId) -> SegmentFiles:
        """Return the files of a task.

        Args:
            root: Directory of the checkpoint's segments; empty for none.
            task: The task.
        """
        return SegmentFiles(Path(root) / repr(task) if root else None)

    def resolved(self, seq: int, blob: bytes) -> bytes:
        """Return a segment, given what Spark's state has of it.

        Raises:
            BatchNotKept: Its file was deleted, as no batch that is kept needs it.
            ProcessorStateException: Its file is missing or cannot be read, or its name is damaged.
        """
        if blob[:1] != bytes([_VERSION]):
            return blob
        where = f"segment {seq}"
        if len(blob) != _POINTER.size:
            raise damaged(where, f"The name of its file has {len(blob)} bytes.")
        version, name, checksum = _POINTER.unpack(blob)
        if checksum != zlib.crc32(bytes([version]) + name):
            raise damaged(where, "The checksum of its file's name does not fit.")
        if self.directory is None:
            raise damaged(
                where, "It is in a file, and the checkpoint is on no file system that is mounted."
            )
        path = self.directory / f"{seq}-{name.hex()}"
        try:
            segment = path.read_bytes()
        except FileNotFoundError as error:
            if seq < max((each.oldest for each in self._noted()), default=0):
                raise _not_kept(where, path) from error
            raise damaged(where, f'Its file "{path}" is missing.') from error
        except IsADirectoryError as error:
            raise damaged(where, f'"{path}" is a directory; its file is missing.') from error
        except NotADirectoryError as error:
            raise damaged(where, f'A file is where the directory of "{path}" belongs.') from error
        except OSError as error:
            raise ProcessorStateException(
                f"cannot read {where} of the checkpoint",
                detail=f"{error}",
                hint="The file system of the checkpoint failed; start again when it works.",
            ) from error
        # Here, where the file is known.
        check_segment(segment, f'{where}, file "{path}",')
        return segment

    def write(self, seq: int, segment: bytes) -> bytes:
        """Write a segment; return what Spark's state keeps of it.

        Raises:
            OSError: It cannot be written.
        """
        assert self.directory is not None
        name = os.urandom(8)
        path = self.directory / f"{seq}-{name.hex()}"
        try:
            _write_new(path, segment)
        except FileNotFoundError:
            private_directory(self.directory)
            _write_new(path, segment)
        return _POINTER.pack(_VERSION, name, zlib.crc32(bytes([_VERSION]) + name))

    def delete_old(self, batch: int, oldest: int, kept: int) -> None:
        """Note which segments a batch began with, and delete the files that no kept batch has.

        Args:
            batch: Number of the batch; it may fail, and be repeated with another result.
            oldest: Number of the oldest segment that it began with, which is committed.
            kept: For how many batches Spark keeps the state.

        Raises:
            OSError: A file cannot be written or deleted.
        """
        assert self.directory is not None
        if not self.directory.is_dir():
            return
        noted = [each for each in self._noted() if each.batch < batch]
        if not noted or oldest > noted[-1].oldest:
            noted.append(_Removed(batch, oldest))
        gone = [each for each in noted if each.batch + kept < batch]
        if gone:
            for path in _below(self.directory, min(gone[-1].oldest, oldest)):
                path.unlink(missing_ok=True)
            noted = [each for each in noted if each.batch >= gone[-1].batch]
        text = json.dumps([[each.batch, each.oldest] for each in noted])
        new = self.directory / f".{REMOVED}.{os.getpid()}"
        new.unlink(missing_ok=True)
        _write_new(new, text.encode())
        new.replace(self.directory / REMOVED)

    def size(self) -> int:
        """Return the bytes of the files but those that are only kept for former batches."""
        if self.directory is None or not self.directory.is_dir():
            return 0
        noted = self._noted()
        oldest = noted[-1].oldest if noted else 0
        found = 0
        with os.scandir(self.directory) as entries:
            for entry in entries:
                number = entry.name.partition("-")[0]
                if number.isdigit() and int(number) >= oldest:
                    with suppress(FileNotFoundError):
                        found += entry.stat().st_size
        return found

    def _noted(self) -> list[_Removed]:
        assert self.directory is not None
        # Without the note, or with a damaged one, files are deleted later.
        with suppress(OSError, ValueError):
            found = read_json((self.directory / REMOVED).read_bytes(), list[tuple[Count, Count]])
            return [_Removed(*each) for each in found]
        return []


@dataclass(frozen=True, slots=True)
class _Removed:
    """Which segments a batch began with."""

    batch: int
    oldest: int


@dataclass(slots=True)
class Cleaning:
    """Deletes a task's old files, a few times while Spark keeps a batch.

    Args:
        files: The task's files.
        kept: For how many batches Spark keeps the state.
    """

    files: SegmentFiles
    kept: int
    _next: int = field(default=0)

    def after(self, batch: int, oldest: int) -> None:
        """Delete old files, if it is time; what cannot be deleted now is deleted later."""
        if batch < self._next or self.files.directory is None:
            return
        self._next = batch + max(1, self.kept // _LOOKS)
        try:
            self.files.delete_old(batch, oldest, self.kept)
        except OSError as error:
            log.warning("old segments are not deleted yet: %s", error)


class FiledSegments(SegmentLog):
    """A task's segments: in files, if they are large, and their names in Spark's state.

    A segment whose file cannot be written goes into Spark's state.

    Args:
        state: Spark's state.
        files: The task's files.
        writes: Whether new segments go into files; they are read from there in any case.
        small: The most bytes of a segment that stays in Spark's state.
    """

    def __init__(
        self, state: SegmentLog, files: SegmentFiles, *, writes: bool, small: int = SMALL
    ) -> None:
        self._state = state
        self._files = files
        self._writes = writes and files.directory is not None
        self._small = small

    def get(self, seq: int) -> bytes | None:
        blob = self._state.get(seq)
        return None if blob is None else self._files.resolved(seq, blob)

    def put(self, seq: int, segment: bytes) -> None:
        if self._writes and len(segment) > self._small:
            try:
                segment = self._files.write(seq, segment)
            except OSError as error:
                log.warning("a segment goes into Spark's state, as it has no file: %s", error)
        self._state.put(seq, segment)

    def remove(self, seq: int) -> None:
        self._state.remove(seq)


def _not_kept(where: str, path: Path) -> BatchNotKept:
    return BatchNotKept(
        f"cannot read {where} of the checkpoint: its batch is not kept any more",
        detail=f'Later batches do not need its file "{path}", and have deleted it.',
        hint="Read the state of the last batch: nothing of that is lost. If reading takes longer "
        "than the application takes for the batches that it keeps, let it keep more "
        "(spark.sql.streaming.minBatchesToRetain). If the application does not start because of "
        "this, files of an older checkpoint were put in this one: restore all of one copy.",
    )


def _write_new(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _below(directory: Path, oldest: int) -> Iterator[Path]:
    for path in directory.iterdir():
        number = path.name.partition("-")[0]
        if number.isdigit() and int(number) < oldest:
            yield path
