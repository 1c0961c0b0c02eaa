"""Formats of suppression buffers.

Ours have a row by its time and one by its key for each entry; others what has been logged of them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from millstream.core.buffered_log import FORMAT, from_log, logged
from millstream.core.errors import StreamsException
from millstream.core.state.changelog_format import ChangelogFormat, ChangelogRecord, Row
from millstream.core.state.logged_rows import from_row as from_logged_row
from millstream.stores.buffers.memory import SPILLED
from millstream.stores.buffers.time_ordered import (
    BY_KEY,
    BY_TIME,
    TOTALS,
    TOTALS_FORM,
    by_time,
    from_row,
    place_of,
    row_size,
    to_row,
)
from millstream.stores.changelogs.points import LoggedFormat
from millstream.stores.changelogs.values import TIMESTAMPED, ValueForm

_LONG = struct.Struct(">q")


class SuppressionFormat(ChangelogFormat):
    """Entries of ``suppress``; the summary is their number and size.

    Args:
        window_bytes: How many bytes at the end of each key are those of a window.

    Source: ``internals.InMemoryTimeOrderedKeyValueChangeBuffer``.
    """

    by_wall_clock: ClassVar[bool] = True

    def __init__(self, window_bytes: int = 0) -> None:
        self._window_bytes = window_bytes

    def rows_of(self, record: ChangelogRecord) -> Sequence[Row]:
        if record.value is None:
            return ()
        _check_version(record)
        change = from_log(record.value)
        row = to_row(record.key, *change[1:])
        time = _LONG.pack(change.time)
        return (BY_KEY + record.key, time), (by_time(change.time, record.key), row)

    def record_of(self, key: bytes, value: bytes) -> ChangelogRecord | None:
        if not key.startswith(BY_TIME):
            return None
        time, own = place_of(key)
        return ChangelogRecord(own, logged(from_row(time, value)), None, (FORMAT,))

    def deletion_of(self, key: bytes) -> ChangelogRecord | None:
        # A key whose time has changed has another row by time now.
        return ChangelogRecord(key[len(BY_KEY) :], None) if key.startswith(BY_KEY) else None

    def record_key(self, key: bytes) -> bytes | None:
        if key.startswith(BY_KEY):
            found = key[len(BY_KEY) :]
        elif key.startswith(BY_TIME):
            found = place_of(key)[1]
        else:
            return None
        # A window stays with the records of its key.
        return found[: len(found) - self._window_bytes]

    def summary_of(self, rows: Iterable[tuple[bytes, bytes]]) -> bytes:
        found = list(rows)
        sizes = [row_size(value) for key, value in found if key.startswith(BY_TIME)]
        spilled = any(key == SPILLED for key, _ in found)
        if not sizes and not spilled:
            return b""
        return TOTALS_FORM.pack(len(sizes), sum(sizes)) + (SPILLED if spilled else b"")

    def summary_of_records(self, records: Iterable[ChangelogRecord]) -> bytes:
        rows = (row for record in records for row in self.rows_of(record))
        return self.summary_of((key, value) for key, value in rows if value is not None)

    def merged(self, summaries: Iterable[bytes]) -> bytes:
        found = [each for each in summaries if each]
        if not found:
            return b""
        counts, sizes = zip(*(TOTALS_FORM.unpack_from(each) for each in found), strict=True)
        spilled = any(each.endswith(SPILLED) and len(each) > TOTALS_FORM.size for each in found)
        return TOTALS_FORM.pack(sum(counts), sum(sizes)) + (SPILLED if spilled else b"")

    def summary_rows(self, summary: bytes) -> Sequence[tuple[bytes, bytes]]:
        if not summary:
            return ()
        totals = (TOTALS, summary[: TOTALS_FORM.size])
        return (totals, (SPILLED, b"")) if len(summary) > TOTALS_FORM.size else (totals,)


@dataclass(frozen=True)
class LoggedBufferFormat(LoggedFormat):
    """Buffers of plugins that do not recover: what has been logged of them fills them again."""

    by_wall_clock: ClassVar[bool] = True
    form: ValueForm = TIMESTAMPED
    window_bytes: int = 0
    """How many bytes at the end of each key are those of a window."""

    def rows_of(self, record: ChangelogRecord) -> Sequence[Row]:
        if record.value is not None:
            _check_version(record)
        return super().rows_of(record)

    def record_of(self, key: bytes, value: bytes) -> ChangelogRecord | None:
        return ChangelogRecord(key, from_logged_row(value).value, None, (FORMAT,))

    def record_key(self, key: bytes) -> bytes | None:
        return key[: len(key) - self.window_bytes]


def _check_version(record: ChangelogRecord) -> None:
    """Refuse a record that is not of Kafka's last version."""
    version = dict(record.headers).get(FORMAT[0])
    if version != FORMAT[1]:
        raise _unknown(record.key, version)


def _unknown(key: bytes, version: bytes | None) -> StreamsException:
    found = "has no version" if version is None else f"is of version {version.hex()}"
    return StreamsException(
        "a record of a suppression buffer's changelog cannot be read",
        detail=f"The record of key {key.hex()} {found}; version {FORMAT[1].hex()} can be read.",
        hint="Start the Java application with Kafka Streams 2.5.1 or newer and stop it again.",
    )
