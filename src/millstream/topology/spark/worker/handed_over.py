"""Chunks that the last stage hands to the sink in memory, so that Spark need not carry them.

Stage and sink are two Python workers of one Spark task, and all that went from one to the other
went through the JVM: out of a socket, into its memory, and into another socket. Now a row has the
place of its chunk: a file in memory that the stage's worker has open. Such a file has no name and
goes with its processes. The sink empties it once everything is written; what a sink has not come to
is closed by the partition's next attempt here, or in the next batch, before which all sinks end.
"""

from __future__ import annotations

import errno
import mmap
import os
import struct
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pyarrow as pa

from millstream.core.errors import StreamsException
from millstream.topology.spark.wire import HANDED_OVER, RECORDS, SINK

_PLACE = struct.Struct(">qqqq")
"""Process and number of the open file; where in it the chunk begins, and its size."""
_LEAST = 1 << 14
"""Fewer bytes are as fast through Spark."""
_VECTORS = 512
"""At most so many parts are written by one call; Linux takes 1,024."""

Rows = list[dict[str, Any]]


class OpenFiles:
    """The files of one worker that a sink may not have read yet."""

    def __init__(self) -> None:
        self._files: dict[int, tuple[int, int]] = {}
        """Partition -> batch, file."""

    def hand_over(self, partition: int, batch: int, rows: Rows) -> Rows:
        """Return a task's rows, those for the sink with places if they have large chunks.

        Where a file in memory cannot be had, the rows stay as they are.
        """
        self._close({n for n, (last, _) in self._files.items() if last != batch or n == partition})
        mine = [row for row in rows if row["stage"] == SINK and row["kind"] == RECORDS]
        chunks = [row["blob"] for row in mine]
        if sum(chunk.nbytes for chunk in chunks) < _LEAST or not _can_be_opened():
            return rows
        file = _written(chunks)
        if file is None:
            return rows
        self._files[partition] = batch, file
        start = 0
        for row, chunk in zip(mine, chunks, strict=True):
            place = _PLACE.pack(os.getpid(), file, start, chunk.nbytes)
            row |= {"kind": HANDED_OVER, "blob": place}
            start += chunk.nbytes
        return rows

    def close(self) -> None:
        """Close all files."""
        self._close(set(self._files))

    def _close(self, partitions: set[int]) -> None:
        for partition in partitions:
            os.close(self._files.pop(partition)[1])


@cache
def _can_be_opened() -> bool:
    """Tell whether another process of this user may open a file that this one has open."""
    try:
        os.readlink(f"/proc/{os.getppid()}/exe")  # asks for the same right
        file = os.memfd_create("millstream-probe")
        try:
            os.close(os.open(f"/proc/self/fd/{file}", os.O_RDWR | os.O_CLOEXEC))
        finally:
            os.close(file)
    except (OSError, AttributeError):
        return False
    return True


def _written(chunks: list[memoryview]) -> int | None:
    """Return a file in memory with the chunks; None if there is no memory for it."""
    try:
        file = os.memfd_create("millstream-output")
    except OSError:
        return None
    try:
        for start in range(0, len(chunks), _VECTORS):
            left = chunks[start : start + _VECTORS]
            while left:
                done = os.writev(file, left)
                while left and done >= left[0].nbytes:
                    done -= left.pop(0).nbytes
                if done:
                    left[0] = left[0][done:]
    except OSError:
        os.close(file)
        return None
    return file


class TakenOver:
    """What a stage has handed over to a sink for one batch."""

    def __init__(self) -> None:
        self._files: dict[tuple[int, int], tuple[int, pa.Buffer]] = {}

    def rows(self, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield rows, each with its chunk in the place of where that is.

        Raises:
            StreamsException: The worker of the stage has ended meanwhile, or memory is scarce.
        """
        for row in rows:
            if row["kind"] == HANDED_OVER:
                pid, file, start, size = _PLACE.unpack(memoryview(row["blob"]))
                chunk = self._memory(pid, file).slice(start, size)
                row |= {"kind": RECORDS, "blob": chunk}
            yield row

    def _memory(self, pid: int, number: int) -> pa.Buffer:
        found = self._files.get((pid, number))
        if found is None:
            try:
                file = os.open(f"/proc/{pid}/fd/{number}", os.O_RDWR | os.O_CLOEXEC)
                try:
                    memory = mmap.mmap(file, 0)
                except OSError:
                    os.close(file)
                    raise
            except OSError as error:
                raise _gone(pid, error) from error
            found = self._files[pid, number] = file, pa.py_buffer(memory)
        return found[1]

    def empty(self) -> None:
        """Free the memory; the chunks must not be read any more."""
        for file, _ in self._files.values():
            os.ftruncate(file, 0)

    def close(self) -> None:
        """Close the files."""
        for file, _ in self._files.values():
            os.close(file)
        self._files.clear()


def _gone(pid: int, error: OSError) -> StreamsException:
    return StreamsException(
        "the sink cannot read what the last stage has handed over in memory",
        detail=f"Python worker {pid} of the stage: {errno.errorcode.get(error.errno or 0)}.",
        hint="Look whether the worker was killed, as by a limit of memory; Spark runs the task "
        "again.",
    )
