"""Errors for a full disk, recognized in the texts of Python and of the JVM."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from millstream.core.errors import ProcessorStateException, StreamsException

FREE_SPACE = (
    "Free space where state.dir, millstream.checkpoint.location and Spark's temporary files "
    "(spark.local.dir) are, and start again: processing continues after the last committed batch."
)

_NO_SPACE = 1 << 20
_FULL = re.compile(r"No space left on device|Disk quota exceeded|ENOSPC|EDQUOT", re.IGNORECASE)
_PATH = re.compile(r"(?:file:)?(/[^\s'\",;:()\[\]]+)")


def full_disk_from(text: str) -> ProcessorStateException | None:
    """Return the error for a text that reports a full disk; None for other texts."""
    lines = [line.strip() for line in text.splitlines() if _FULL.search(line)]
    if not lines:
        return None
    # After a line of its own py4j begins with a colon.
    said = lines[-1].removeprefix("Caused by: ").removeprefix(": ")
    place = _PATH.search(said)
    where = f' at "{place[1]}"' if place else ""
    return ProcessorStateException(
        f"there is no space left on the disk{where}", detail=said, hint=FREE_SPACE
    )


def full_disks(places: Iterable[Path]) -> list[tuple[str, str]]:
    """Return the directories whose disk takes nothing more; unreadable ones are left out.

    A file system that has as many files as it can have says as well that no space is left.
    """
    found = []
    for place in places:
        with suppress(OSError):
            inodes = os.statvfs(place)
            if shutil.disk_usage(place).free < _NO_SPACE:
                found.append(("full disk", str(place)))
            elif inodes.f_files and not inodes.f_favail:
                found.append(("full disk", f"{place}, which has no inodes left: delete files"))
    return found


def with_full_disks(failure: StreamsException, places: Iterable[Path]) -> StreamsException:
    """Add the directories on full disks to a failure, and return it.

    A disk that was full has room again when what did not fit has been deleted. So a failure that
    tells of a full disk without a path is given the free space of all directories.
    """
    places = list(places)
    if full := full_disks(places):
        failure.more = (*failure.more, *full)
        failure.hint = FREE_SPACE
    elif isinstance(failure, ProcessorStateException) and _names_no_place(failure):
        failure.more = (*failure.more, *(("free space", room) for room in _rooms(places)))
    return failure


def _names_no_place(failure: ProcessorStateException) -> bool:
    said = f"{failure.problem} {failure.detail}"
    return failure.hint == FREE_SPACE and _PATH.search(said) is None


def _rooms(places: Iterable[Path]) -> Iterator[str]:
    for place in places:
        with suppress(OSError):
            yield f"{shutil.disk_usage(place).free >> 20} MB in {place}"
