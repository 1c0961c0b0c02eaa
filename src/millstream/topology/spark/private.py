"""Files and directories that other users cannot read, as Kafka Streams makes those of its state."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

UMASK = 0o027
DIRECTORY_MODE = 0o750
FILE_MODE = 0o640


def private_directory(path: Path) -> None:
    """Make a directory and its missing parents; other users have no access.

    Raises:
        OSError: The directory cannot be made.
    """
    missing = [path, *path.parents]
    for each in reversed([at for at in missing if not at.exists()]):
        each.mkdir(mode=DIRECTORY_MODE, exist_ok=True)


def private_state(path: Path) -> None:
    """Make the directory of an application's state, or close it to other users.

    Raises:
        OSError: The directory cannot be made.
    """
    private_directory(path)
    if path.stat().st_mode & 0o007:
        # The directory may belong to another user, who lets this user's group in.
        with suppress(PermissionError):
            path.chmod(DIRECTORY_MODE)


def write_private(path: Path, text: str) -> None:
    """Write a text file that only its owner and group may read.

    Raises:
        OSError: It cannot be written.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        # Of a full disk the system does not say which file it is.
        error.filename = error.filename or str(path)
        raise


@contextmanager
def private_children() -> Iterator[None]:
    """Let processes started in the block create private files only."""
    before = os.umask(UMASK)
    try:
        yield
    finally:
        os.umask(before)
