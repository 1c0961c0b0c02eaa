"""Savepoints by Spark: written from an image, and read as one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession

from millstream.core.errors import StreamsException
from millstream.topology.savepoints.checksums import contents_of, joined
from millstream.topology.savepoints.directory import DRAFT, check_empty
from millstream.topology.savepoints.manifest import ENTRIES, FILE, Contents, SavepointManifest
from millstream.topology.spark.checkpoint.descriptor import AS_NAMED, for_spark
from millstream.topology.spark.checkpoint.files import Files
from millstream.topology.spark.checkpoint.log import FILE as HISTORY
from millstream.topology.spark.checkpoint.store_notes import StoreNote
from millstream.topology.spark.damage import with_causes
from millstream.topology.spark.evolution.facts import Facts
from millstream.topology.spark.evolution.reading import facts_of
from millstream.topology.spark.full_disk import full_disk_from
from millstream.topology.spark.generations.entries import ENTRY_SCHEMA
from millstream.topology.spark.generations.image import Image
from millstream.topology.spark.logged_store import SPILLED
from millstream.topology.spark.worker_pools import workers_for

_NOT_MADE = "Mkdirs failed to create"
_COUNTED = "store string, partition int, count bigint, size bigint, checksum string"


def write_savepoint(
    session: SparkSession, image: Image, files: Files, location: str
) -> SavepointManifest:
    """Write an image as a savepoint; return its manifest, which is written last.

    Args:
        session: A session with the settings of queries.
        image: The state.
        files: Files at the location.
        location: Directory of the savepoint, on any file system of Spark; empty or not there yet.

    Raises:
        StreamsException: The directory is not empty, or cannot be made.
    """
    entries = f"{for_spark(location)}/{ENTRIES}"
    check_empty(location, files.names(""))
    with _claimed(files, location):
        return _written(session, image, files, location, entries)


def _written(
    session: SparkSession, image: Image, files: Files, location: str, entries: str
) -> SavepointManifest:
    try:
        image.entries.write.partitionBy("store", "partition").parquet(entries)
    except Py4JJavaError as error:
        said = with_causes(str(error.java_exception), error.java_exception)
        if full_disk_from(said) is not None:
            raise StreamsException(
                f'cannot write a savepoint to "{location}"',
                detail="There is no space left on its disk, or on that of Spark's temporary files.",
                hint="Make room (spark.local.dir says where the temporary files are), or give "
                "another directory, and try again.",
            ) from error
        # Java does not say why. What is wrong with the state has an error of its own.
        if _NOT_MADE not in said:
            raise
        raise StreamsException(
            f'cannot write a savepoint to "{location}"',
            detail="The directory cannot be made: its file system is mounted read-only, or the "
            "program may not write there.",
            hint="Give another directory, and try again.",
        ) from error
    if not files.has(ENTRIES):
        raise StreamsException(
            f'cannot write a savepoint to "{location}"',
            detail="Spark has written the entries to another directory: its JVM cannot name this "
            "one.",
            hint="Run it with LC_ALL=C.UTF-8, or give a directory whose path is ASCII.",
        )
    found = counted(session, _entries(session, entries, files))
    stores = {
        name: replace(store, partitions=found.get(name, {}))
        for name, store in image.manifest.stores.items()
    }
    manifest = replace(image.manifest, stores=stores)
    files.write(FILE, manifest.to_json())
    return manifest


@contextmanager
def _claimed(files: Files, location: str) -> Iterator[None]:
    """Have a directory for one writer; what it has written goes unless it ends.

    Two that write at once would have each other's entries in theirs.
    """
    try:
        first = files.create(DRAFT, "")
    except OSError as error:
        raise _unwritable(location, error) from error
    if not first:
        raise StreamsException(
            f'another savepoint is being written to "{location}"',
            hint="Give each savepoint a directory of its own.",
        )
    try:
        # Another one may have ended since it was looked at.
        check_empty(location, (each for each in files.names("") if not each.startswith(DRAFT)))
        try:
            yield
        except BaseException as error:
            # It takes room, and the next attempt needs the directory.
            with suppress(Exception):
                files.remove(ENTRIES)
            if isinstance(error, OSError):
                raise _unwritable(location, error) from error
            raise
    finally:
        with suppress(Exception):
            files.remove(DRAFT)


def _unwritable(location: str, error: OSError) -> StreamsException:
    return StreamsException(
        f'cannot write a savepoint to "{location}"',
        detail=f"{error.strerror or error}.",
        hint="Give another directory, or make room, and try again.",
    )


def image_of_savepoint(session: SparkSession, files: Files, location: str) -> Image:
    """Return the image of a savepoint, after a check of its entries.

    Args:
        session: A session with the settings of queries.
        files: Files at the location.
        location: Directory of the savepoint, on any file system of Spark.

    Raises:
        StreamsException: There is no savepoint, or entries are missing or damaged; or it is from
            the middle of a run over files.
    """
    if not files.has(FILE):
        raise StreamsException(
            f'there is no savepoint in "{location}"',
            detail=f'It has no file "{FILE}", which is written last.',
            hint="Give the directory of a savepoint that is complete.",
        )
    manifest = SavepointManifest.from_json(files.text(FILE), location)
    _check_files_read(manifest, location)
    entries = _entries(session, f"{for_spark(location)}/{ENTRIES}", files)
    check_entries(manifest, counted(session, entries), location)
    return Image(manifest, entries, facts_of_savepoint(manifest))


def facts_of_savepoint(manifest: SavepointManifest) -> Facts:
    """Return facts of the program that a savepoint is from.

    Partitions follow from its tasks: after a rescaling the positions are still the former ones.
    """
    stores = {n: s for n, s in manifest.stores.items() if not n.endswith(SPILLED)}
    facts = facts_of(
        manifest.topology,
        application_id=manifest.application_id,
        tasks=manifest.tasks,
        notes={name: StoreNote(**each.note) for name, each in stores.items() if each.note},
        topics=manifest.topics,
        store_format=manifest.store_format,
        words=manifest.words or (),
    )
    return replace(facts, every_word=manifest.words is not None)


def _check_files_read(manifest: SavepointManifest, location: str) -> None:
    unread = sorted(t.removeprefix(HISTORY) for t in manifest.positions if t.startswith(HISTORY))
    if unread:
        raise StreamsException(
            f'savepoint "{location}" is from the middle of a run over files: {", ".join(unread)}',
            detail="Nothing would read the rest of the files.",
            hint="Let runToEnd (millstream run --to-end) reach the end of the files, and take a "
            "savepoint after that.",
        )


def _entries(session: SparkSession, location: str, files: Files) -> DataFrame:
    if not any(name.startswith("store=") for name in files.names(ENTRIES)):
        return session.createDataFrame([], ENTRY_SCHEMA)
    found = session.read.options(**AS_NAMED).schema(ENTRY_SCHEMA).parquet(location)
    return found.select("store", "partition", "key", "value")


def counted(session: SparkSession, entries: DataFrame) -> dict[str, dict[int, Contents]]:
    """Return store -> partition -> number, size and checksum of its entries."""
    with workers_for(session, "image"):
        rows = entries.mapInArrow(_count, _COUNTED).collect()
    found: dict[str, dict[int, Contents]] = {}
    for row in rows:
        parts = found.setdefault(row.store, {})
        some = Contents(count=row["count"], size=row.size, checksum=int(row.checksum))
        parts[row.partition] = joined([parts.get(row.partition, Contents()), some])
    return found


def _count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    found: dict[tuple[str, int], Contents] = {}
    for batch in batches:
        groups: dict[tuple[str, int], tuple[list[Any], list[Any]]] = {}
        for store, partition, key, value in zip(
            *(column.to_pylist() for column in batch.columns), strict=True
        ):
            keys, values = groups.setdefault((store, partition), ([], []))
            keys.append(key)
            values.append(value)
        for place, columns in groups.items():
            found[place] = joined([found.get(place, Contents()), contents_of(*columns)])
    rows = [(s, p, c.count, c.size, str(c.checksum)) for (s, p), c in found.items()]
    listed = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(5)]
    types = [pa.string(), pa.int32(), pa.int64(), pa.int64(), pa.string()]
    arrays = [pa.array(column, kind) for column, kind in zip(listed, types, strict=True)]
    names = ["store", "partition", "count", "size", "checksum"]
    yield pa.RecordBatch.from_arrays(arrays, names=names)


def check_entries(
    manifest: SavepointManifest, found: dict[str, dict[int, Contents]], location: str
) -> None:
    """Compare entries with the manifest of their savepoint.

    Raises:
        StreamsException: Some are missing, or others.
    """
    noted = {name: dict(store.partitions) for name, store in manifest.stores.items()}
    for store in sorted(noted.keys() | found.keys()):
        for number in sorted(noted.get(store, {}).keys() | found.get(store, {}).keys()):
            wanted = noted.get(store, {}).get(number, Contents())
            there = found.get(store, {}).get(number, Contents())
            if wanted != there:
                raise StreamsException(
                    f'savepoint "{location}" is damaged: partition {number} of store "{store}"',
                    detail=f"Its manifest has {wanted.count} entries of {wanted.size} bytes with "
                    f"checksum {wanted.checksum}; the files have {there.count} of {there.size} "
                    f"with {there.checksum}.",
                    hint="Copy the savepoint anew, with all files below it.",
                )
