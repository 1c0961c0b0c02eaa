"""Faults of files: working copies, and the checkpoint."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

from compat_tests.smoke.faults.fault import Fault
from compat_tests.smoke.rig import FaultFailed, Rig
from compat_tests.smoke.small_disk import cannot_mount, fill, small_disk

FULL_MB = 64


def working_copies(rig: Rig) -> list[Path]:
    """Return the files of the workers' copies of stores."""
    return [
        path
        for path in rig.state.rglob("*")
        if path.is_file() and rig.checkpoint not in path.parents and "slot" in str(path)
    ]


def delete_copies(rig: Rig, random: Random) -> None:
    """Delete the working copies while the application runs."""
    del random
    for path in working_copies(rig):
        path.unlink(missing_ok=True)


def flip_bytes(rig: Rig, random: Random) -> None:
    """Flip bytes in the middle of working copies while the application runs."""
    for path in working_copies(rig):
        try:
            size = path.stat().st_size
            if size == 0 or path.name == "LOCK":
                continue
            with path.open("r+b") as file:
                at = random.randrange(size)
                file.seek(at)
                one = file.read(1)
                file.seek(at)
                file.write(bytes([one[0] ^ 0xFF]))
        except OSError:
            continue


def truncated(log: str) -> Callable[[Rig, Random], None]:
    """Return a fault: the last file of a log of the checkpoint is cut in the middle."""

    def strike(rig: Rig, random: Random) -> None:
        rig.kill()
        copy = rig.directory / "checkpoint-copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(rig.checkpoint, copy)
        numbered = [path for path in _current(rig).joinpath(log).iterdir() if path.name.isdigit()]
        last = max(numbered, key=lambda path: int(path.name))
        whole = last.read_bytes()
        last.write_bytes(whole[: random.randrange(len(whole))])
        mark = rig.mark()
        rig.start()
        rig.wait_for_end(120)
        said = rig.said_since(mark)
        if "hint: " not in said or str(last.name) not in said:
            raise FaultFailed(f"a truncated {log}/{last.name} is not told with what to do:\n{said}")
        # What the hint says: the whole checkpoint from a copy.
        shutil.rmtree(rig.checkpoint)
        shutil.move(copy, rig.checkpoint)
        rig.start()

    return strike


def _current(rig: Rig) -> Path:
    """Return the directory with the logs of the checkpoint's present generation."""
    return max(rig.checkpoint.rglob("offsets"), key=lambda path: path.stat().st_mtime).parent


def fill_disk(rig: Rig, random: Random) -> None:
    """Fill the disk of state and checkpoint; free it when the application has said so."""
    del random
    rig.kill()
    with small_disk(rig.state, FULL_MB) as ballast:
        try:
            rig.start()
            rig.wait_for_output()
            mark = rig.mark()
            fill(ballast)
            rig.feed()
            rig.wait_for_end()
            said = rig.said_since(mark)
            ballast.unlink()
            if "no space left" not in said.lower() or "Free space where" not in said:
                raise FaultFailed(f"a full disk is not told with what to do:\n{said}")
            rig.start()
            rig.wait_for_output()
            rig.close()
        finally:
            rig.kill()
    rig.start()


def _cannot_mount(rig: Rig) -> str:
    return cannot_mount(rig.directory)


FAULTS = (
    Fault("working-copies-deleted", delete_copies, weight=1, lives=True),
    Fault("bytes-flipped", flip_bytes, weight=1, lives=True),
    Fault("truncated-offsets", truncated("offsets"), weight=0),
    Fault("truncated-commits", truncated("commits"), weight=0),
    Fault("checkpoint-full", fill_disk, weight=0, impossible=_cannot_mount),
)
