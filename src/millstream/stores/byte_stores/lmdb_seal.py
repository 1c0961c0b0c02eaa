"""Seal of an LMDB file: proof that it is as our last commit left it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from random import SystemRandom

from millstream.core.errors import ProcessorStateException

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_BYTES = 64
_BROKEN = "broken"
_random = SystemRandom()


class Seal:
    """Mark on a data file that every change by other software breaks.

    After each commit the file gets a random time of modification, which another file notes. A later
    write by other software gives it the real time instead. While we write, the note says so: LMDB's
    own commits are atomic if only the process dies. The note also names the machine's boot: after a
    crash of the machine, pages that were never synced may be missing, so the file is not used.

    What it cannot see is a disk that returns other bytes than were written.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._data = directory / "data.mdb"
        self._note = os.open(directory / "seal", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def check(self) -> None:
        """Do nothing if the file is as it should be, or is not there yet.

        Raises:
            ProcessorStateException: It is not.
        """
        with self._locked(fcntl.LOCK_SH):
            self._check()

    @contextmanager
    def broken(self) -> Iterator[None]:
        """Check, allow changes, and seal the file again; after an error too, if it still exists.

        Other processes wait in the meantime.
        """
        with self._locked(fcntl.LOCK_EX):
            self._check()
            os.pwrite(self._note, _encoded(_BROKEN), 0)
            try:
                yield
            finally:
                with suppress(OSError):
                    seconds = _random.getrandbits(31)
                    os.utime(self._data, (seconds, seconds))
                    os.pwrite(self._note, _encoded(str(seconds)), 0)

    def close(self) -> None:
        """Close the note; a second call does nothing."""
        note, self._note = self._note, -1
        if note >= 0:
            os.close(note)

    @contextmanager
    def _locked(self, how: int) -> Iterator[None]:
        fcntl.flock(self._note, how)
        try:
            yield
        finally:
            fcntl.flock(self._note, fcntl.LOCK_UN)

    def _check(self) -> None:
        if not self._fits(os.pread(self._note, _BYTES, 0)):
            raise ProcessorStateException(
                f'cannot use the LMDB store in "{self._directory}": its file is not as it was left',
                detail="It was changed or deleted by something else, or the machine was restarted.",
                hint="Delete the directory: it is rebuilt from the checkpoint.",
            )

    def _fits(self, noted: bytes) -> bool:
        try:
            modified = self._data.stat().st_mtime_ns
        except FileNotFoundError:
            return not noted
        seconds, rest = divmod(modified, 1_000_000_000)
        return noted == _encoded(_BROKEN) or (not rest and noted == _encoded(str(seconds)))


def _encoded(state: str) -> bytes:
    return f"{_boot()} {state}".ljust(_BYTES).encode()


@cache
def _boot() -> str:
    return _BOOT_ID.read_text().strip()
