"""A small file system in place of a directory, so that a disk can be full."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def small_disk(directory: Path, free_mb: int) -> Iterator[Path]:
    """Put a directory onto a file system with little free space; yield a file to fill it with.

    What is in the directory at the end stays there. Nobody may use it at the beginning and the end.
    """
    aside = directory.with_name(f"{directory.name}-aside")
    shutil.rmtree(aside, ignore_errors=True)
    directory.rename(aside)
    directory.mkdir()
    used = subprocess.run(["du", "-sm", str(aside)], check=True, capture_output=True, text=True)
    _mount(directory, int(used.stdout.split()[0]) + free_mb)
    try:
        _copy(aside, directory)
        ballast = directory / "ballast"
        yield ballast
        ballast.unlink(missing_ok=True)
        shutil.rmtree(aside)
        aside.mkdir()
        _copy(directory, aside)
    finally:
        subprocess.run(["umount", "-l", str(directory)], check=True)
        directory.rmdir()
        aside.rename(directory)


def fill(ballast: Path) -> None:
    """Write a file until there is no space left."""
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 65536):
                pass
        except OSError:
            return


def cannot_mount(directory: Path) -> str:
    """Tell why no file system can be made here; empty if one can."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        return "only root can make a small file system"
    place = directory / "try"
    place.mkdir(exist_ok=True)
    try:
        _mount(place, 1)
    except subprocess.CalledProcessError as error:
        return f"mount: {error.stderr.decode().strip()}"
    subprocess.run(["umount", str(place)], check=True)
    return ""


def _mount(place: Path, size_mb: int) -> None:
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", str(place)]
    subprocess.run(command, check=True, capture_output=True)


def _copy(source: Path, target: Path) -> None:
    # A broker's index files are mostly holes.
    command = ["cp", "-a", "--sparse=always", f"{source}/.", str(target)]
    subprocess.run(command, check=True, capture_output=True)
