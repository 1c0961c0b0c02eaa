"""Handover of a standby copy between two workers of one executor, by files and a lock."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from millstream.topology.spark.private import private_directory, write_private
from millstream.topology.spark.state.slots import DirectoryLock

PATIENCE_S = 1.0
"""How long a task waits for the worker that has its copy."""

_POLL_S = 0.005


class Handover:
    """Copies of one executor's tasks that one worker has and another one may ask for.

    Args:
        root: Directory of the copies on this machine, with a directory for each task.
        executor: The executor's id.
    """

    def __init__(self, root: Path, executor: str) -> None:
        self._root = root
        self._executor = executor

    def ask(self, task: str) -> DirectoryLock | None:
        """Return the lock, taken, of a copy's directory; None if no worker gives one in time."""
        wanted, given = self._files(task)
        private_directory(wanted.parent)
        given.unlink(missing_ok=True)
        write_private(wanted, "")
        give_up = time.monotonic() + PATIENCE_S
        while not given.exists() and time.monotonic() < give_up:
            time.sleep(_POLL_S)
        wanted.unlink(missing_ok=True)
        with suppress(OSError, UnicodeDecodeError):
            number = given.read_text("utf-8")
            given.unlink(missing_ok=True)
            if number.isdigit():
                lock = DirectoryLock(self._root / task / number)
                return lock if lock.acquire() else None
        return None

    def wanted(self, task: str) -> bool:
        """Return whether another worker asks for a task's copy."""
        return self._files(task)[0].exists()

    def give(self, task: str, place: DirectoryLock, close: Callable[[], None]) -> None:
        """Close a copy and leave its directory to the worker that asks.

        Args:
            task: The task's name.
            place: The directory.
            close: Closes the stores and unlocks the directory.
        """
        wanted, given = self._files(task)
        close()
        new = given.with_name(f".{given.name}")
        write_private(new, place.directory.name)
        new.replace(given)
        wanted.unlink(missing_ok=True)

    def _files(self, task: str) -> tuple[Path, Path]:
        directory = self._root / task
        return directory / f"wanted.{self._executor}", directory / f"given.{self._executor}"
