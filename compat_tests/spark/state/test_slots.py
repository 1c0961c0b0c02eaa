"""Slots: the folders of a machine's worker processes."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from compat_tests.spark.driver.test_forked import forked
from millstream.core.errors import LockException
from millstream.topology.spark.state.slots import (
    DirectoryLock,
    checkpoint_slot,
    claimed_slot,
    first_free,
    free_other_checkpoints,
    free_slots,
    release_slot,
    unusable,
)

CLAIM = """
import sys; from pathlib import Path
from millstream.topology.spark.state.slots import *
"""


def test_a_process_keeps_its_slot_and_another_gets_the_next(tmp_path: Path) -> None:
    mine = claimed_slot(tmp_path)
    code = CLAIM + "print(claimed_slot(Path(sys.argv[1])).name)"
    other = subprocess.run(
        [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True
    )

    assert (mine.name, other.stdout.strip()) == ("0", "1")
    assert claimed_slot(tmp_path) == mine
    assert [slot.name for slot in free_slots(tmp_path)] == ["1"]
    assert mine.is_dir()


def test_a_slot_forgets_the_working_copies_of_former_checkpoints(tmp_path: Path) -> None:
    one = checkpoint_slot(tmp_path, "one")
    (one / "0_0").mkdir(parents=True)
    assert checkpoint_slot(tmp_path, "one") == one
    two = checkpoint_slot(tmp_path, "two")
    assert (two.name, two.parent) == ("two", one.parent)
    assert not one.exists()
    assert (two.parent / "lock").exists()


def test_what_no_process_uses_of_other_checkpoints_is_removed_at_a_start(tmp_path: Path) -> None:
    used = checkpoint_slot(tmp_path, "old") / "0_0"
    left = tmp_path / "slots" / "7"
    places = [
        *(left / name / "0_1" for name in ("old", "now")),
        *(tmp_path / "shared" / name / "0_0" for name in ("old", "now")),
        *(tmp_path / "isolation" / name for name in ("old", "now")),
        used,
    ]
    for place in places:
        place.mkdir(parents=True)
    gone = list(free_other_checkpoints(tmp_path, "now"))
    assert gone == [left / "old", tmp_path / "shared" / "old" / "0_0", tmp_path / "isolation/old"]
    assert [place.exists() for place in places] == [False, True, False, True, False, True, True]
    assert list(free_other_checkpoints(tmp_path, "now")) == []


def test_a_copys_directory_is_free_when_no_process_has_it(tmp_path: Path) -> None:
    task = tmp_path / "standbys" / "checkpoint" / "0_1"
    first, second = first_free(task), first_free(task)
    assert [first.directory.name, second.directory.name] == ["0", "1"]
    (task / "wanted.1").touch()
    first.release()
    assert [place.name for place in free_slots(tmp_path)] == ["0"]
    assert first_free(task).directory.name == "0"
    assert second.directory.is_dir()


@pytest.mark.parametrize("kind", ["a file for a slot", "a directory for its lock"])
def test_a_slot_that_is_something_else_is_named(tmp_path: Path, kind: str) -> None:
    slot = tmp_path / "slots" / "0"
    wrong = slot if kind == "a file for a slot" else slot / "lock"
    if wrong == slot:
        slot.parent.mkdir()
        slot.touch()
    else:
        wrong.mkdir(parents=True)
    for act in (
        lambda: list(free_slots(tmp_path)),
        lambda: list(free_other_checkpoints(tmp_path, "c")),
        lambda: claimed_slot(tmp_path),
    ):
        with pytest.raises(LockException) as caught:
            act()
        assert f'"{wrong}" is a ' in caught.value.detail
        assert caught.value.hint.startswith("Move it away")


def test_a_forked_process_keeps_no_lock_of_the_one_that_it_is_forked_from(tmp_path: Path) -> None:
    """As by multiprocessing in the program: it may live longer than the application."""
    lock = DirectoryLock(tmp_path / "state")
    assert lock.acquire()
    slot = claimed_slot(tmp_path)
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        theirs.send(b"up")
        theirs.recv(1)
        os._exit(0)
    theirs.close()
    assert ours.recv(2) == b"up"
    try:
        lock.release()
        release_slot(tmp_path)
        assert DirectoryLock(tmp_path / "state").acquire()
        assert claimed_slot(tmp_path) == slot
    finally:
        ours.close()
        os.waitpid(child, 0)


def test_a_forked_process_does_not_give_back_the_locks_of_the_other(tmp_path: Path) -> None:
    lock = DirectoryLock(tmp_path)
    assert lock.acquire()

    def use() -> None:
        # One of them gets the number that the closed one had.
        others = [DirectoryLock(tmp_path / str(each)) for each in range(100)]
        assert all(each.acquire() for each in others)
        assert lock._handle in [each._handle for each in others]
        assert not lock.acquire()
        lock.release()
        assert not any(DirectoryLock(each.directory).acquire() for each in others)

    assert forked(use) == 0
    assert not DirectoryLock(tmp_path).acquire()
    lock.release()


def test_on_a_full_disk_the_hint_is_to_make_room(tmp_path: Path) -> None:
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / "lock"))
    assert unusable(tmp_path, error).hint.startswith("Free space where state.dir")
