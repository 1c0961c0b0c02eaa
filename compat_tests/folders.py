"""Temporary directories of tests that something may write to after they were deleted."""

from __future__ import annotations

import atexit
import tempfile
from pathlib import Path
from shutil import rmtree


class TemporaryFolder(tempfile.TemporaryDirectory[str]):
    """Temporary directory that is deleted again when the process ends.

    Spark writes snapshots of a stopped query's stores for up to a minute, and makes their directory
    again.
    """

    def __init__(self, prefix: str) -> None:
        super().__init__(prefix=prefix, ignore_cleanup_errors=True)
        atexit.register(rmtree, self.name, ignore_errors=True)


def folder(prefix: str) -> Path:
    """Return a new directory, which is deleted when the process ends."""
    made = Path(tempfile.mkdtemp(prefix=prefix))
    atexit.register(rmtree, made, ignore_errors=True)
    return made
