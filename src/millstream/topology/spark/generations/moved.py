"""Checkpoints that are not where they were written: Spark's notes have absolute paths in them.

Spark finds the schemas of the stores by these paths. An application that goes on with a checkpoint
gives the notes the paths of its place. Who only reads one changes nothing in it: Spark's reader of
state is given a directory of links with the notes as they should be, on this machine.
"""

from __future__ import annotations

import logging
import re
import shutil
import weakref
from pathlib import Path
from tempfile import mkdtemp

from pyspark.sql import SparkSession

from millstream.core.errors import StreamsException
from millstream.topology.spark.checkpoint.descriptor import for_spark, local_files, local_path
from millstream.topology.spark.checkpoint.files import Files, RemoteFiles
from millstream.topology.spark.checkpoint.log import NOTES, STATE

log = logging.getLogger(__name__)

_SCHEMA = re.compile(r'"([^"]*)(/state/\d+/_stateSchema/[^"]*)"')


def settle(files: Files, location: str) -> None:
    """Give Spark's notes the paths of the place where the checkpoint is now.

    Only its owner may do that. Each note is replaced as a whole, so that it may be repeated.

    Args:
        files: The checkpoint's files, or those of one of its generations.
        location: Its location.
    """
    root = for_spark(location).rstrip("/")
    for operator in files.names(STATE):
        folder = f"{STATE}/{operator}/{NOTES}"
        numbers = sorted(int(name) for name in files.names(folder) if name.isdigit())
        if not numbers or not _elsewhere(files.text(f"{folder}/{numbers[-1]}"), location):
            continue
        log.info("the checkpoint was moved: Spark's notes get the paths of %s", location)
        # The newest last: while it has the old paths, there is something left to do.
        for number in numbers:
            text = files.text(f"{folder}/{number}")
            files.remove(f"{folder}/.{number}.crc")
            files.write(
                f"{folder}/{number}", _SCHEMA.sub(lambda found: f'"{root}{found[2]}"', text)
            )


class ReadableCheckpoint:
    """A checkpoint as Spark's reader can read it; keep it as long as something is read.

    Args:
        session: Any session.
        location: The checkpoint, or one of its generations.
        batch: The batch that will be read.

    Raises:
        StreamsException: It was moved, and is not on this machine.
    """

    def __init__(self, session: SparkSession, location: str, batch: int) -> None:
        self.location = location
        """Where it can be read."""
        path = local_path(location)
        if not _is_moved(local_files(location) or RemoteFiles(session, location), location, batch):
            return
        if path is None:
            raise StreamsException(
                f'checkpoint "{location}" cannot be read where it is',
                detail="It was written elsewhere, and Spark's notes about its stores have the "
                "paths of that place.",
                hint="Move it back. To move the state take a savepoint there (millstream "
                "savepoint), and begin with it here (--from-savepoint).",
            )
        links = Path(mkdtemp(prefix="millstream-moved-"))
        weakref.finalize(self, shutil.rmtree, links, ignore_errors=True)
        _link(path, links)
        self.location = links.as_uri()


def _is_moved(files: Files, location: str, batch: int) -> bool:
    for operator in files.names(STATE):
        folder = f"{STATE}/{operator}/{NOTES}"
        # Spark writes one for the first batch of a query, and then only where something changes.
        numbers = [int(name) for name in files.names(folder) if name.isdigit()]
        if before := [number for number in numbers if number <= batch]:
            return _elsewhere(files.text(f"{folder}/{max(before)}"), location)
    return False


def _elsewhere(note: str, location: str) -> bool:
    here = _plain(for_spark(location))
    return any(_plain(root) != here for root, _ in _SCHEMA.findall(note))


def _link(source: Path, target: Path) -> None:
    """Fill a directory with links to a checkpoint, and with copies of Spark's notes."""
    for each in source.iterdir():
        if each.name != STATE:
            (target / each.name).symlink_to(each.absolute())
    root = f"file://{source.absolute()}"
    for operator in (source / STATE).iterdir():
        own = target / STATE / operator.name
        own.mkdir(parents=True)
        for each in operator.iterdir():
            if each.name != "_metadata":
                (own / each.name).symlink_to(each.absolute())
        if (operator / "_metadata").is_dir():
            shutil.copytree(operator / "_metadata", own / "_metadata")
        for note in (own / NOTES).glob("[0-9]*"):
            text = note.read_text("utf-8")
            note.write_text(_SCHEMA.sub(lambda found: f'"{root}{found[2]}"', text), "utf-8")
            note.with_name(f".{note.name}.crc").unlink(missing_ok=True)


def _plain(location: str) -> str:
    """Return a location in one form: `file:/a` and `file:///a` and `/a` are the same."""
    return re.sub("^file:(//)?(?=/)", "", location).rstrip("/")
