"""Formats of stores whose rows have the keys of their changelog records: one row a record."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from millstream.core.durations import LONG_MAX
from millstream.core.errors import UnsupportedOperationException
from millstream.core.headers import header_pairs, headers_from_pairs
from millstream.core.state.changelog_format import (
    ChangelogColumns,
    ChangelogFormat,
    ChangelogRecord,
    Row,
    RowColumns,
    columns_of,
)
from millstream.core.state.logged_rows import from_row, to_row
from millstream.stores.changelogs.values import PLAIN, TIMESTAMPED, ValueForm

_JOIN_TIMES = struct.Struct(">qq")
_BUFFER_TIMES = struct.Struct(">qqi")
_LENGTH = 4
_TIME_AND_SIDE = 9


@dataclass(frozen=True)
class KeyValueFormat(ChangelogFormat):
    """Key-value stores, those of the entries used last among them."""

    has_summary: ClassVar[bool] = False
    form: ValueForm

    def rows_of(self, record: ChangelogRecord) -> Sequence[Row]:
        value = self.form.stored(record)
        return () if value is None else ((record.key, value),)

    def read(self, columns: ChangelogColumns) -> RowColumns:
        return _without_deletions(columns.keys, self.form.stored_columns(columns))

    def record_of(self, key: bytes, value: bytes) -> ChangelogRecord | None:
        return self.form.record(key, value, None)

    def columns(self, rows: Mapping[bytes, bytes | None]) -> ChangelogColumns:
        if self.form.headers:
            return super().columns(rows)
        return ChangelogColumns(list(rows), *self.form.columns(list(rows.values())))

    def record_key(self, key: bytes) -> bytes | None:
        return key


class LoggedFormat(KeyValueFormat):
    """Stores of users' own types, or over users' own bytes: what they have logged, with its time.

    They are filled from it by the callback that they have registered.
    """

    def rows_of(self, record: ChangelogRecord) -> Sequence[Row]:
        if record.value is None:
            return ()
        time = -1 if record.timestamp is None else record.timestamp
        return ((record.key, to_row(record.value, time, headers_from_pairs(record.headers))),)

    def read(self, columns: ChangelogColumns) -> RowColumns:
        return ChangelogFormat.read(self, columns)

    def record_of(self, key: bytes, value: bytes) -> ChangelogRecord | None:
        logged, time, headers = from_row(value)
        # A store may be filled before the first record; no record of a topic has such a time.
        return ChangelogRecord(key, logged, max(0, time), header_pairs(headers))

    def columns(self, rows: Mapping[bytes, bytes | None]) -> ChangelogColumns:
        return columns_of(self.changes(rows))

    def record_key(self, key: bytes) -> bytes | None:
        """Refuse.

        Raises:
            UnsupportedOperationException: Always.
        """
        raise UnsupportedOperationException(
            "how the keys of a store of the application's own belong to partitions is not known",
            hint="Use one of the stores of Stores.",
        )

    def is_summary(self, key: bytes) -> bool:
        return False


class WindowedKeysFormat(KeyValueFormat):
    """Key-value stores of windowed keys.

    They are where the windows' keys are if the table comes from a windowed aggregation, and where
    the whole bytes belong if it was grouped by windowed keys; the store does not tell which.
    """

    def record_key(self, key: bytes) -> bytes | None:
        """Refuse.

        Raises:
            UnsupportedOperationException: Always.
        """
        raise UnsupportedOperationException(
            "the partition of windowed keys in a key-value store is not known",
            hint="Leave the store out: the windowed table that it comes from fills it anew.",
        )

    def is_summary(self, key: bytes) -> bool:
        return False


class SubscriptionFormat(KeyValueFormat):
    """Subscriptions of a foreign-key join: ``length of the foreign key || it || primary key``.

    Source: ``foreignkeyjoin.CombinedKeySchema``.
    """

    def record_key(self, key: bytes) -> bytes | None:
        return key[_LENGTH : _LENGTH + int.from_bytes(key[:_LENGTH], "big")]


class UnmatchedFormat(KeyValueFormat):
    """Records of a left or outer join without a partner yet: lists by ``time || side || key``.

    Source: ``internals.ListValueStore``, ``TimestampedKeyAndJoinSideSerializer``.
    """

    has_summary: ClassVar[bool] = True

    def read(self, columns: ChangelogColumns) -> RowColumns:
        return ChangelogFormat.read(self, columns)

    def record_key(self, key: bytes) -> bytes | None:
        return key[_TIME_AND_SIDE:]

    def summary_of(self, rows: Iterable[tuple[bytes, bytes]]) -> bytes:
        """Return no stream time and the smallest time, as the join saves them."""
        times = (int.from_bytes(key[:8], "big", signed=True) for key, _ in rows)
        return self.merged(_JOIN_TIMES.pack(-1, time) for time in times)

    def summary_of_records(self, records: Iterable[ChangelogRecord]) -> bytes:
        kept = (record for record in records if record.value is not None)
        return self.summary_of((record.key, b"") for record in kept)

    def merged(self, summaries: Iterable[bytes]) -> bytes:
        times = [_JOIN_TIMES.unpack(each)[1] for each in summaries if each]
        return _JOIN_TIMES.pack(-1, min(times)) if times else b""


class WaitingFormat(KeyValueFormat):
    """Records that wait for a table of versions: ``0 || time || key || sequence``.

    Source: ``internals.RocksDBTimeOrderedKeyValueBuffer``; its values end with a time that it does
    not use.
    """

    by_wall_clock: ClassVar[bool] = True
    has_summary: ClassVar[bool] = True

    def read(self, columns: ChangelogColumns) -> RowColumns:
        return ChangelogFormat.read(self, columns)

    def rows_of(self, record: ChangelogRecord) -> Sequence[Row]:
        return () if record.value is None else ((record.key, record.value[:-8]),)

    def record_of(self, key: bytes, value: bytes) -> ChangelogRecord | None:
        return ChangelogRecord(key, value + bytes(8))

    def columns(self, rows: Mapping[bytes, bytes | None]) -> ChangelogColumns:
        return columns_of(self.changes(rows))

    def record_key(self, key: bytes) -> bytes | None:
        return key[_TIME_AND_SIDE:-4]

    def summary_of(self, rows: Iterable[tuple[bytes, bytes]]) -> bytes:
        """Return stream time, smallest time and last number, as the join saves them."""
        return self.merged(_waiting(key, held=True) for key, _ in rows)

    def summary_of_records(self, records: Iterable[ChangelogRecord]) -> bytes:
        return self.merged(_waiting(each.key, held=each.value is not None) for each in records)

    def merged(self, summaries: Iterable[bytes]) -> bytes:
        found = [_BUFFER_TIMES.unpack(each) for each in summaries if each]
        if not found:
            return b""
        streams, firsts, numbers = zip(*found, strict=True)
        return _BUFFER_TIMES.pack(max(streams), min(firsts), max(numbers))


def _without_deletions(keys: Sequence[bytes], values: Sequence[bytes | None]) -> RowColumns:
    kept = [value for value in values if value is not None]
    if len(kept) < len(keys):
        keys = [key for key, value in zip(keys, values, strict=True) if value is not None]
    return RowColumns(keys, kept)


def _waiting(key: bytes, *, held: bool) -> bytes:
    time = int.from_bytes(key[1:_TIME_AND_SIDE], "big", signed=True)
    number = int.from_bytes(key[-4:], "big", signed=True)
    return _BUFFER_TIMES.pack(time, time if held else LONG_MAX, number)


UNMATCHED = UnmatchedFormat(PLAIN)
WAITING = WaitingFormat(PLAIN)
LOGGED = LoggedFormat(TIMESTAMPED)
