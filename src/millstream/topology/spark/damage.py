"""Errors for files in a checkpoint that Spark cannot use, from its reports, with what is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError

from millstream.core.errors import ProcessorStateException, StreamsException

_SYMPTOMS = re.compile(
    r"CANNOT_LOAD_STATE_STORE|MISSING_STATE_DIRECTORY|STATE_STORE_(?:CHECKSUM|KEY_ROW|VALUE_ROW)"
    r"|Checksum error|ChecksumException|Incomplete log file|Malformed log|Log file was malformed"
    r"|Could not find batch|batch \d+ doesn't exist|FileNotFoundException"
)
_FILE = re.compile(
    # The last of these names: state.dir is often called "state".
    r"(?:[a-z][a-z0-9+.-]*:)?/[^\s\"',;()]*/"
    r"((?:state|offsets|commits|sources)/[^\s\"',;()]+|metadata)"
)
_VERSION = re.compile(r"state/\d+/(?:\d+/)+(\d+)_[^/]+$")
"""A file of the state with Spark's mark of the batch that wrote it."""
_SHORT_SCHEMA = re.compile(r"\(no cause message\)[^\0]*\nCaused by: java\.io\.EOFException\s*$")
"""The query's own thread has found the end of a file: it reads the schemas so, and names none."""
_STORE = re.compile(r"operatorId=(\d+), partitionId=(\d+)")
"""What Spark tells of a store of state where it names no file."""
_REFUSED = re.compile(
    r"Read-only file system|Permission denied|AccessDeniedException|Operation not permitted"
    r"|Too many open files|Input/output error|Stale file handle|Transport endpoint is not connected"
)
"""Java has a FileNotFoundException for these as well."""
_CAUSE = "Caused by: "
_MOST_CAUSES = 10
_PYTHON = "Traceback (most recent call last):"


def with_causes(text: str, error: Any) -> str:
    """Return the text of a query's failure, followed by the texts of its causes in the JVM.

    The text already contains the error of a Python worker.

    Args:
        text: The message of pyspark's exception.
        error: The JVM's exception.
    """
    if _PYTHON in text:
        return text
    lines, cause = [text], error.getCause()
    while cause is not None and len(lines) <= _MOST_CAUSES:
        lines.append(f"{_CAUSE}{cause.toString()}")
        cause = cause.getCause()
    return "\n".join(lines)


@contextmanager
def damage_reported() -> Iterator[None]:
    """Raise the typed error where the JVM refuses to start a query on a damaged checkpoint."""
    try:
        yield
    except Py4JJavaError as error:
        damage = damage_from(with_causes(str(error.java_exception), error.java_exception))
        if damage is None:
            raise
        raise damage from error


def damage_from(text: str) -> StreamsException | None:
    """Return the error for a checkpoint that is damaged, or that Spark may not use; else None."""
    if (refused := _refused(text)) is not None:
        return refused
    if _SHORT_SCHEMA.search(text) is not None:
        return lost_state('a schema in "state/*/_stateSchema"', "It is cut.")
    if _SYMPTOMS.search(text) is None:
        return None
    lines = [line for line in text.splitlines() if _SYMPTOMS.search(line)]
    said = lines[-1].removeprefix(_CAUSE).strip()
    file = next(
        (found for line in reversed(text.splitlines()) if (found := _FILE.search(line))), None
    )
    if file is None:
        in_state = "STATE_STORE" in text or "STATE_DIRECTORY" in text
    else:
        in_state = file[1].startswith("state/")
    if file is None and not in_state:
        return None
    version = None if file is None else _VERSION.match(file[1])
    if file is not None and version is not None and "FileNotFoundException" in said:
        return ProcessorStateException(
            f'cannot read "{file[0].rstrip(".")}" of the checkpoint',
            detail=f"{said.rstrip('.')}. The name has a mark that Spark noted in "
            f'"commits/{int(version[1]) - 1}": either the file is gone, or that note is another '
            "batch's.",
            hint="If files in commits/ were swapped, renamed or copied from another batch, put the "
            "right ones back, and start again: nothing is lost then. Otherwise restore the whole "
            "checkpoint from a copy; or delete it, and start once with "
            "millstream.checkpoint.adopt=true: with empty stores, from the committed offsets of "
            "the group.",
        )
    name = _name_of_state(text) if file is None else f'"{file[0].rstrip(".")}"'
    causes = [line for line in text.splitlines() if line.startswith(_CAUSE)]
    if causes and (cause := causes[-1].removeprefix(_CAUSE).strip()) not in said:
        said = f"{said.rstrip('.')}. Cause: {cause.rstrip('.')}."
    if in_state:
        return lost_state(name, said)
    return StreamsException(
        f"cannot read {name} of the checkpoint",
        detail=f"{said} The source positions are lost; the stores are not.",
        hint="If there is a file with a dot before its name and .crc behind it, and this file is "
        "whole, delete that one. Otherwise restore the whole checkpoint from a copy; or delete it, "
        "and start once with millstream.checkpoint.adopt=true: with empty stores, from the "
        "committed offsets of the group.",
    )


def lost_state(name: str, said: str) -> ProcessorStateException:
    """Return the error for a file or directory of the state that cannot be read.

    Args:
        name: What it is.
        said: What is wrong with it, as a sentence.
    """
    return ProcessorStateException(
        f"cannot read {name} of the checkpoint",
        detail=f"{said} The contents of stores in it are lost; source positions and output are "
        "not.",
        hint="Restore the whole checkpoint from a copy; or delete it, and start once with "
        "millstream.checkpoint.adopt=true: with empty stores, from the committed offsets of "
        "the group.",
    )


def _name_of_state(text: str) -> str:
    """Return the name of what Spark cannot load, of which it has not told the file."""
    if "MISSING_STATE_DIRECTORY" in text:
        return 'the directory "state"'
    store = _STORE.search(text)
    return "a file of the state" if store is None else f'a file in "state/{store[1]}/{store[2]}"'


def _refused(text: str) -> StreamsException | None:
    """Return the error for a file that is whole, and that the system does not open; else None."""
    for line in reversed(text.splitlines()):
        if _REFUSED.search(line) and (file := _FILE.search(line)):
            return ProcessorStateException(
                f'cannot read or write "{file[0]}" of the checkpoint',
                detail=f"{line.removeprefix(_CAUSE).strip()} Nothing is lost.",
                hint="Do not delete the checkpoint: it is as the last committed batch has left it. "
                "Let the program read and write there (how the file system is mounted, owner and "
                "permissions of the directory, ulimit -n), and start again: processing continues "
                "after that batch.",
            )
    return None
