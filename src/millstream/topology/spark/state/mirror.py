"""Mirror of a task's changelog: its committed segments as files, for copies on other executors.

    <directory>/head        manifest of the last committed batch
    <directory>/<number>    segment

A mirror is written when the batch *after* has begun, so all of it is committed and no file ever
changes. Nothing depends on it: whoever reads a damaged or incomplete one waits, or has it made
anew. Segments and manifests have checksums, and each segment names the one before it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from millstream.core.errors import ProcessorStateException
from millstream.topology.spark.private import FILE_MODE, private_directory
from millstream.topology.spark.state.changelog import SegmentLog, SegmentReader
from millstream.topology.spark.state.manifest import Manifest

HEAD = "head"
OLDER_PER_BATCH = 32
"""Number of older segments, of 256 kB at most, that a batch adds to a mirror that lacks them."""


class Mirror(SegmentReader):
    """Mirror of one task, for reading.

    Args:
        directory: Its directory, which may not exist.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._seen: tuple[int, int] | None = None

    def new_head(self) -> Manifest | None:
        """Return the manifest, if it was written since the last call; None otherwise.

        Raises:
            ProcessorStateException: It is damaged.
            OSError: It cannot be read.
        """
        path = self.directory / HEAD
        try:
            status = path.stat()
            found = (status.st_mtime_ns, status.st_ino)
            if found == self._seen:
                return None
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        self._seen = found
        return Manifest.decode(data)

    def get(self, seq: int) -> bytes | None:
        """Return a segment; None if it is not there."""
        with suppress(FileNotFoundError):
            return (self.directory / str(seq)).read_bytes()
        return None

    def discard(self) -> None:
        """Delete all files; the task's writer makes them anew."""
        with suppress(FileNotFoundError):
            # The head first: without it, the writer looks for what is there.
            (self.directory / HEAD).unlink()
        shutil.rmtree(self.directory, ignore_errors=True)


class MirrorWriter(SegmentLog):
    """Writer of one task's mirror; stands before the task's log and keeps the last segments.

    Args:
        directory: The mirror's directory.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._present: set[int] | None = None
        """Numbers of the segments that are there; None before the first look."""
        self._written: dict[int, bytes] = {}
        """Segments that the last batch wrote; it may have failed."""
        self._log: SegmentLog | None = None

    def over(self, log: SegmentLog) -> SegmentLog:
        """Return a log that also keeps what is put, for ``publish`` in the next batch."""
        self._log = log
        self._written = {}
        return self

    def get(self, seq: int) -> bytes | None:
        assert self._log is not None
        return self._log.get(seq)

    def put(self, seq: int, segment: bytes) -> None:
        assert self._log is not None
        self._log.put(seq, segment)
        self._written[seq] = segment

    def remove(self, seq: int) -> None:
        assert self._log is not None
        self._log.remove(seq)

    def publish(self, manifest: Manifest, encoded: bytes, log: SegmentReader, *, own: bool) -> None:
        """Bring the mirror to a committed batch, or nearer to it.

        Args:
            manifest: The batch's manifest.
            encoded: Its bytes.
            log: The task's segments.
            own: Whether the batch is the last one of this writer.

        Raises:
            OSError: A file cannot be written.
        """
        present = self._found()
        written = self._written if own else {}
        older = 0
        for seq in range(manifest.first, manifest.position.seq):
            if seq in present:
                continue
            segment = written.get(seq)
            if segment is None:
                older += 1
                if older > OLDER_PER_BATCH:
                    continue
                segment = log.get(seq)
            if segment is not None:
                self._write(str(seq), segment)
                present.add(seq)
        if older <= OLDER_PER_BATCH:
            self._write(HEAD, encoded)
        for seq in [seq for seq in present if seq < manifest.oldest]:
            (self._directory / str(seq)).unlink(missing_ok=True)
            present.discard(seq)

    def _found(self) -> set[int]:
        if self._present is None or not (self._directory / HEAD).exists():
            private_directory(self._directory)
            self._present = set(_numbers(self._directory))
        return self._present

    def _write(self, name: str, data: bytes) -> None:
        new = self._directory / f".{name}.{os.getpid()}"
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        new.replace(self._directory / name)


def usable_head(mirror: Mirror) -> Manifest | None:
    """Return a new manifest of a mirror; one that is damaged is deleted, with all its segments.

    Raises:
        OSError: The files cannot be read.
    """
    try:
        return mirror.new_head()
    except ProcessorStateException:
        mirror.discard()
        return None


def _numbers(directory: Path) -> Iterator[int]:
    return (int(path.name) for path in directory.iterdir() if path.name.isdigit())
