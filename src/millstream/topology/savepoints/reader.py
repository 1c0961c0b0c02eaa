"""Reader of a savepoint; what does not fit its manifest is an error."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from millstream.core.errors import ProcessorStateException
from millstream.topology.savepoints.checksums import contents_of, joined
from millstream.topology.savepoints.directory import (
    entry_files,
    found_partitions,
    local_directory,
    partition_directory,
    read_manifest,
)
from millstream.topology.savepoints.manifest import Contents, SavepointManifest

BATCH_ROWS = 16_384
_COLUMNS = ("key", "value")


class Savepoint:
    """A savepoint in a directory of this machine.

    Args:
        location: Its directory.

    Raises:
        StreamsException: There is none, or its manifest is damaged or of another version.
        ProcessorStateException: The entries of a partition are missing, or the manifest does not
            know of them.
    """

    def __init__(self, location: str | os.PathLike[str]) -> None:
        self.root = local_directory(location)
        self.manifest: SavepointManifest = read_manifest(self.root)
        wanted = {
            (name, number)
            for name, store in self.manifest.stores.items()
            for number, contents in store.partitions.items()
            if contents.count
        }
        found = found_partitions(self.root)
        for name, number in sorted(wanted - found):
            raise self._damaged(name, number, "Its files are missing.")
        for name, number in sorted(found - wanted):
            raise self._damaged(name, number, "The manifest does not know of its files.")

    def columns(self, store: str, partition: int) -> Iterator[tuple[list[bytes], list[bytes]]]:
        """Yield the entries of a partition, as keys and values of some thousands each time.

        What is yielded last has been compared with the manifest only once the iterator has ended.

        Raises:
            ProcessorStateException: A file is damaged, or the entries are not the manifest's.
        """
        wanted = self.manifest.stores[store].partitions.get(partition, Contents())
        found = Contents()
        for path in entry_files(partition_directory(self.root, store, partition)):
            for keys, values in self._file(store, partition, path):
                found = joined([found, contents_of(keys, values)])
                yield keys, values
        if found != wanted:
            raise self._damaged(store, partition, _difference(found, wanted))

    def entries(self, store: str, partition: int) -> Iterator[tuple[bytes, bytes]]:
        """Yield the entries of a partition, in no order; see ``columns``.

        Raises:
            ProcessorStateException: A file is damaged, or the entries are not the manifest's.
        """
        for keys, values in self.columns(store, partition):
            yield from zip(keys, values, strict=True)

    def _file(
        self, store: str, partition: int, path: Path
    ) -> Iterator[tuple[list[bytes], list[bytes]]]:
        try:
            with pq.ParquetFile(path) as file:
                if missing := [name for name in _COLUMNS if not _is_bytes(file, name)]:
                    detail = f'{path.name} has no column "{missing[0]}" of bytes.'
                    raise self._damaged(store, partition, detail)
                for batch in file.iter_batches(BATCH_ROWS, columns=list(_COLUMNS)):
                    if any(column.null_count for column in batch.columns):
                        raise self._damaged(store, partition, f"{path.name} has a null.")
                    keys, values = (batch.column(name).to_pylist() for name in _COLUMNS)
                    yield keys, values
        except (pa.ArrowException, OSError, ValueError) as error:
            said = str(error).splitlines() or [type(error).__name__]
            detail = f"{path.name}: {said[0]}."
            raise self._damaged(store, partition, detail) from error

    def _damaged(self, store: str, partition: int, detail: str) -> ProcessorStateException:
        return ProcessorStateException(
            f'cannot read partition {partition} of store "{store}" of savepoint "{self.root}"',
            detail=detail,
            hint="Restore the savepoint from a copy, or take another one.",
        )


def _is_bytes(file: pq.ParquetFile, column: str) -> bool:
    schema = file.schema_arrow
    return column in schema.names and schema.field(column).type in (pa.binary(), pa.large_binary())


def _difference(found: Contents, wanted: Contents) -> str:
    if found.count != wanted.count:
        return (
            f"It has {found.count} entries, and {wanted.count} by the manifest: a file is missing, "
            "or does not belong there."
        )
    if found.size != wanted.size:
        return f"Its entries have {found.size} bytes, and {wanted.size} by the manifest."
    return "The checksum of its entries is not the manifest's."
