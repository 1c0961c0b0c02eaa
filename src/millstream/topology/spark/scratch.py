"""Directory of Spark's temporary files, deleted at the latest at the next start.

Spark deletes its files at a normal end. A killed driver leaves shuffled data, unpacked libraries
and artifacts, some hundred megabytes.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
import uuid
from pathlib import Path

from millstream.topology.spark.private import FILE_MODE
from millstream.topology.spark.state.slots import locked, unlock

_claimed: dict[int, Path] = {}
_removed_at_end: list[tuple[int, Path]] = []


def scratch_root() -> Path:
    """Return the directory of this user's scratch directories on this machine."""
    return Path(tempfile.gettempdir()) / f"millstream-spark-{os.getuid()}"


def scratch_directory(root: Path | None = None) -> Path | None:
    """Return this process's directory for Spark's temporary files, created at the first call.

    Directories of dead processes are removed. It is not below ``state.dir``: Spark's JVM outlives
    an application, and the next one in this process may have another ``state.dir``.

    Returns:
        The directory; None if it cannot be created, and Spark chooses its own.
    """
    root = root or scratch_root()
    pid = os.getpid()
    if pid in _claimed and _claimed[pid].is_dir():
        return _claimed[pid]
    try:
        root.mkdir(mode=0o700, exist_ok=True)
        if root.is_symlink() or root.stat().st_uid != os.getuid():
            # Created by another user, who could read the files.
            return None
        directory = _made(root)
    except OSError:
        return None
    _claimed[pid] = directory
    remove_at_end(directory)
    return directory


def remove_at_end(directory: Path) -> None:
    """Remove a directory when this process ends, after its applications have closed."""
    _removed_at_end.append((os.getpid(), directory))


def _made(root: Path) -> Path:
    """Create and lock a new directory; delete those that no process has locked."""
    one_at_a_time = os.open(root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    try:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        for left in [path for path in root.iterdir() if path.is_dir()]:
            handle = locked(left)
            if handle is not None:
                shutil.rmtree(left, ignore_errors=True)
                unlock(handle)
        directory = root / uuid.uuid4().hex[:12]
        directory.mkdir(mode=0o700)
        locked(directory)
        return directory
    finally:
        os.close(one_at_a_time)


def _remove_own() -> None:
    for pid, directory in _removed_at_end:
        # A forked child that ends must not delete its parent's directory.
        if os.getpid() == pid:
            shutil.rmtree(directory, ignore_errors=True)


# What is registered first runs last: an application that the program has left running closes
# before, and its last batch needs these files.
atexit.register(_remove_own)
