"""Files that a later version of millstream has written."""

from __future__ import annotations

from millstream.core.errors import StreamsException


def check_version(problem: str, found: int, known: int) -> None:
    """Check that a file is not of a later version than this package reads.

    Args:
        problem: What cannot be done, for the error.
        found: The version that the file has.
        known: The latest one that this package reads.

    Raises:
        StreamsException: It is.
    """
    if found > known:
        raise StreamsException(
            problem,
            detail=f"It has version {found}; this package reads {known}.",
            hint="Nothing is damaged: a later version of millstream has written it. Use that "
            "version, or a later one.",
        )
