"""Writer of the entries of one partition of a store of a savepoint."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from typing_extensions import Self

from millstream.topology.savepoints.checksums import contents_of, joined
from millstream.topology.savepoints.directory import SCHEMA, SUFFIX, partition_directory
from millstream.topology.savepoints.manifest import Contents
from millstream.topology.spark.private import FILE_MODE, private_directory

ROW_GROUP_BYTES = 4 << 20
_COMPRESSION = "zstd"


class PartitionWriter:
    """Writes entries of one partition; several may do so at the same time, in any process.

    A file gets its final name when it is complete; one whose writer failed is not read.

    Args:
        root: The savepoint's directory.
        store: The store.
        partition: Its partition.
    """

    def __init__(self, root: Path, store: str, partition: int) -> None:
        self._directory = partition_directory(root, store, partition)
        self._keys: list[bytes] = []
        self._values: list[bytes] = []
        self._contents = Contents()
        self._draft: Path | None = None
        self._file: pq.ParquetWriter | None = None
        self.buffered = 0
        """Bytes of the entries that are still in memory."""

    @property
    def contents(self) -> Contents:
        """What has been added so far."""
        return joined([self._contents, contents_of(self._keys, self._values)])

    @property
    def has_file(self) -> bool:
        """Whether a file is open."""
        return self._file is not None

    def add(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Add entries; a key is added once.

        Raises:
            OSError: They cannot be written.
        """
        for key, value in entries:
            self._keys.append(key)
            self._values.append(value)
            self.buffered += len(key) + len(value)
            if self.buffered >= ROW_GROUP_BYTES:
                self.flush()

    def flush(self) -> None:
        """Write the entries in memory to the file.

        Raises:
            OSError: They cannot be written.
        """
        if not self._keys:
            return
        columns = [pa.array(self._keys, pa.binary()), pa.array(self._values, pa.binary())]
        self._contents = self.contents
        self._keys, self._values, self.buffered = [], [], 0
        self._opened().write_batch(pa.record_batch(columns, schema=SCHEMA))

    def close(self) -> Contents:
        """Complete the file, if there is one; return what has been added. More may follow.

        Raises:
            OSError: It cannot be written.
        """
        self.flush()
        if self._file is not None and self._draft is not None:
            self._file.close()
            with self._draft.open("rb") as file:
                os.fsync(file.fileno())
            self._draft.rename(self._draft.with_name(self._draft.name.lstrip(".")))
            self._file = self._draft = None
        return self._contents

    def abandon(self) -> None:
        """Delete the file that is not complete."""
        file, draft = self._file, self._draft
        self._file = self._draft = None
        try:
            if file is not None:
                file.close()
        finally:
            if draft is not None:
                draft.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def _opened(self) -> pq.ParquetWriter:
        if self._file is None:
            private_directory(self._directory)
            self._draft = self._directory / f".part-{uuid.uuid4().hex}{SUFFIX}"
            os.close(os.open(self._draft, os.O_CREAT | os.O_WRONLY, FILE_MODE))
            # Keys and values repeat rarely, so that dictionaries and statistics cost for nothing.
            self._file = pq.ParquetWriter(
                self._draft,
                SCHEMA,
                compression=_COMPRESSION,
                use_dictionary=False,
                write_statistics=False,
            )
        return self._file
