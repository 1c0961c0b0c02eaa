"""Rows of stores, by type, and the parts that they are made of."""

from __future__ import annotations

import struct
from collections.abc import Callable

from compat_tests.fuzz.decoder import Decoder, Maker
from millstream.core.buffered_log import from_log, logged
from millstream.core.buffers import BufferedChange
from millstream.core.headers import Headers
from millstream.core.record_bytes import sized
from millstream.core.record_context import RecordContext
from millstream.core.serdes.header_bytes import headers_prefix, split_headers
from millstream.core.serdes.varint import read_varint, varint
from millstream.core.state.changelog_format import ChangelogRecord
from millstream.stores.buffers.time_ordered import from_row, place_of, row_size, to_row
from millstream.stores.byte_stores.lmdb_keys import unpack as unpack_bucket
from millstream.stores.changelogs.formats import format_of
from millstream.stores.versioned.rows import Row, versions_between
from millstream.topology.operators.time_buffer import _read as read_waiting
from millstream.topology.spark.checkpoint.store_notes import StoreNote

BETWEEN = b"|||"
"""Stands between key and value of a sample."""
_LONG = struct.Struct(">q")
HEADERS = Headers().add("trace", b"1").add("none", None)
CONTEXT = RecordContext("in", 3, 12, 1_000, HEADERS)
CHANGE = BufferedChange(1_000, b"prior", b"old", b"new", CONTEXT)
SAME = BufferedChange(1_000, b"old", b"old", None, RecordContext("in", 0, 0, 0, None))

NOTES = {
    "key-value": StoreNote(type="key-value", values="timestamped"),
    "plain": StoreNote(type="key-value", values="plain"),
    "headers": StoreNote(type="key-value", values="headers"),
    "subscriptions": StoreNote(
        type="key-value", values="timestamped", layout={"subscriptions": True}
    ),
    "windowed-keys": StoreNote(
        type="key-value", values="timestamped", serdes={"key": "TimeWindowed(String)"}
    ),
    "window": StoreNote(
        type="window",
        values="timestamped",
        layout={"segment interval": 60_000, "order by time": True},
        sizes={"window": 5_000},
    ),
    "session": StoreNote(type="session", values="headers", layout={"segment interval": 60_000}),
    "versioned": StoreNote(type="versioned", layout={"segment interval": 60_000}),
    "suppression": StoreNote(type="suppression buffer", serdes={"key": "TimeWindowed(String)"}),
    "unmatched": StoreNote(type="unmatched records"),
    "waiting": StoreNote(type="waiting records"),
    "own": StoreNote(type="own"),
}


def noted(name: str) -> StoreNote:
    """Return the note of a store by its name here."""
    return NOTES[name]


def records_of(name: str) -> list[ChangelogRecord]:
    """Return records of a store's changelog topic."""
    window = b"k" + _LONG.pack(5_000) + bytes(4)
    session = b"k" + _LONG.pack(9_000) + _LONG.pack(5_000)
    prefix = headers_prefix(HEADERS)
    del prefix
    waiting = b"\0" + _LONG.pack(5_000) + b"k" + bytes(4)
    buffered = [("v", b"\3")]
    found = {
        "key-value": [ChangelogRecord(b"k", b"value", 12)],
        "plain": [ChangelogRecord(b"k", b"value", 12)],
        "headers": [ChangelogRecord(b"k", b"value", 12, [("h", b"1"), ("n", None)])],
        "subscriptions": [ChangelogRecord(struct.pack(">i", 2) + b"fkpk", b"value", 12)],
        "windowed-keys": [ChangelogRecord(b"k" + _LONG.pack(5_000), b"value", 12)],
        "window": [ChangelogRecord(window, b"value", 5_001)],
        "session": [ChangelogRecord(session, b"value", 9_000, [("h", b"1")])],
        "versioned": [
            ChangelogRecord(b"k", b"one", 10),
            ChangelogRecord(b"k", None, 20),
            ChangelogRecord(b"k", b"three", 70_000),
        ],
        "suppression": [
            ChangelogRecord(b"k" + _LONG.pack(0), logged(CHANGE), None, buffered),
            ChangelogRecord(b"l" + _LONG.pack(0), logged(SAME), None, buffered),
        ],
        "unmatched": [
            ChangelogRecord(
                _LONG.pack(12) + b"\1" + b"k", struct.pack(">bii", 1, 1, 3) + b"\1ab", 12
            )
        ],
        "waiting": [ChangelogRecord(waiting, waiting_value() + bytes(8), 12)],
        "own": [ChangelogRecord(b"k", b"value", 12)],
    }
    return found[name]


def waiting_value() -> bytes:
    """Return the value of a record that waits for a table."""
    from millstream.core.record_bytes import ABSENT, context_bytes

    return context_bytes(CONTEXT) + ABSENT + ABSENT + sized(b"value")


def _rows(name: str) -> Callable[[], list[tuple[bytes, bytes]]]:
    return lambda: list(format_of("sums", NOTES[name]).replayed(records_of(name)))


ROWS: dict[str, Callable[[], list[tuple[bytes, bytes]]]] = {name: _rows(name) for name in NOTES}
"""Name -> rows of a store."""


def version_rows() -> list[bytes]:
    """Return rows of old versions."""
    row = Row(50, [(40, b"four"), (30, None), (10, b"one")])
    return [row.to_bytes(), Row(5, []).to_bytes(), Row(50, [(40, None)]).to_bytes()]


def _versions(data: bytes) -> object:
    return versions_between((b"x", 60), [data], 0, None)


def _buckets() -> Decoder:
    sample = b"".join(
        struct.pack("<II", len(rest), len(value)) + rest + value
        for rest, value in ((b"a", b"1"), (b"", b""), (b"bc", b"long value"))
    )
    return Decoder([sample], unpack_bucket)


def _buffered(data: bytes) -> object:
    return from_row(1_000, data), row_size(data)


DECODERS: dict[str, Maker] = {
    "varint": lambda: Decoder([varint(n) for n in (0, -1, 300, (1 << 31) - 1)], read_varint),
    "headers": lambda: Decoder(
        [headers_prefix(HEADERS) + b"value", headers_prefix(None) + b"v"], split_headers
    ),
    "row-of-versions": lambda: Decoder(version_rows(), _versions),
    "row-of-suppress": lambda: Decoder(
        [to_row(b"k", b"prior", b"old", b"new", CONTEXT), to_row(b"k", None, None, None, CONTEXT)],
        _buffered,
    ),
    "place-of-suppress": lambda: Decoder([b"\2" + _LONG.pack(5) + b"key"], place_of),
    "log-of-suppress": lambda: Decoder([logged(CHANGE), logged(SAME)], from_log),
    "row-of-waiting": lambda: Decoder([waiting_value()], read_waiting),
    "bucket-of-lmdb": _buckets,
}
