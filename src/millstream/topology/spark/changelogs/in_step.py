"""Note which changelog topics have all of a checkpoint's state."""

from __future__ import annotations

import json
from collections.abc import Iterable

from millstream.topology.spark.checkpoint.files import Files

FILE = "millstream-changelogs.json"
"""In the root of a checkpoint, so that a move to another generation makes it untrue."""


def topics_in_step(files: Files, checkpoint: str) -> frozenset[str]:
    """Return the topics that have the state of a checkpoint's stores and each change since.

    Args:
        files: Files of the checkpoint's root.
        checkpoint: Id of the current generation.
    """
    if not files.has(FILE):
        return frozenset()
    try:
        body = json.loads(files.text(FILE))
        return frozenset(body["topics"]) if body["checkpoint"] == checkpoint else frozenset()
    except (ValueError, KeyError, TypeError, OSError):
        # Then they are written anew.
        return frozenset()


def note_in_step(files: Files, checkpoint: str, topics: Iterable[str]) -> None:
    """Note that these topics, and no other ones, have all of the state."""
    files.write(FILE, json.dumps({"checkpoint": checkpoint, "topics": sorted(topics)}, indent=1))


def note_out_of_step(files: Files) -> None:
    """Note that the topics may lack changes from now on."""
    if files.has(FILE):
        files.remove(FILE)
