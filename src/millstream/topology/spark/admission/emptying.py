"""Deletion of a checkpoint's contents, finished by the next start if it was interrupted."""

from __future__ import annotations

from millstream.core.errors import IllegalStateException
from millstream.topology.spark.admission.topic_ids import TOPICS
from millstream.topology.spark.checkpoint.descriptor import FILE, SEGMENTS
from millstream.topology.spark.checkpoint.files import Files
from millstream.topology.spark.checkpoint.log import SPARKS
from millstream.topology.spark.checkpoint.origin import (
    BACKFILL,
    GENERATIONS,
    ORIGIN,
    POINTER,
    RESCALING,
    SEED,
    STANDBYS,
    WARMED,
)

_OURS = (
    SEGMENTS,
    TOPICS,
    FILE,
    ORIGIN,
    SEED,
    BACKFILL,
    GENERATIONS,
    POINTER,
    RESCALING,
    STANDBYS,
    WARMED,
)
EMPTYING = "millstream-emptying"


def empty(files: Files) -> None:
    """Delete all files of an application and of Spark in a checkpoint."""
    files.write(EMPTYING, "")
    for name in empties():
        files.remove(name)
    files.remove(EMPTYING)


def empties() -> tuple[str, ...]:
    """Return the names of what ``empty`` deletes."""
    return (*SPARKS, *_OURS)


def finish_emptying(files: Files) -> None:
    """Finish an interrupted deletion of the checkpoint's contents."""
    if files.has(EMPTYING):
        empty(files)


def check_not_emptying(files: Files, location: str) -> None:
    """Refuse to read a checkpoint that is being emptied.

    Args:
        files: The whole checkpoint.
        location: Its location.

    Raises:
        IllegalStateException: Some of its files are deleted already.
    """
    if files.has(EMPTYING):
        raise IllegalStateException(
            f'checkpoint "{location}" is being emptied',
            detail="A reset of the application is at work, or was interrupted: what is left is not "
            "a state.",
            hint="Repeat the reset (millstream reset APP --execute), or start the application, "
            "which ends it.",
        )
