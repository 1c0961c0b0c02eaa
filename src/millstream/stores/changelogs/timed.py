"""Formats of window and session stores: a row's key is the record's key after its segment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from millstream.core.state.changelog_format import (
    ChangelogColumns,
    ChangelogFormat,
    ChangelogRecord,
    Row,
    RowColumns,
)
from millstream.stores.changelogs.values import ValueForm
from millstream.stores.time_keys import INDEX, META_KEY, TimedKeys

_SEGMENT = 8


class TimedFormat(ChangelogFormat):
    """Sessions, and the base of windows; the summary is the latest time, which decides expiry.

    Args:
        form: What the values carry.
        keys: The layout of keys.
        indexed: Whether there is a second order of rows, by time.
    """

    def __init__(self, form: ValueForm, keys: TimedKeys, *, indexed: bool) -> None:
        self._form = form
        self._keys = keys
        self._indexed = indexed
        self._time_at = keys.time_at

    def rows_of(self, record: ChangelogRecord) -> Sequence[Row]:
        value, time = self._form.stored(record), record.key[self._time_at]
        # A time before 1970 has no place in these keys.
        if value is None or time >= INDEX:
            return ()
        key = self._keys.segment(int.from_bytes(time, "big")) + record.key
        if not self._indexed:
            return ((key, value),)
        return (key, value), (self._keys.index_key(key), b"")

    def read(self, columns: ChangelogColumns) -> RowColumns:
        times = [key[self._time_at] for key in columns.keys]
        stored = self._form.stored_columns(columns)
        segments = {time: self._keys.segment(int.from_bytes(time, "big")) for time in {*times}}
        rows = [
            (segments[time] + key, value)
            for time, key, value in zip(times, columns.keys, stored, strict=True)
            if value is not None and time < INDEX
        ]
        keys, values = [key for key, _ in rows], [value for _, value in rows]
        if self._indexed:
            keys += [self._keys.index_key(key) for key in keys]
            values += [b""] * len(rows)
        noted = (
            self._noted(key) for time, key in zip(times, columns.keys, strict=True) if time < INDEX
        )
        return RowColumns(keys, values, self.merged(noted))

    def record_of(self, key: bytes, value: bytes) -> ChangelogRecord | None:
        if key >= INDEX:
            return None
        # The topics of windows have a retention time, which counts from records' times.
        time = int.from_bytes(key[self._time_at], "big")
        return self._form.record(key[_SEGMENT:], value, time)

    def deletion_of(self, key: bytes) -> ChangelogRecord | None:
        if key >= INDEX:
            return None
        time = int.from_bytes(key[self._time_at], "big")
        return ChangelogRecord(key[_SEGMENT:], None, time)

    def columns(self, rows: Mapping[bytes, bytes | None]) -> ChangelogColumns:
        if self._form.headers:
            return super().columns(rows)
        keys = [key for key in rows if key < INDEX]
        values, times = self._form.columns([rows[key] for key in keys])
        at, number = self._time_at, int.from_bytes
        return ChangelogColumns(
            [key[_SEGMENT:] for key in keys],
            values,
            [
                number(key[at], "big") if time is None else time
                for key, time in zip(keys, times, strict=True)
            ],
        )

    def record_key(self, key: bytes) -> bytes | None:
        if key == META_KEY:
            return None
        return self._keys.key_of(self._keys.indexed_key(key) if key >= INDEX else key)

    def summary_of(self, rows: Iterable[tuple[bytes, bytes]]) -> bytes:
        found = (
            value if key == META_KEY else self._noted(key)
            for key, value in rows
            if key < INDEX or key == META_KEY
        )
        return self.merged(found)

    def summary_of_records(self, records: Iterable[ChangelogRecord]) -> bytes:
        keys = (record.key for record in records)
        return self.merged(self._noted(key) for key in keys if key[self._time_at] < INDEX)

    def merged(self, summaries: Iterable[bytes]) -> bytes:
        return max(summaries, default=b"")

    def summary_rows(self, summary: bytes) -> Sequence[tuple[bytes, bytes]]:
        return ((META_KEY, summary),) if summary else ()

    def _noted(self, key: bytes) -> bytes:
        """Return the summary of one entry, by the key of its row or of its record."""
        return key[self._time_at]


class WindowFormat(TimedFormat):
    """Windows; the summary also has the largest number that tells duplicates apart."""

    def merged(self, summaries: Iterable[bytes]) -> bytes:
        found = [each for each in summaries if each]
        if not found:
            return b""
        return max(each[:8] for each in found) + max(each[8:] for each in found)

    def _noted(self, key: bytes) -> bytes:
        return key[-12:]
