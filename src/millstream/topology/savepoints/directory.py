"""Directory of a savepoint: its files' places and names."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pyarrow as pa

from millstream.core.errors import IllegalArgumentException, StreamsException
from millstream.topology.savepoints.manifest import ENTRIES, FILE, SavepointManifest
from millstream.topology.spark.private import FILE_MODE, private_directory, write_private

STORE = "store="
PARTITION = "partition="
SUFFIX = ".parquet"
DRAFT = f".{FILE}.draft"
"""File of the one that writes the savepoint."""
_EMPTY = "Give a directory that is empty or does not exist."
SCHEMA = pa.schema([pa.field("key", pa.binary(), False), pa.field("value", pa.binary(), False)])


def local_directory(location: str | os.PathLike[str]) -> Path:
    """Return the directory of a savepoint, given as a path or as a ``file:`` URL.

    Raises:
        IllegalArgumentException: It is on another file system, or empty.
    """
    text = os.fspath(location)
    parts = urlsplit(text)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    if not text.strip() or "://" in text:
        raise IllegalArgumentException(
            f'"{text}" cannot be the directory of a savepoint here',
            detail="This needs a directory of this machine's file system.",
            hint="Copy the savepoint to a local directory, and give that.",
        )
    return Path(os.path.expanduser(text))


def partition_directory(root: Path, store: str, partition: int) -> Path:
    """Return the directory of a partition's entries.

    The store's name is escaped as in a URL, which Hive and Spark undo.
    """
    return root / ENTRIES / (STORE + quote(store, safe="")) / f"{PARTITION}{partition}"


def entry_files(directory: Path) -> list[Path]:
    """Return the files with a partition's entries, in the order of their names."""
    if not directory.is_dir():
        return []
    files = (each for each in directory.iterdir() if each.name.endswith(SUFFIX))
    # Names that begin so are those of unfinished files, and of other programs' notes.
    return sorted(each for each in files if not each.name.startswith((".", "_")))


def release(root: Path) -> None:
    """Delete everything of a savepoint that its writer could not finish; the directory stays."""
    # First, if it is there already: with it the rest would be taken for a damaged savepoint.
    (root / FILE).unlink(missing_ok=True)
    shutil.rmtree(root / ENTRIES, ignore_errors=True)
    (root / DRAFT).unlink(missing_ok=True)


def found_partitions(root: Path) -> set[tuple[str, int]]:
    """Return store and partition of every directory that has files with entries."""
    found = set()
    for store in (root / ENTRIES).glob(f"{STORE}*"):
        for directory in store.glob(f"{PARTITION}*"):
            number = directory.name.removeprefix(PARTITION)
            if number.isdecimal() and entry_files(directory):
                found.add((unquote(store.name.removeprefix(STORE)), int(number)))
    return found


def claim_new(root: Path) -> None:
    """Make the directory of a new savepoint, or take one that is empty, for one writer.

    Raises:
        StreamsException: It is not empty, or not a directory, or cannot be written.
    """
    try:
        private_directory(root)
        check_empty(str(root), (each.name for each in root.iterdir()))
        os.close(os.open(root / DRAFT, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
    except OSError as error:
        raise StreamsException(
            f'cannot write a savepoint to "{root}"', detail=f"{error.strerror}.", hint=_EMPTY
        ) from error


def check_empty(location: str, names: Iterable[str]) -> None:
    """Check that the directory of a new savepoint is empty.

    Args:
        location: The directory.
        names: The names in it.

    Raises:
        StreamsException: It has something.
    """
    found = sorted(names)
    if FILE in found:
        raise StreamsException(
            f'"{location}" already has a savepoint',
            detail="A savepoint is never changed or replaced.",
            hint=_EMPTY,
        )
    if found:
        raise StreamsException(
            f'cannot write a savepoint to "{location}"',
            detail=f'It is not empty: it has "{found[0]}".',
            hint=f"{_EMPTY} A savepoint without {FILE} is still being written, or was "
            "interrupted: then it may be deleted.",
        )


def write_manifest(root: Path, manifest: SavepointManifest) -> None:
    """Write the manifest, atomically: from now on the directory is a savepoint.

    Raises:
        OSError: It cannot be written.
    """
    private_directory(root)
    draft = root / DRAFT
    write_private(draft, manifest.to_json())
    _sync(draft)
    draft.replace(root / FILE)
    _sync(root)


def read_manifest(root: Path) -> SavepointManifest:
    """Return the manifest of a savepoint.

    Raises:
        StreamsException: There is none, or it is damaged or of another version.
    """
    try:
        text = (root / FILE).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "It is not UTF-8 text"
        raise StreamsException(
            f'there is no savepoint in "{root}"',
            detail=f"{FILE}: {reason}.",
            hint="Give the directory of a savepoint that is complete: the manifest is written "
            "last.",
        ) from error
    return SavepointManifest.from_json(text, str(root))


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
