"""Location of a checkpoint for Spark's reader of state.

That reader makes a URL of the location and takes it as a path, so that it looks for ``my%20state``
where a checkpoint is in ``my state``. Queries do not. A link to the checkpoint has a name that is
the same in both.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress

from millstream.topology.spark.checkpoint.descriptor import local_path
from millstream.topology.spark.scratch import scratch_directory

_ESCAPED = re.compile(r"[\x00-\x20\x7f\"%<>\[\\\]^`{|}]")
"""What Java escapes in the path of a URL."""


def state_location(location: str) -> str:
    """Return a location at which Spark's reader of state finds a checkpoint.

    Args:
        location: Location of one of the checkpoint's generations.
    """
    path = local_path(location)
    if path is None or _ESCAPED.search(str(path)) is None:
        return location
    directory = scratch_directory()
    if directory is None:
        return location
    path = path.absolute()
    link = directory / f"state-{hashlib.sha256(bytes(path)).hexdigest()[:16]}"
    with suppress(FileExistsError):
        link.symlink_to(path)
    return f"file://{link}"
