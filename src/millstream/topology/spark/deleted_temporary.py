"""Error for temporary files of Spark that were deleted while it runs, as by a clean-up of /tmp."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from millstream.core.errors import StreamsException

_OF_SPARK = r"/(?:[^\s'\",;:()\[\]]+/)?(?:blockmgr|spark)-[0-9a-f]+-[^\s'\",;:()\[\]]*"
"""Spark's names of directories, which it makes once and takes to be there from then on."""


def deleted_temporary(text: str, places: Iterable[Path]) -> StreamsException | None:
    """Return the error for a text that names a file in a directory of Spark's that is gone.

    Args:
        text: What Spark says of a failure.
        places: The directories of Spark's temporary files on this machine.
    """
    for place in places:
        for found in re.findall(re.escape(str(place)) + _OF_SPARK, text):
            missing = [each for each in Path(found).parents if not each.exists()]
            if missing:
                return _deleted(missing[-1], found)
    return None


def _deleted(directory: Path, file: str) -> StreamsException:
    return StreamsException(
        f'Spark\'s temporary files in "{directory}" were deleted while it runs',
        detail=f"It cannot write {file}.",
        hint="Start the program again, in a new process: processing continues after the last "
        "committed batch. Where the system empties its temporary directory from time to time, let "
        "spark.local.dir or the environment's TMPDIR name another one.",
    )
