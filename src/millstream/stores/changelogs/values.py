"""Forms of stored values, taken apart into what a changelog record has and put together again."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from millstream.core.headers import Headers, header_pairs, headers_from_pairs
from millstream.core.serdes.header_bytes import headers_prefix, split_headers
from millstream.core.state.changelog_format import ChangelogColumns, ChangelogRecord, Header

_NO_HEADERS = headers_prefix(None)
_TIME = struct.Struct(">q")


@dataclass(frozen=True, slots=True)
class ValueForm:
    """What the bytes of a value carry besides the value."""

    time: bool
    headers: bool

    def stored(self, record: ChangelogRecord) -> bytes | None:
        """Return the stored bytes of a record's value."""
        value = record.value
        if value is None:
            return None
        if self.time:
            time = -1 if record.timestamp is None else record.timestamp
            value = time.to_bytes(8, "big", signed=True) + value
        return _prefix(record.headers) + value if self.headers else value

    def columns(
        self, stored: Sequence[bytes | None]
    ) -> tuple[Sequence[bytes | None], Sequence[int | None]]:
        """Return values and times of stored values that have no headers."""
        if not self.time:
            return stored, [None] * len(stored)
        values = [None if each is None else each[8:] for each in stored]
        number = int.from_bytes
        times = [None if each is None else number(each[:8], "big", signed=True) for each in stored]
        return values, [None if time is None else max(0, time) for time in times]

    def stored_columns(self, columns: ChangelogColumns) -> list[bytes | None]:
        """Return the stored bytes of many records' values."""
        values = list(columns.values)
        if self.time:
            times = [_TIME.pack(-1 if time is None else time) for time in columns.timestamps]
            given = zip(times, values, strict=True)
            values = [None if value is None else time + value for time, value in given]
        if not self.headers:
            return values
        if columns.headers is None:
            return [None if v is None else _NO_HEADERS + v for v in values]
        prefixes = map(_prefix, columns.headers)
        return [None if v is None else p + v for p, v in zip(prefixes, values, strict=True)]

    def record(self, key: bytes, stored: bytes, otherwise: int | None) -> ChangelogRecord:
        """Return the record of a stored value; ``otherwise`` is its time if none is stored."""
        headers: Headers | None = None
        start = 0
        if self.headers:
            headers, start = split_headers(stored)
        if not self.time:
            return ChangelogRecord(key, stored[start:], otherwise, header_pairs(headers))
        time = int.from_bytes(stored[start : start + 8], "big", signed=True)
        # What was kept without its time reads as -1, which no record of a topic can have.
        return ChangelogRecord(key, stored[start + 8 :], max(0, time), header_pairs(headers))


PLAIN = ValueForm(time=False, headers=False)
TIMESTAMPED = ValueForm(time=True, headers=False)
WITH_HEADERS = ValueForm(time=True, headers=True)
AGGREGATE_WITH_HEADERS = ValueForm(time=False, headers=True)

FORMS = {"plain": PLAIN, "timestamped": TIMESTAMPED, "headers": WITH_HEADERS}
SESSION_FORMS = {"plain": PLAIN, "timestamped": PLAIN, "headers": AGGREGATE_WITH_HEADERS}


def _prefix(headers: Sequence[Header]) -> bytes:
    return headers_prefix(headers_from_pairs(headers)) if headers else _NO_HEADERS
