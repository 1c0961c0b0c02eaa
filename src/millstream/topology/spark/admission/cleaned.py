"""Note of ``cleanUp()``: a start that finds new offsets of the group may empty the checkpoint."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from millstream.topology.spark.private import write_private
from millstream.topology.spark.state.slots import unusable

CLEANED = "cleaned"


def is_noted(state_dir: Path) -> bool:
    """Return whether the local files of an application were cleaned up since its last start.

    Raises:
        LockException: There is a directory in the place of the note.
    """
    file = state_dir / CLEANED
    if file.is_dir():
        raise unusable(
            state_dir, IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
        )
    return file.exists()


def note(state_dir: Path) -> None:
    """Note that the local files of an application were cleaned up.

    Raises:
        LockException: The note cannot be written.
    """
    try:
        write_private(state_dir / CLEANED, "")
    except OSError as error:
        raise unusable(state_dir, error) from error


def forget(state_dir: Path) -> None:
    """Delete the note: the application has started."""
    (state_dir / CLEANED).unlink(missing_ok=True)
