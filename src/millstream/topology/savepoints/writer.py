"""Writer of a savepoint: entries first, the manifest last."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from typing_extensions import Self

from millstream.core.errors import IllegalArgumentException, StreamsException
from millstream.topology.savepoints.directory import (
    claim_new,
    local_directory,
    release,
    write_manifest,
)
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.savepoints.partition_writer import PartitionWriter

BUFFERED_BYTES = 64 << 20
"""Memory for entries of all partitions."""
OPEN_FILES = 64


class SavepointWriter:
    """Writes one savepoint to a new directory; it is one once ``finish`` has returned.

    As a context manager it deletes the entries if the block fails, or does not finish.

    Args:
        location: A directory that is empty or does not exist.

    Raises:
        StreamsException: The directory is not empty, or cannot be made.

    Example:
        >>> import tempfile
        >>> from millstream.topology.savepoints.manifest import StoreManifest
        >>> with tempfile.TemporaryDirectory() as home, SavepointWriter(home) as writer:
        ...     writer.add("counts", 0, [(b"a", b"1"), (b"b", b"2")])
        ...     manifest = SavepointManifest(
        ...         application_id="app",
        ...         topology="",
        ...         tasks={0: 1},
        ...         stores={"counts": StoreManifest(subtopology=0)},
        ...     )
        ...     writer.finish(manifest).stores["counts"].partitions[0].count
        2
    """

    def __init__(self, location: str | os.PathLike[str]) -> None:
        self.root = local_directory(location)
        claim_new(self.root)
        self._partitions: dict[tuple[str, int], PartitionWriter] = {}
        self._finished = False

    def add(self, store: str, partition: int, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Add entries of one partition of a store, in any order; may be called again for it.

        Raises:
            StreamsException: They cannot be written.
        """
        at = (store, partition)
        writer = self._partitions.get(at)
        if writer is None:
            writer = self._partitions[at] = PartitionWriter(self.root, store, partition)
        try:
            writer.add(entries)
            self._make_room()
        except OSError as error:
            raise self._failed(error) from error

    def finish(self, manifest: SavepointManifest) -> SavepointManifest:
        """Complete the savepoint; return its manifest with the contents of each partition.

        Args:
            manifest: Its stores are all that have entries; their ``partitions`` do not matter.

        Raises:
            IllegalArgumentException: A store has entries and is not in the manifest.
            StreamsException: A file cannot be written.
        """
        unknown = {store for store, _ in self._partitions} - manifest.stores.keys()
        if unknown:
            raise IllegalArgumentException(f'store "{min(unknown)}" is not in the manifest')
        try:
            done = {at: writer.close() for at, writer in sorted(self._partitions.items())}
            stores = {
                name: replace(
                    store,
                    partitions={
                        n: each for (of, n), each in done.items() if of == name and each.count
                    },
                )
                for name, store in manifest.stores.items()
            }
            complete = replace(manifest, stores=stores)
            write_manifest(self.root, complete)
        except OSError as error:
            raise self._failed(error) from error
        self._finished = True
        return complete

    def abandon(self) -> None:
        """Delete the entries written so far; the directory stays."""
        for writer in self._partitions.values():
            with suppress(OSError):
                writer.abandon()
        self._partitions = {}
        release(self.root)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._finished:
            self.abandon()

    def _make_room(self) -> None:
        """Bound what is in memory, and the number of open files."""
        writers = self._partitions.values()
        if sum(each.buffered for each in writers) > BUFFERED_BYTES:
            for each in writers:
                each.flush()
        if sum(each.has_file for each in writers) > OPEN_FILES:
            for each in writers:
                each.close()

    def _failed(self, error: OSError) -> StreamsException:
        return StreamsException(
            f'cannot write a savepoint to "{self.root}"',
            detail=f"{error.strerror or error}.",
            hint="Give another directory, or make room, and try again.",
        )
