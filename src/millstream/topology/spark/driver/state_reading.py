"""State of a checkpoint, read by commands: listed, or copied to a directory of this machine.

Nothing is locked or written in the checkpoint, and the application may run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.writer import SavepointWriter
from millstream.topology.spark.checkpoint.descriptor import Checkpoint
from millstream.topology.spark.driver.savepoints import (
    ATTEMPTS,
    Opened,
    generations_at,
    reading_session,
    steadily,
)
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.image import EVERYTHING, Image, Selection
from millstream.topology.spark.generations.moving import described
from millstream.topology.spark.generations.savepoints import counted

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StateReader:
    """The last committed state of one checkpoint, read with a session."""

    session: SparkSession
    config: StreamsConfig
    root: str
    """The checkpoint's location."""

    def described(self) -> Checkpoint | None:
        """Return the description of the current generation; None if there is no checkpoint."""
        return described(self._generations())

    def is_seeded(self) -> bool:
        """Return whether the current generation has a state to begin with, and no batch yet."""
        return bool(self._generations().seed)

    def listed(self) -> SavepointManifest:
        """Return the manifest that a savepoint would have, with the contents of all stores.

        Raises:
            IllegalStateException: No batch has been committed.
            StreamsException: The checkpoint is damaged.
        """
        return self._steadily(EVERYTHING, _listed)

    def copied(self, directory: Path, selection: Selection = EVERYTHING) -> Savepoint:
        """Write the selected stores as a savepoint.

        Args:
            directory: Below it a directory is made for each attempt.
            selection: What to copy; other stores are in the manifest without entries.

        Raises:
            IllegalStateException: No batch has been committed.
            StreamsException: The checkpoint is damaged, or the copy cannot be written.
        """
        numbers = iter(range(ATTEMPTS))

        def copy(opened: Opened) -> Savepoint:
            return _copied(opened.image, directory / str(next(numbers)))

        return self._steadily(selection, copy)

    def _steadily(self, selection: Selection, read: Callable[[Opened], T]) -> T:
        return steadily(self.config, self.session, self.root, selection, read)

    def _generations(self) -> Generations:
        return generations_at(self.root, self.session)


@contextmanager
def reading(config: StreamsConfig, root: str, logs: Path) -> Iterator[StateReader]:
    """Give a reader of a checkpoint.

    Args:
        config: The application's configuration.
        root: The checkpoint's location.
        logs: Directory for the log of the JVM.
    """
    with reading_session(config, logs=logs) as session:
        yield StateReader(session, config, root)


def _listed(opened: Opened) -> SavepointManifest:
    found = counted(opened.session, opened.image.entries)
    manifest = opened.image.manifest
    stores = {
        name: replace(store, partitions=found.get(name, {}))
        for name, store in manifest.stores.items()
    }
    return replace(manifest, stores=stores)


def _copied(image: Image, directory: Path) -> Savepoint:
    # Through this process: workers on other machines cannot write here.
    with SavepointWriter(directory) as writer:
        rows: Iterator[Any] = image.entries.toLocalIterator(prefetchPartitions=True)
        for (store, partition), found in groupby(rows, lambda row: (row.store, row.partition)):
            writer.add(store, partition, ((bytes(row.key), bytes(row.value)) for row in found))
        writer.finish(image.manifest)
    return Savepoint(directory)
