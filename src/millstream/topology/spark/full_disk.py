"""A full disk, as Python or the JVM reports it, as an error that says where and what to do."""

from __future__ import annotations

import re

from millstream.core.errors import ProcessorStateException

FREE_SPACE = (
    "Free space where state.dir, millstream.checkpoint.location and Spark's temporary files "
    "(spark.local.dir) are, and start again: it goes on after the last committed batch."
)

_FULL = re.compile(r"No space left on device|Disk quota exceeded|ENOSPC|EDQUOT", re.IGNORECASE)
_PATH = re.compile(r"(?:file:)?(/[^\s'\",;:()\[\]]+)")


def full_disk_from(text: str) -> ProcessorStateException | None:
    """Return the error for a text that speaks of a full disk; None if it does not."""
    lines = [line.strip() for line in text.splitlines() if _FULL.search(line)]
    if not lines:
        return None
    said = lines[-1].removeprefix("Caused by: ")
    place = _PATH.search(said)
    where = f' at "{place[1]}"' if place else ""
    return ProcessorStateException(
        f"there is no space left on the disk{where}", detail=said, hint=FREE_SPACE
    )
