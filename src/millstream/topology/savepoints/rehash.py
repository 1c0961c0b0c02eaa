"""Rows of a store, moved into another number of partitions by the keys of their records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from millstream.core.errors import StreamsException, UnsupportedOperationException
from millstream.core.partitioning import default_partition
from millstream.core.state.changelog_format import ChangelogFormat
from millstream.plugins.registry import store_kinds
from millstream.topology.savepoints.subscriptions import LeftTable, PartitionOf
from millstream.topology.spark.checkpoint.store_notes import StoreNote

Columns = tuple[list[bytes], list[bytes]]


class Rehash:
    """Move of one store, or of a part of one.

    Args:
        store: The store, for errors.
        note: Its note, or that of the store that a part belongs to.
        partitions: How many partitions it gets.
        place: Where keys belong; None: where Kafka's default partitioner puts the record's key.
        left: The left table, if it is a store of a foreign-key join's subscriptions and that table
            has other tasks now.

    Raises:
        UnsupportedOperationException: Its rows do not say to which key they belong, and ``place``
            is None.
    """

    def __init__(
        self,
        store: str,
        note: StoreNote | None,
        partitions: int,
        place: PartitionOf | None = None,
        left: LeftTable | None = None,
    ) -> None:
        self._store = store
        self._left = left
        self._partitions = partitions
        self._place = place
        self._format: ChangelogFormat | None = None
        if note is not None and not note.opaque:
            self._format = store_kinds().changelog_format(store, note)
            if place is None:
                # Refuses what does not tell its key.
                self._format.record_key(bytes(64))
        elif place is None:
            raise UnsupportedOperationException(
                f'the rows of store "{store}" do not say to which key they belong',
                detail="A user's own code decides its bytes.",
            )

    def split(self, keys: Sequence[bytes], values: Sequence[bytes]) -> dict[int, Columns]:
        """Return the rows by their new partitions, without those about the whole store.

        Raises:
            StreamsException: The function for the store fails, or names no partition.
        """
        found: dict[int, Columns] = {}
        for key, value in zip(keys, values, strict=True):
            own = key if self._format is None else self._key(self._format, key)
            if own is None:
                continue
            number = self._partition(own)
            columns = found.get(number)
            if columns is None:
                columns = found[number] = ([], [])
            columns[0].append(key)
            columns[1].append(value)
        return found

    def readdressed(self, keys: list[bytes], values: list[bytes]) -> Columns:
        """Return rows as they are written: subscriptions name the partitions of answers.

        Raises:
            ProcessorStateException: A row is damaged.
        """
        if self._left is None or self._format is None:
            return keys, values
        return keys, self._left.readdressed(self._format, keys, values)

    def is_shared(self, key: bytes) -> bool:
        """Tell whether a row is about the whole store."""
        return self._format is not None and self._format.is_summary(key)

    def shared(self, keys: Sequence[bytes], values: Sequence[bytes]) -> bytes:
        """Return the summary of the rows about the whole store, which every partition gets."""
        if self._format is None:
            return b""
        rows = [row for row in zip(keys, values, strict=True) if self.is_shared(row[0])]
        return self._format.summary_of(rows)

    def summary(self, keys: Sequence[bytes], values: Sequence[bytes]) -> bytes:
        """Return the summary of some rows of a new partition."""
        rows = zip(keys, values, strict=True)
        return b"" if self._format is None else self._format.summary_of(rows)

    def summary_rows(self, summaries: Iterable[bytes]) -> Sequence[tuple[bytes, bytes]]:
        """Return the rows about the whole store of a new partition, given its summaries."""
        if self._format is None:
            return ()
        return self._format.summary_rows(self._format.merged(summaries))

    def _key(self, layout: ChangelogFormat, row_key: bytes) -> bytes | None:
        if layout.is_summary(row_key):
            return None
        try:
            return layout.record_key(row_key)
        except UnsupportedOperationException:
            return row_key

    def _partition(self, key: bytes) -> int:
        if self._place is None:
            return default_partition(key, self._partitions)
        try:
            number = self._place(key, self._partitions)
        except Exception as error:
            raise self._failed(f"{type(error).__name__}: {error}") from error
        if type(number) is not int or not 0 <= number < self._partitions:
            raise self._failed(
                f"It returned {number!r} for key 0x{key.hex()}; partitions are 0 to "
                f"{self._partitions - 1}"
            )
        return number

    def _failed(self, detail: str) -> StreamsException:
        return StreamsException(
            f'the function that places the entries of store "{self._store}" failed',
            detail=f"{detail}.",
            hint="It takes the bytes of a key and the number of partitions, and returns one of "
            "them.",
        )
