"""Pointer to the current generation of a checkpoint.

The first generation is the checkpoint's location itself; later ones lie below it. The pointer is
one small file, replaced atomically: a switch to a new generation is that one write.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from millstream.core.errors import StreamsException
from millstream.core.typed_json import Count, read_json
from millstream.topology.spark.checkpoint.files import Files
from millstream.topology.spark.checkpoint.later import check_version
from millstream.topology.spark.checkpoint.origin import GENERATIONS, POINTER

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """The current generation."""

    number: int = 0
    highest: int = 0
    """The highest number used so far; a number is never used again."""
    abandoned: tuple[str, ...] = ()
    """Ids of generations whose claims and marks are the current one's: later ones that were left
    before their first batch had ended, and what those had begun with."""

    def to_json(self) -> str:
        """Return the file's text."""
        body = {"generation": self.number, "highest": self.highest, "abandoned": self.abandoned}
        return json.dumps({"version": VERSION, **body}, indent=1)


@dataclass(frozen=True, slots=True)
class _Body:
    version: int
    generation: Count
    highest: Count
    abandoned: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Versioned:
    version: int


def directory_of(number: int) -> str:
    """Return a generation's directory, relative to the checkpoint's location."""
    return f"{GENERATIONS}/{number}" if number else ""


def location_of(root: str, number: int) -> str:
    """Return a generation's location."""
    return f"{root.rstrip('/')}/{directory_of(number)}" if number else root


def read_pointer(files: Files, root: str) -> Pointer:
    """Return the pointer of a checkpoint.

    Raises:
        StreamsException: The file is damaged or of another version.
    """
    if not files.has(POINTER):
        return Pointer()
    try:
        text = files.text(POINTER)
        version = read_json(text, _Versioned).version
        check_version(f'cannot read "{POINTER}" in checkpoint "{root}"', version, VERSION)
        body = read_json(text, _Body)
        if body.version != VERSION:
            raise ValueError(f"it has version {body.version}; this package reads {VERSION}")
        return Pointer(number=body.generation, highest=body.highest, abandoned=body.abandoned)
    except (ValueError, OSError) as error:
        held = (
            ", ".join(sorted(files.names(GENERATIONS), key=lambda name: (len(name), name)))
            or "none"
        )
        raise StreamsException(
            f'cannot read "{POINTER}" in checkpoint "{root}"',
            detail=f"{type(error).__name__}: {error}. It names the current generation; those below "
            f'"{GENERATIONS}" are: {held}. Nothing else is lost.',
            hint=f'Restore the file from a copy, or write it anew: {{"version": {VERSION}, '
            '"generation": N, "highest": N, "abandoned": []}, with the highest number.',
        ) from error


def write_pointer(files: Files, pointer: Pointer) -> None:
    """Make a generation the current one."""
    files.write(POINTER, pointer.to_json())
