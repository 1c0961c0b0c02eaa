"""Note which changelog topics have all of a checkpoint's state."""

from __future__ import annotations

import json
from collections.abc import Mapping

from millstream.topology.spark.checkpoint.files import Files

FILE = "millstream-changelogs.json"
"""In the root of a checkpoint, so that a move to another generation makes it untrue."""


def topics_in_step(files: Files, checkpoint: str, ids: Mapping[str, str]) -> frozenset[str]:
    """Return the topics that have the state of a checkpoint's stores and each change since.

    A topic that was deleted and created again, which a broker does by itself at the next record,
    has another id, and only the changes since.

    Args:
        files: Files of the checkpoint's root.
        checkpoint: Id of the current generation.
        ids: Ids of the topics as they are now; those that do not exist are not among them.
    """
    noted = _noted(files, checkpoint)
    return frozenset(topic for topic, known in ids.items() if noted.get(topic) == known)


def topics_made_anew(files: Files, checkpoint: str, ids: Mapping[str, str]) -> list[str]:
    """Return the topics that had the state of a checkpoint and have another id now."""
    noted = _noted(files, checkpoint)
    return sorted(topic for topic, known in ids.items() if noted.get(topic, known) != known)


def note_in_step(files: Files, checkpoint: str, ids: Mapping[str, str]) -> None:
    """Note that the topics with these ids, and no other ones, have all of the state."""
    body = {"checkpoint": checkpoint, "topics": dict(sorted(ids.items()))}
    files.write(FILE, json.dumps(body, indent=1))


def note_out_of_step(files: Files) -> None:
    """Note that the topics may lack changes from now on."""
    if files.has(FILE):
        files.remove(FILE)


def _noted(files: Files, checkpoint: str) -> dict[str, str]:
    if not files.has(FILE):
        return {}
    try:
        body = json.loads(files.text(FILE))
        return dict(body["topics"].items()) if body["checkpoint"] == checkpoint else {}
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        # Then they are written anew.
        return {}
