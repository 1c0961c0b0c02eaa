"""Contract between rows of a byte store and records of Kafka Streams' changelog topics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, ClassVar, NamedTuple

from millstream.core.readable import Readable

Header = tuple[str, "bytes | None"]
Row = tuple[bytes, "bytes | None"]
"""Key and value of a byte store; None deletes."""


class ChangelogRecord(NamedTuple):
    """A record of a changelog topic; its partition is that of the task."""

    key: bytes
    value: bytes | None
    timestamp: int | None = None
    """Epoch milliseconds; None where it means nothing, and a producer may choose."""
    headers: Sequence[Header] = ()


class ChangelogColumns(NamedTuple):
    """Records of a changelog topic as columns of one length."""

    keys: Sequence[bytes]
    values: Sequence[bytes | None]
    timestamps: Sequence[int | None]
    headers: Sequence[Sequence[Header]] | None = None
    """None when no record has any."""

    def records(self) -> Iterator[ChangelogRecord]:
        """Yield the records one by one."""
        headers = repeat(()) if self.headers is None else self.headers
        return map(ChangelogRecord, self.keys, self.values, self.timestamps, headers)


class RowColumns(NamedTuple):
    """Rows by columns, and the summary of all records that they are from."""

    keys: Sequence[bytes]
    values: Sequence[bytes]
    summary: bytes = b""


class ChangelogFormat(Readable, ABC):
    """Format of one store: its rows here, and what Kafka Streams' changelog topic has for them.

    Besides its entries a store may keep *summary rows*, each about all entries: the latest time it
    has seen, or how much it holds. A summary of some entries is bytes that can be merged with those
    of others, so that parts of a partition can be read apart from each other.
    """

    in_order: ClassVar[bool] = False
    """A row depends on several records of a key: ``replayed`` has to read a whole partition, and
    a running application logs each write instead of the rows that have changed."""
    by_wall_clock: ClassVar[bool] = False
    """Records without a time get the present one, as in Kafka Streams; those of other stores get
    the stream time."""
    has_summary: ClassVar[bool] = True
    """Records may have a summary; else theirs is empty."""

    @abstractmethod
    def rows_of(self, record: ChangelogRecord) -> Sequence[Row]:
        """Return the rows that the last record of a key stands for; none for a deletion.

        Raises:
            StreamsException: The record is not of a version that can be read.
        """

    def read(self, columns: ChangelogColumns) -> RowColumns:
        """Return what many records stand for, as ``rows_of`` and ``summary_of_records`` tell it.

        Raises:
            StreamsException: A record is not of a version that can be read.
        """
        records = list(columns.records())
        rows = [row for record in records for row in self.rows_of(record)]
        kept = [(key, value) for key, value in rows if value is not None]
        summary = self.summary_of_records(records)
        return RowColumns([key for key, _ in kept], [value for _, value in kept], summary)

    @abstractmethod
    def record_of(self, key: bytes, value: bytes) -> ChangelogRecord | None:
        """Return the record of a row; None for rows that Kafka's stores rebuild by themselves."""

    def deletion_of(self, key: bytes) -> ChangelogRecord | None:
        """Return the record of a row that is gone; None where another row's record says it."""
        return ChangelogRecord(key, None)

    def changes(self, rows: Mapping[bytes, bytes | None]) -> Iterator[ChangelogRecord]:
        """Yield the records of the rows that a batch has changed, each with its last value."""
        record_of, deletion_of = self.record_of, self.deletion_of
        for key, value in rows.items():
            record = deletion_of(key) if value is None else record_of(key, value)
            if record is not None:
                yield record

    def columns(self, rows: Mapping[bytes, bytes | None]) -> ChangelogColumns:
        """Return what ``changes`` yields as columns."""
        return columns_of(self.changes(rows))

    def records(self, rows: Iterable[tuple[bytes, bytes]]) -> Iterator[ChangelogRecord]:
        """Yield the records of all rows of a partition, in an order in which they can be read."""
        for key, value in rows:
            record = self.record_of(key, value)
            if record is not None:
                yield record

    def replayed(self, records: Iterable[ChangelogRecord]) -> Iterator[tuple[bytes, bytes]]:
        """Yield the rows of a whole partition's records, given in the order of their offsets."""
        last: dict[bytes, ChangelogRecord] = {}
        for record in records:
            # A key that comes again moves to the end, as it does in a compacted topic.
            last.pop(record.key, None)
            last[record.key] = record
        summary = self.summary_of_records(last.values())
        rows = (row for record in last.values() for row in self.rows_of(record))
        yield from ((key, value) for key, value in rows if value is not None)
        yield from self.summary_rows(summary)

    @abstractmethod
    def record_key(self, key: bytes) -> bytes | None:
        """Return the serialized key that decides the partition of a row; None: of a summary row.

        It is that of the records by which the store is filled. Where a processor of the user's own
        writes other keys than those of its records, it does not decide anything.
        """

    def is_summary(self, key: bytes) -> bool:
        """Tell whether a row is about all entries of its partition."""
        return self.record_key(key) is None

    def summary_of(self, rows: Iterable[tuple[bytes, bytes]]) -> bytes:
        """Return the summary of some rows, summary rows among them or not."""
        del rows
        return b""

    def summary_of_records(self, records: Iterable[ChangelogRecord]) -> bytes:
        """Return the summary of some records, deletions included."""
        del records
        return b""

    def merged(self, summaries: Iterable[bytes]) -> bytes:
        """Return the summary of all that the given ones are about."""
        del summaries
        return b""

    def summary_rows(self, summary: bytes) -> Sequence[tuple[bytes, bytes]]:
        """Return the summary rows of a partition."""
        del summary
        return ()


def columns_of(records: Iterable[ChangelogRecord]) -> ChangelogColumns:
    """Return records as columns."""
    found: list[tuple[Any, ...]] = list(zip(*records, strict=True))
    if not found:
        return ChangelogColumns((), (), ())
    keys, values, timestamps, headers = found
    return ChangelogColumns(keys, values, timestamps, headers if any(headers) else None)
