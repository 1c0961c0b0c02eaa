"""Check of the directory in which a checkpoint is to begin: nothing there is somebody else's."""

from __future__ import annotations

from millstream.core.config.own_keys import CHECKPOINT_LOCATION
from millstream.core.errors import IllegalStateException
from millstream.topology.spark.checkpoint.descriptor import FILE, SEGMENTS, without_description
from millstream.topology.spark.checkpoint.files import Files
from millstream.topology.spark.checkpoint.log import OFFSETS, SPARKS
from millstream.topology.spark.checkpoint.origin import BACKFILL, SEED

_OF_A_SEED = ("stage=", "_", ".")
"""Beginnings of the names in a seed."""


def check_new(files: Files, location: str) -> None:
    """Refuse a directory without a description that has what a checkpoint would take for its own.

    A start deletes what an interrupted one has left, and a reset everything of a checkpoint.

    Args:
        files: The checkpoint's files, or those of one of its generations.
        location: Its location.

    Raises:
        StreamsException: It is a checkpoint whose description is gone.
        IllegalStateException: It has files or directories of somebody else.
    """
    if any(name.isdigit() for name in files.names(OFFSETS)):
        raise without_description(f'"{FILE}" is missing in checkpoint "{location}"')
    there = set(files.names(""))
    foreign = [name for name in (*SPARKS, SEGMENTS, BACKFILL) if name in there]
    if SEED in there and not all(name.startswith(_OF_A_SEED) for name in files.names(SEED)):
        foreign.append(SEED)
    if foreign:
        raise IllegalStateException(
            f'a checkpoint cannot begin in "{location}": it has "{foreign[0]}"',
            detail=f'There is no "{FILE}", so this is no checkpoint of millstream. One would write '
            "there, and a reset of the application would delete it.",
            hint=f"Give {CHECKPOINT_LOCATION} an empty directory of its own. If it is what is left "
            "of a checkpoint, delete the whole directory.",
        )
