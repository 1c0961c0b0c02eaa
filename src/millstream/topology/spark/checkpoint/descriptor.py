"""Description of the topology that a checkpoint belongs to, compared at every start."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from millstream.core.errors import IllegalArgumentException, StreamsException
from millstream.core.typed_json import read_json
from millstream.topology.spark.checkpoint.files import Files, LocalFiles
from millstream.topology.spark.checkpoint.later import check_version
from millstream.topology.spark.checkpoint.store_notes import StoreNote, notes_to_json

FILE = "millstream.json"
SEGMENTS = "segments"
"""Directory of the segments that are files; see ``state/segment_files.py``."""
VERSION = 1
DEFAULT = "DEFAULT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """Description of a checkpoint's topology, stored beside Spark's files."""

    id: str
    topology: str
    """Text of ``describe()``; another text means other state."""
    tasks: dict[str, int]
    """Sub-topology -> number of tasks; fixed for the checkpoint's life."""
    topics: dict[str, list[str]]
    """Source node with a pattern -> the topics that matched at the first start."""
    store_format: str = DEFAULT
    """``dsl.store.format``, which changes the bytes of stores and not the description."""
    stores: Mapping[str, StoreNote] = field(default_factory=dict)
    """Type, layout and serdes of each store; empty in checkpoints of earlier versions."""
    partitions: dict[str, int] = field(default_factory=dict)
    """Topic that the program reads, as described -> its partitions; empty in checkpoints of earlier
    versions."""
    ticks: bool | None = None
    """Whether Spark's sources have one of ticks; None in checkpoints of earlier versions."""
    words: tuple[str, ...] = ()
    """Words for stores that the configuration had at the last start, as ``evolution/words.py``
    writes them: they have had their effect."""
    every_word: bool = False
    """Whether these are all of them. Earlier versions did not note those of a start with the same
    program."""
    application: str = ""
    """``application.id`` at the last start; empty in checkpoints of earlier versions."""
    over_broker: tuple[str, ...] = ()
    """Repartition topics that go over the broker only because an adoption found records in them."""

    def to_json(self) -> str:
        """Return the file's text."""
        body = {
            "version": VERSION,
            "id": self.id,
            "topology": self.topology,
            "tasks": self.tasks,
            "topics": self.topics,
            "store_format": self.store_format,
            "stores": notes_to_json(self.stores),
            "partitions": self.partitions,
            "words": list(self.words),
            "every_word": self.every_word,
            "application": self.application,
            "ticks": self.ticks,
            "over_broker": list(self.over_broker),
        }
        return json.dumps(body, indent=1)

    @staticmethod
    def from_json(text: str, location: str) -> Checkpoint:
        """Read the file's text.

        Raises:
            StreamsException: The text is damaged or of another version.
        """
        try:
            version = read_json(text, _Versioned).version
            check_version(f'cannot read "{FILE}" in checkpoint "{location}"', version, VERSION)
            if version == VERSION:
                return read_json(text, Checkpoint)
            detail = f"It has version {version}; this package reads {VERSION}."
        except ValueError as error:
            detail = f"{error}."
        raise without_description(f'cannot read "{FILE}" in checkpoint "{location}"', f"{detail} ")

    @staticmethod
    def read(files: Files, location: str) -> Checkpoint:
        """Read the file of a checkpoint.

        Raises:
            StreamsException: It is damaged or of another version, or the system does not give it.
        """
        try:
            text = files.text(FILE)
        except UnicodeDecodeError as error:
            raise without_description(
                f'cannot read "{FILE}" in checkpoint "{location}"', "It is not UTF-8 text. "
            ) from error
        except OSError as error:
            raise StreamsException(
                f'cannot read "{FILE}" in checkpoint "{location}"',
                detail=f"{error}. It describes the topology.",
                hint="Do not delete the checkpoint. Let the program read there (how the file "
                "system is mounted, owner and permissions of the file); if the file itself is "
                "damaged, restore it from a copy.",
            ) from error
        return Checkpoint.from_json(text, location)


@dataclass(frozen=True, slots=True)
class _Versioned:
    version: int


def new_checkpoint(
    topology: str,
    tasks: dict[str, int],
    topics: dict[str, list[str]],
    store_format: str = DEFAULT,
    stores: Mapping[str, StoreNote] | None = None,
    partitions: Mapping[str, int] | None = None,
    words: Iterable[str] = (),
    ticks: bool | None = None,
    over_broker: Iterable[str] = (),
    application: str = "",
) -> Checkpoint:
    """Return the description for a new checkpoint."""
    return Checkpoint(
        id=uuid.uuid4().hex[:12],
        topology=topology,
        tasks=tasks,
        topics=topics,
        store_format=store_format.upper(),
        stores=stores or {},
        partitions=dict(partitions or {}),
        words=tuple(words),
        every_word=True,
        ticks=ticks,
        over_broker=tuple(over_broker),
        application=application,
    )


def without_description(problem: str, reason: str = "") -> StreamsException:
    """Return the error for a checkpoint without a readable description."""
    return StreamsException(
        problem,
        detail=f"{reason}It describes the topology; other files are there.",
        hint="If the checkpoint's file system is not mounted, mount it. Otherwise restore the file "
        "or the checkpoint from a copy; or delete the checkpoint, and start once with "
        "millstream.checkpoint.adopt=true: with empty stores, from the committed offsets of the "
        "group.",
    )


def local_files(location: str) -> LocalFiles | None:
    """Return the files of a checkpoint on this machine's file system; None for any other."""
    path = local_path(location)
    return None if path is None else LocalFiles(path)


def segments_of(location: str) -> str:
    """Return the directory of the files of segments; empty for a checkpoint that is not mounted.

    Args:
        location: Location of a generation.
    """
    path = local_path(location)
    return "" if path is None else str(path.absolute() / SEGMENTS)


def local_path(location: str) -> Path | None:
    """Return the path of a checkpoint on this machine's file system; None for any other."""
    parts = urlsplit(location)
    return Path(unquote(parts.path)) if parts.scheme in ("", "file") else None


def normal(location: str) -> str:
    """Return a checkpoint's location in the normal form that claims use."""
    path = local_path(location)
    return location.rstrip("/") if path is None else path.absolute().as_uri()


AS_NAMED = {
    "__globPaths__": "false",
    "ignoreCorruptFiles": "false",
    "ignoreMissingFiles": "false",
}
"""Options of a reader of Spark for which ``[``, ``{`` and ``*`` in a path are no pattern, and that
passes over no file: a session may be told to do so (``spark.sql.files.ignoreCorruptFiles``)."""


def for_spark(location: str) -> str:
    """Return a location as Spark takes it: the characters of a path as they are.

    A URL has a blank as ``%20`` and a letter such as ``ä`` as ``%C3%A4``, which Spark does not
    undo: it would use another directory.

    Raises:
        IllegalArgumentException: There is no such form of it, or it is empty.

    Example:
        >>> for_spark("file:///data/my%20savepoints")
        'file:///data/my savepoints'
    """
    if not location.strip():
        raise IllegalArgumentException(
            "the location of a savepoint or checkpoint is empty", hint="Give its directory."
        )
    parts = urlsplit(location)
    if parts.scheme not in ("", "file"):
        return location
    path = Path(unquote(parts.path) if parts.scheme else location).absolute()
    plain = f"file://{path}"
    if (parts.scheme and {"#", "?"} & set(location)) or local_path(plain) != path:
        raise IllegalArgumentException(
            f'"{location}" cannot be a directory for Spark',
            detail="Its path as a URL is another one, and Spark would use another directory.",
            hint="Choose a directory without the characters # and ?, and without % before two "
            "hexadecimal digits.",
        )
    return plain
