"""Savepoints of an application, running or stopped."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import CHECKPOINT_LOCATION
from millstream.core.errors import (
    ConfigException,
    IllegalStateException,
    MillstreamError,
    StreamsException,
)
from millstream.core.wording import printable
from millstream.topology.savepoints.directory import check_empty
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.spark.admission.emptying import check_not_emptying
from millstream.topology.spark.checkpoint.descriptor import for_spark, local_files, local_path
from millstream.topology.spark.checkpoint.files import Files, RemoteFiles
from millstream.topology.spark.checkpoint.log import CheckpointLog
from millstream.topology.spark.damage import lost_state, with_causes
from millstream.topology.spark.driver.jvm import quieten
from millstream.topology.spark.driver.session import new_session, query_session
from millstream.topology.spark.evolution.reading import checkpoint_facts
from millstream.topology.spark.failures import failure_from
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.image import (
    EVERYTHING,
    Image,
    Selection,
    image_of_checkpoint,
)
from millstream.topology.spark.generations.moving import described
from millstream.topology.spark.generations.savepoints import write_savepoint
from millstream.topology.spark.logs import LogOptions

T = TypeVar("T")
ATTEMPTS = 3
"""Attempts to read the state of a running application."""

_BREAKS_JSON = re.compile(r'["\\\x00-\x1f]')
_CHANGES = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"


def checkpoint_root(config: StreamsConfig) -> str:
    """Return the location of an application's checkpoint, its first generation.

    A path is one of this machine, whatever file system is Spark's default: a part of the checkpoint
    is written by Spark, and the other one by millstream.

    Raises:
        ConfigException: Its path would be read in two ways.
    """
    given = config.getString(CHECKPOINT_LOCATION)
    if given:
        location = str(given) if urlsplit(given).scheme else f"file://{Path(given).absolute()}"
        return _plain(location, CHECKPOINT_LOCATION, str(given))
    directory, name = config.getString("state.dir"), config.getString("application.id")
    _plain(f"file://{Path(directory).absolute()}", "state.dir", directory)
    location = f"file://{(Path(directory) / name / 'checkpoint').absolute()}"
    return _plain(location, "application.id", name)


def _plain(location: str, key: str, value: str) -> str:
    """Return a location whose path is the same as a URL, for Spark, and as a path.

    Raises:
        ConfigException: It is not the same, or Spark could not read its own notes there.
    """
    # Spark writes the path into the JSON of its state as it is, and fails at the next start.
    if _BREAKS_JSON.search(location):
        raise ConfigException(
            f"Invalid value {value} for configuration {key}",
            detail=f"Spark could not go on with a checkpoint in {location!r}: its notes about the "
            "state would not be JSON.",
            hint='Choose a directory without the characters " and \\, and without control '
            "characters such as a new line.",
        )
    if printable(location) != location:
        raise ConfigException(
            f"Invalid value {printable(value)} for configuration {key}",
            detail="With the directories above it, its name is not UTF-8, and Spark's JVM would "
            "use another directory.",
            hint="Choose a directory whose whole path is UTF-8.",
        )
    path = local_path(location)
    if path is None or str(Path(location.removeprefix("file://"))).endswith(str(path)):
        return location
    raise ConfigException(
        f"Invalid value {value} for configuration {key}",
        detail=f'As a URL its path is "{path}", and Spark would write to another directory.',
        hint="Choose one without the characters # and ?, and without % before two hexadecimal "
        "digits.",
    )


def files_at(location: str, spark: SparkSession) -> Files:
    """Return the files at a location on any file system of Spark."""
    return local_files(location) or RemoteFiles(spark, location)


@dataclass(frozen=True, slots=True)
class Opened:
    """The state of an application's last committed batch, and a session to read it with."""

    session: SparkSession
    generations: Generations
    image: Image


@contextmanager
def opened_checkpoint(config: StreamsConfig, spark: SparkSession | None = None) -> Iterator[Opened]:
    """Open the state of an application's last committed batch.

    Args:
        config: The application's configuration.
        spark: The session to use; None for that of this process, or a new one that ends here.

    Raises:
        IllegalStateException: No batch of it has been committed.
        StreamsException: The checkpoint is damaged, cannot be opened, or Spark fails in the block.
    """
    with reading_session(config, spark) as used:
        try:
            yield open_state(config, used, checkpoint_root(config))
        except Py4JJavaError as error:
            raise failure_of_spark(error) from error


def failure_of_spark(error: Exception) -> StreamsException:
    """Return the typed error for what Spark, or one of its workers, raises in a call."""
    below = getattr(error, "java_exception", None)
    return failure_from(str(error) if below is None else with_causes(str(below), below))


@contextmanager
def reading_session(
    config: StreamsConfig, spark: SparkSession | None = None, logs: Path | None = None
) -> Iterator[SparkSession]:
    """Give a session for reading state.

    Args:
        config: The application's configuration.
        spark: The session to use; None for that of this process, or a new one that ends here.
        logs: Directory for the log of a new one's JVM; None for the application's own.
    """
    # getOrCreate returns a session that others use, if there is one.
    ours = spark is None and SparkContext._active_spark_context is None
    used = spark or state_session(config, config.getString("application.id"), logs)
    try:
        yield used
    finally:
        if ours:
            used.stop()


def open_state(
    config: StreamsConfig, used: SparkSession, root: str, selection: Selection = EVERYTHING
) -> Opened:
    """Open the state of the last committed batch of a checkpoint; nothing is read yet.

    Args:
        config: The application's configuration.
        used: Any session.
        root: The checkpoint's location.
        selection: What of the state will be read.

    Raises:
        IllegalStateException: No batch has been committed there.
        StreamsException: The checkpoint is damaged.
    """
    name = config.getString("application.id")
    files = files_at(root, used)
    check_not_emptying(files, root)
    generations = Generations(root, files, lambda at: files_at(at, used))
    # A start that begins anew empties the current generation only.
    check_not_emptying(generations.files, generations.location)
    note = described(generations)
    progress = CheckpointLog(generations.files, generations.location).progress()
    if note is None and progress.done >= 0:
        raise IllegalStateException(
            f'checkpoint "{generations.location}" is not one of an application of KafkaStreams',
            detail="A query has committed batches there, and nothing describes their stores.",
            hint="The stores of a topology between DataFrames cannot be read: let the query write "
            "what you need into a table, by toDataFrame().",
        )
    if note is None or progress.done < 0:
        raise IllegalStateException(
            f'application "{name}" has no state in checkpoint "{generations.location}"',
            detail="No batch has been committed there.",
            hint="Start the application once (millstream run APP --until-idle): its first batch "
            "takes over the state that it begins with."
            if generations.seed
            else "Check application.id, state.dir and millstream.checkpoint.location.",
        )
    for operator in range(len(note.tasks)):
        if not generations.files.names(f"state/{operator}"):
            # Spark's reader says "requirement failed" of it.
            name = f'"{generations.location}/state/{operator}"'
            raise lost_state(name, "Nothing is there.")
    session = query_session(used, config.merged(), max(note.tasks.values(), default=1))
    # Else Spark opens a file for changes there, and cannot read what is mounted read-only.
    session.conf.set(_CHANGES, "false")
    facts = checkpoint_facts(note, name)
    image = image_of_checkpoint(session, generations.location, note, progress, facts, selection)
    return Opened(session, generations, image)


def steadily(
    config: StreamsConfig,
    used: SparkSession,
    root: str,
    selection: Selection,
    read: Callable[[Opened], T],
) -> T:
    """Read the state of the last committed batch; again, if the application goes on meanwhile.

    Spark deletes old batches while an application runs, so a slow reader may have to begin anew.

    Args:
        config: The application's configuration.
        used: Any session.
        root: The checkpoint's location.
        selection: What of the state is read.
        read: Reads it; what it has begun to write, it deletes where it fails.

    Raises:
        IllegalStateException: No batch has been committed.
        StreamsException: The checkpoint is damaged, Spark fails, or each batch was deleted before
            it had been read.
    """
    failure: Exception | None = None
    for _ in range(ATTEMPTS):
        before = _last_batch(root, used)
        try:
            # Opening reads the manifests of the tasks.
            return read(open_state(config, used, root, selection))
        except MillstreamError:
            raise
        except Exception as error:
            failure = failure_of_spark(error)
            if _last_batch(root, used) == before:
                raise failure from error
    raise StreamsException(
        f'cannot read the state in checkpoint "{root}" while the application runs',
        detail=f"Its batches were deleted before they had been read, {ATTEMPTS} times.",
        hint="Stop the application first, read a single store, or let the application keep more "
        "batches (spark.sql.streaming.minBatchesToRetain).",
    ) from failure


def generations_at(root: str, used: SparkSession) -> Generations:
    """Return the generations of a checkpoint on any file system of Spark."""
    return Generations(root, files_at(root, used), lambda at: files_at(at, used))


def _last_batch(root: str, used: SparkSession) -> tuple[str, int]:
    generations = generations_at(root, used)
    log = CheckpointLog(generations.files, generations.location)
    return generations.location, max(log.committed(), default=-1)


def state_session(config: StreamsConfig, name: str, logs: Path | None = None) -> SparkSession:
    """Return a session whose JVM logs to a file of its own.

    Args:
        config: The application's configuration.
        name: Its name in Spark.
        logs: Directory of the file; None: beside that of the application.
    """
    log = LogOptions.of(config, Path(config.getString("state.dir")) / name)
    path = log.path if logs is None else logs / log.path.name
    log = replace(log, path=path.with_name("millstream-state.log"))
    session = new_session(config.merged(), name, log if log.on else None)
    if log.on and not log.verbose:
        quieten(session)
    return session


def take_savepoint(
    config: StreamsConfig, directory: str, spark: SparkSession | None = None
) -> SavepointManifest:
    """Write a savepoint of an application's last committed batch; return its manifest.

    Args:
        config: The application's configuration.
        directory: Where to write it, on any file system of Spark; empty or not there yet.
        spark: The session to use; None for the one of this process, or a new one.

    Raises:
        IllegalStateException: No batch of the application has been committed.
        IllegalArgumentException: Spark would use another directory.
        StreamsException: The directory is not empty or cannot be written, or the checkpoint is
            damaged or cannot be opened.
    """
    for_spark(directory)
    if (here := local_files(directory)) is not None:
        # Before Spark starts and reads all of the state.
        _check_directory(directory)
        check_empty(directory, here.names(""))
    with reading_session(config, spark) as used:
        files = files_at(directory, used)

        def write(opened: Opened) -> SavepointManifest:
            return write_savepoint(opened.session, opened.image, files, directory)

        return steadily(config, used, checkpoint_root(config), EVERYTHING, write)


def _check_directory(location: str) -> None:
    path = local_path(location)
    if path is not None and os.path.lexists(path) and not path.is_dir():
        raise StreamsException(
            f'cannot write a savepoint to "{location}"',
            detail="It is a link to nothing." if path.is_symlink() else "It is not a directory.",
            hint="Give a directory that is empty or does not exist.",
        )
