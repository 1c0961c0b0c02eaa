"""Slots: directories of worker processes, each locked by one process."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from millstream.core.errors import LockException
from millstream.topology.spark.full_disk import FREE_SPACE, full_disk_from
from millstream.topology.spark.private import FILE_MODE, private_directory

LIMIT = 1024
_claimed: dict[tuple[int, Path], tuple[Path, int]] = {}
_open: set[int] = set()
"""Handles of the locks that this process has."""


def claimed_slot(root: Path) -> Path:
    """Return this process's slot below ``root``; the first call locks the first free one.

    The slot of a dead process is taken over with its contents.

    Raises:
        LockException: The directory cannot be created, or every slot is locked.
    """
    # A forked child must not use its parent's slot, although it inherits the lock.
    known = (os.getpid(), root)
    if known in _claimed and not _is_there(*_claimed[known]):
        # The slot was deleted, and another process may have created one of that name.
        release_slot(root)
    if known not in _claimed:
        _claimed[known] = _claim(root)
    return _claimed[known][0]


def release_slot(root: Path) -> None:
    """Unlock this process's slot below ``root``, if it has one."""
    claimed = _claimed.pop((os.getpid(), root), None)
    if claimed is not None:
        unlock(claimed[1])


def free_slots(root: Path) -> Iterator[Path]:
    """Remove the slots and copies that no process has locked; yield each removed one.

    Raises:
        LockException: One cannot be locked or read.
    """
    places = [*sorted(root.glob("slots/*")), *sorted(root.glob("shared/*/*"))]
    places += sorted(each for each in root.glob("standbys/*/*/*") if each.is_dir())
    for slot in places:
        handle = _free(slot)
        if handle is not None:
            shutil.rmtree(slot, ignore_errors=True)
            unlock(handle)
            yield slot


def checkpoint_slot(root: Path, checkpoint: str) -> Path:
    """Return the directory of a checkpoint's working copies in this process's slot.

    When it is new, those of other checkpoints are removed: of a former generation, or of a
    checkpoint that was deleted.

    Raises:
        LockException: No slot can be claimed.
    """
    slot = claimed_slot(root)
    found = slot / checkpoint
    if not found.exists():
        list(_without_others(slot, checkpoint))
    return found


def free_other_checkpoints(root: Path, checkpoint: str) -> Iterator[Path]:
    """Remove what slots and shared copies that no process has locked hold of other checkpoints.

    Yields:
        Each removed directory.

    Raises:
        LockException: One cannot be locked or read.
    """
    for slot in sorted(root.glob("slots/*")):
        handle = _free(slot)
        if handle is not None:
            try:
                yield from _without_others(slot, checkpoint)
            finally:
                unlock(handle)
    for shared in sorted(root.glob("shared/*/*")):
        handle = None if shared.parent.name == checkpoint else _free(shared)
        if handle is not None:
            shutil.rmtree(shared, ignore_errors=True)
            unlock(handle)
            yield shared
    for copy in sorted(each for each in root.glob("standbys/*/*/*") if each.is_dir()):
        handle = None if copy.parents[1].name == checkpoint else _free(copy)
        if handle is not None:
            shutil.rmtree(copy, ignore_errors=True)
            unlock(handle)
            yield copy
    yield from _without_others(root / "isolation", checkpoint)


def _free(directory: Path) -> int | None:
    """Lock a directory; None if another process has locked it, or has removed it meanwhile."""
    try:
        return locked(directory)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unusable(directory, error) from error


def _without_others(directory: Path, checkpoint: str) -> Iterator[Path]:
    """Remove the directories of other checkpoints; yield each."""
    for path in sorted(directory.glob("*")):
        if path.is_dir() and path.name != checkpoint:
            shutil.rmtree(path, ignore_errors=True)
            yield path


def first_free(root: Path) -> DirectoryLock:
    """Return the lock, taken, of the first directory below ``root`` that no process has locked.

    The directory of a dead process is taken over with its contents.

    Raises:
        LockException: A directory cannot be created, or every one is locked.
    """
    for number in range(LIMIT):
        lock = DirectoryLock(root / str(number))
        if lock.acquire():
            return lock
    raise LockException(
        f'cannot lock a directory in "{root}"', detail=f"{LIMIT} processes hold one each."
    )


def _claim(root: Path) -> tuple[Path, int]:
    for number in range(LIMIT):
        slot = root / "slots" / str(number)
        try:
            private_directory(slot)
            handle = locked(slot)
        except OSError as error:
            raise unusable(root, error) from error
        if handle is not None:
            return slot, handle
    raise LockException(
        f'cannot claim a slot in the state directory "{root}"',
        detail=f"{LIMIT} processes hold one each.",
    )


class DirectoryLock:
    """Lock of a directory that the workers of a machine share; held for one batch at a time."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._handle: int | None = None
        self._owner = 0
        """Process that has taken it; a forked one may have another lock with the same number."""

    def acquire(self) -> bool:
        """Take the lock unless another process has it; return whether this process has it.

        Raises:
            LockException: The directory cannot be created.
        """
        if self._handle is None or self._owner != os.getpid():
            try:
                private_directory(self.directory)
                self._handle, self._owner = locked(self.directory), os.getpid()
            except OSError as error:
                raise unusable(self.directory, error) from error
        return self._handle is not None

    def release(self) -> None:
        """Release the lock."""
        handle, self._handle = self._handle, None
        if handle is not None and self._owner == os.getpid():
            unlock(handle)

    def close(self) -> None:
        """Release the lock, for good."""
        self.release()


def _is_there(slot: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.stat(slot / "lock"), os.fstat(handle))
    except FileNotFoundError:
        return False


def unusable(directory: Path, error: OSError) -> LockException:
    """Return the error for a state directory in which something cannot be read or written."""
    if isinstance(error, (IsADirectoryError, NotADirectoryError, FileExistsError)):
        at = Path(error.filename)
        at = next((each for each in (at, *at.parents) if each.is_file()), at)
        return LockException(
            f'cannot use the state directory "{directory}"',
            detail=f'"{at}" is a {"directory" if at.is_dir() else "file"}, and should not be one.',
            hint="Move it away, and start again: working copies and locks are made anew from the "
            "checkpoint. Or set state.dir to another directory.",
        )
    return LockException(
        f'cannot use the state directory "{directory}"',
        detail=f"{error}.",
        hint="Set state.dir to a directory that this user can write to."
        if full_disk_from(str(error)) is None
        else FREE_SPACE,
    )


def locked(directory: Path) -> int | None:
    """Lock a directory until ``unlock`` or the end of this process; None if it is locked.

    A process that is forked from this one does not keep the lock.

    Raises:
        OSError: The directory cannot be written to.
    """
    handle = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    _open.add(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        unlock(handle)
        return None
    return handle


def unlock(handle: int) -> None:
    """Give back a lock that ``locked`` has returned in this process; else do nothing."""
    if handle in _open:
        _open.discard(handle)
        os.close(handle)


def _leave() -> None:
    """Close, in a forked process, what it has inherited.

    The system gives a lock back when no process has its file open any more: the other process could
    end, and nobody could start in its place.
    """
    while _open:
        os.close(_open.pop())
    _claimed.clear()


os.register_at_fork(after_in_child=_leave)
