"""Directories of worker processes: one each, claimed by a file lock that ends with the process."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from millstream.core.errors import LockException

LIMIT = 1024
_claimed: dict[tuple[int, Path], tuple[Path, int]] = {}


def claimed_slot(root: Path) -> Path:
    """Return this process's own directory below ``root``; the first free one, kept from then on.

    A directory whose process has died is taken over with what is in it.

    Raises:
        LockException: The directory cannot be made, or every slot is taken.
    """
    # A forked child must not use its parent's slot, although it inherits the lock.
    known = (os.getpid(), root)
    if known not in _claimed:
        _claimed[known] = _claim(root)
    return _claimed[known][0]


def free_slots(root: Path) -> Iterator[Path]:
    """Remove the slots that no process holds; yield each that went."""
    for slot in sorted((root / "slots").glob("*")) if root.is_dir() else ():
        handle = _lock(slot)
        if handle is not None:
            shutil.rmtree(slot, ignore_errors=True)
            os.close(handle)
            yield slot


def _claim(root: Path) -> tuple[Path, int]:
    for number in range(LIMIT):
        slot = root / "slots" / str(number)
        try:
            slot.mkdir(parents=True, exist_ok=True)
            handle = _lock(slot)
        except OSError as error:
            raise LockException(
                f'cannot use the state directory "{root}"',
                detail=f"{error}.",
                hint="Set state.dir to a directory that this user can write to.",
            ) from error
        if handle is not None:
            return slot, handle
    raise LockException(
        f'cannot claim a slot in the state directory "{root}"',
        detail=f"{LIMIT} processes hold one each.",
    )


def _lock(slot: Path) -> int | None:
    handle = os.open(slot / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle
