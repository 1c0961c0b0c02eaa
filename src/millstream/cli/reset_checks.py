"""Check that the files a reset would delete are the application's checkpoint."""

from __future__ import annotations

from contextlib import suppress

from millstream.core.config.own_keys import CHECKPOINT_LOCATION
from millstream.core.errors import IllegalStateException, MillstreamError
from millstream.topology.spark.admission.emptying import EMPTYING, empties
from millstream.topology.spark.checkpoint.descriptor import FILE, Checkpoint
from millstream.topology.spark.checkpoint.files import Files


def check_is_of(name: str, files: Files, location: str) -> None:
    """Refuse files that belong to another application, or to something else.

    Raises:
        IllegalStateException: A reset would delete them. ``--force`` does not allow that.
    """
    if files.has(EMPTYING):
        return
    if not files.has(FILE):
        _check_is_ours(files, location)
        return
    owner = ""
    with suppress(MillstreamError):  # a reset is a cure for a damaged checkpoint
        owner = Checkpoint.read(files, location).application
    if owner and owner != name:
        raise IllegalStateException(
            f'checkpoint "{location}" belongs to application "{owner}"',
            detail=f'A reset of "{name}" would delete it. Nothing has been changed.',
            hint=f'Give {CHECKPOINT_LOCATION} as application "{name}" has it.',
        )


def _check_is_ours(files: Files, location: str) -> None:
    there = set(files.names(""))
    wanted = sorted(there.intersection(empties()))
    if wanted and not any(each.startswith("millstream-") for each in there):
        raise IllegalStateException(
            f'"{location}" is no checkpoint of millstream',
            detail=f'It has no "{FILE}", but "{wanted[0]}", which a reset would delete. Nothing '
            "has been changed.",
            hint=f"Give {CHECKPOINT_LOCATION} as the application has it. If the directory is what "
            "is left of its checkpoint, delete it by hand.",
        )
