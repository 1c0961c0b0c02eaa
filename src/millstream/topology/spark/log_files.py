"""Log file of an application: bounded in size, and without floods of one kind of record."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from logging.handlers import WatchedFileHandler
from pathlib import Path

ROTATE_BYTES = 50 << 20
"""Size at which a file is rotated; log4j2.properties has the same for what the JVM writes."""
KEPT = 3
"""Number of rotated files that are kept."""
MOST_A_MINUTE = 100
"""The most records of one kind that a process writes in a minute."""
_MINUTE_S = 60.0
_LOOK_S = 5.0
_UNWRITTEN = "cannot write the log file {}: {}; until it can, its records are lost"


class LogFile(WatchedFileHandler):
    """Handler that writes to a file which another process may rotate.

    Records of one kind are those of one line of a program. Of a kind that comes more often than
    ``MOST_A_MINUTE`` the others are left out, and a line says how many. A file that cannot be
    written, as on a full disk, is told once on standard error, and disturbs nothing else.

    Args:
        path: The file.
        clock: Monotonic clock in seconds.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace")
        self._clock = clock
        self._failed = self._told = False
        """Whether the last record could not be written, and whether that was told."""
        self._kinds: dict[tuple[str, int], tuple[float, int]] = {}
        """When the minute of a kind began, and how many records have come in it."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, unless too many of its kind have come in this minute."""
        kind, now = (record.pathname, record.lineno), self._clock()
        began, count = self._kinds.get(kind, (now, 0))
        if now - began >= _MINUTE_S:
            self._tell(record.name, count)
            began, count = now, 0
        self._kinds[kind] = began, count + 1
        if count < MOST_A_MINUTE:
            self._write(record)
        elif count == MOST_A_MINUTE:
            self._say(record.name, "further records like the last ones are left out for a minute")

    def handleError(self, record: logging.LogRecord) -> None:
        """Say in one line that the file cannot be written; a trace for each record says no more."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        self._failed = True
        if not self._told:
            self._told = True
            with suppress(OSError, ValueError, AttributeError):  # standard error may be closed
                print(_UNWRITTEN.format(self.baseFilename, error), file=sys.stderr, flush=True)

    def close(self) -> None:
        """Close the file; what it cannot take any more is lost, and was told."""
        with suppress(OSError):
            super().close()

    def _write(self, record: logging.LogRecord) -> None:
        self._failed = False
        try:
            super().emit(record)
        except OSError:
            # Its directory is gone, or cannot be read.
            self.handleError(record)
        self._told = self._told and self._failed

    def _tell(self, name: str, count: int) -> None:
        if count > MOST_A_MINUTE:
            self._say(name, f"{count - MOST_A_MINUTE:,} records like the next one were left out")

    def _say(self, name: str, text: str) -> None:
        self._write(logging.LogRecord(name, logging.WARNING, __file__, 0, text, None, None))


class Rotation:
    """Rotates an application's log file when it is too large, whoever has written it.

    Args:
        path: The file.
        by_jvm: Lets the JVM rotate the file, which goes on with the old one otherwise; returns
            False if it does not write to it.
        clock: Monotonic clock in seconds.
    """

    def __init__(
        self,
        path: Path,
        by_jvm: Callable[[Path], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path, self._by_jvm, self._clock = path, by_jvm, clock
        self._due = 0.0

    def look(self) -> None:
        """Rotate the file if it is time to look at it and it is too large."""
        now = self._clock()
        if now < self._due:
            return
        self._due = now + _LOOK_S
        # The file may be gone, or on a disk that is full.
        with suppress(OSError):
            if self._path.stat().st_size >= ROTATE_BYTES and not self._by_jvm(self._path):
                self._shift()

    def _shift(self) -> None:
        names = [self._path, *(Path(f"{self._path}.{number}") for number in range(1, KEPT + 1))]
        for newer, older in reversed(list(pairwise(names))):
            if newer.exists():
                os.replace(newer, older)
