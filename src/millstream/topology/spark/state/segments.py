"""Format of a changelog segment: the changes of a batch, or a slice of a store.

    segment = version u8 | codec u8 | raw length u32 | crc32 u32 | payload
    payload = parent id 16 | id 16 | sections, compressed
    section = kind u8 | name | dropped ranges | keys | values

Numbers are little endian. A column is its count, the lengths and the bytes joined; the length of a
deleted value is -1. Segments outlive batches and versions of this package: change nothing here
without a new version byte.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from millstream.core.errors import ProcessorStateException
from millstream.core.store import Range
from millstream.core.working_copy import Changes

VERSION = 1
SEGMENT_BYTES = 256 * 1024
"""Raw size at which a segment is cut; state calls are fastest around 100 kB compressed."""

ID_BYTES = 16
CHANGES, SLICE = 0, 1

_ENVELOPE = struct.Struct("<BBII")
_U32 = struct.Struct("<I")
_PLAIN, _LZ4 = 0, 1
_CODEC = "lz4_raw"
_WORTH_COMPRESSING = 128
_MOST_TIMES = 255
"""LZ4 makes nothing smaller than this part of it."""
_BROKEN = (struct.error, ValueError, IndexError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Entries of one store: changes of a batch, or a slice of the store."""

    store: str
    kind: int
    keys: Sequence[bytes]
    values: Sequence[bytes | None]
    dropped: tuple[Range, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A decoded segment, with the id of its version and of the parent version."""

    parent: bytes
    id: bytes
    sections: tuple[Section, ...]


def changes_section(store: str, changes: Changes) -> Section:
    """Return the section of a batch's changes of one store."""
    entries = changes.entries
    return Section(
        store=store,
        kind=CHANGES,
        keys=list(entries),
        values=list(entries.values()),
        dropped=changes.dropped,
    )


def encode_segments(parent: bytes, id_: bytes, sections: Iterable[Section]) -> list[bytes]:
    """Return the segments of one batch, each cut to about ``SEGMENT_BYTES`` before compression."""
    segments, current, size = [], [parent + id_], 0
    for section in sections:
        for piece in _cut(section):
            parts = _encode_section(piece)
            length = sum(map(len, parts))
            if size and size + length > SEGMENT_BYTES:
                segments.append(_seal(b"".join(current)))
                current, size = [parent + id_], 0
            current += parts
            size += length
    if size:
        segments.append(_seal(b"".join(current)))
    return segments


def decode_segment(blob: bytes, where: str) -> Segment:
    """Return the segment that ``encode_segments`` wrote.

    Args:
        blob: The segment.
        where: Name of the segment, for errors.

    Raises:
        ProcessorStateException: The bytes are damaged, or of a version this package cannot read.
    """
    raw = _open(bytes(blob), where)
    sections, at = [], 2 * ID_BYTES
    try:
        if len(raw) < at:
            raise ValueError(f"only {len(raw)} bytes")
        while at < len(raw):
            section, at = _decode_section(raw, at)
            sections.append(section)
    except _BROKEN as error:
        raise damaged(where, f"Its section at byte {at} cannot be read: {error}.") from error
    return Segment(parent=raw[:ID_BYTES], id=raw[ID_BYTES : 2 * ID_BYTES], sections=tuple(sections))


def check_segment(blob: bytes, where: str) -> None:
    """Check a segment's version and checksum.

    Raises:
        ProcessorStateException: The bytes are damaged, or of a version this package cannot read.
    """
    _checked(blob, where)


def damaged(where: str, detail: str) -> ProcessorStateException:
    """Return the error for damaged state."""
    return ProcessorStateException(
        f"cannot read {where} of the checkpoint",
        detail=detail,
        hint="Restore the checkpoint from a copy; or delete it, and start once with "
        "millstream.checkpoint.adopt=true: with empty stores, from the committed offsets of the "
        "group.",
    )


def _seal(raw: bytes) -> bytes:
    payload, codec = raw, _PLAIN
    if len(raw) > _WORTH_COMPRESSING:
        payload, codec = pa.compress(raw, codec=_CODEC, asbytes=True), _LZ4
    head = _ENVELOPE.pack(VERSION, codec, len(raw), 0)
    return _ENVELOPE.pack(VERSION, codec, len(raw), zlib.crc32(payload, zlib.crc32(head))) + payload


def _checked(blob: bytes, where: str) -> tuple[int, int, bytes]:
    """Return codec, raw length and payload."""
    if len(blob) < _ENVELOPE.size:
        raise damaged(where, f"It has only {len(blob)} bytes.")
    version, codec, length, checksum = _ENVELOPE.unpack_from(blob)
    if version != VERSION:
        raise damaged(where, f"Its format has version {version}; this package reads {VERSION}.")
    payload = blob[_ENVELOPE.size :]
    head = _ENVELOPE.pack(version, codec, length, 0)
    if zlib.crc32(payload, zlib.crc32(head)) != checksum:
        raise damaged(where, "Its checksum does not fit its bytes.")
    return codec, length, payload


def _open(blob: bytes, where: str) -> bytes:
    codec, length, payload = _checked(blob, where)
    if codec == _PLAIN and length == len(payload):
        return payload
    if codec != _LZ4 or length > _MOST_TIMES * len(payload):
        raise damaged(where, f"Codec {codec} cannot make {length} of {len(payload)} bytes.")
    try:
        raw: bytes = pa.decompress(payload, length, codec=_CODEC, asbytes=True)
    except (pa.ArrowException, OSError) as error:
        raise damaged(where, f"{error}.") from error
    return raw


def _cut(section: Section) -> Iterator[Section]:
    keys, values = section.keys, section.values
    sizes = _lengths(keys) + np.maximum(_lengths(values), 0) + 8
    pieces = np.cumsum(sizes, dtype=np.int64) // SEGMENT_BYTES
    cuts = [0, *(np.nonzero(np.diff(pieces))[0] + 1).tolist(), len(keys)]
    if len(cuts) == 2:
        yield section
        return
    for number, (start, stop) in enumerate(pairwise(cuts)):
        yield Section(
            store=section.store,
            kind=section.kind,
            keys=keys[start:stop],
            values=values[start:stop],
            dropped=() if number else section.dropped,
        )


def _encode_section(section: Section) -> list[bytes]:
    name = section.store.encode()
    parts = [bytes([section.kind]), _U32.pack(len(name)), name, _U32.pack(len(section.dropped))]
    for bounds in section.dropped:
        for bound in bounds:
            parts += [_U32.pack(len(bound)), bound]
    parts += _encode_column(section.keys)
    return parts + _encode_column(section.values)


def _encode_column(column: Sequence[bytes | None]) -> list[bytes]:
    lengths = _lengths(column)
    present = [entry for entry in column if entry is not None] if (lengths < 0).any() else column
    data = b"".join(present)  # type: ignore[arg-type]
    return [_U32.pack(len(column)), lengths.tobytes(), _U32.pack(len(data)), data]


def _lengths(column: Sequence[bytes | None]) -> Any:
    try:
        return np.fromiter(map(len, column), "<i4", len(column))  # type: ignore[arg-type]
    except TypeError:
        sizes = (-1 if entry is None else len(entry) for entry in column)
        return np.fromiter(sizes, "<i4", len(column))


def _decode_section(raw: bytes, at: int) -> tuple[Section, int]:
    kind = raw[at]
    name, at = _decode_bytes(raw, at + 1)
    (count,), at = _U32.unpack_from(raw, at), at + 4
    dropped = []
    for _ in range(count):
        lower, at = _decode_bytes(raw, at)
        upper, at = _decode_bytes(raw, at)
        dropped.append((lower, upper))
    keys, at = _decode_column(raw, at)
    values, at = _decode_column(raw, at)
    if len(keys) != len(values) or None in keys:
        raise ValueError(f"{len(keys)} keys and {len(values)} values")
    return Section(
        store=name.decode(), kind=kind, keys=keys, values=values, dropped=tuple(dropped)
    ), at


def _decode_bytes(raw: bytes, at: int) -> tuple[bytes, int]:
    (length,) = _U32.unpack_from(raw, at)
    stop = at + 4 + length
    if stop > len(raw):
        raise ValueError(f"{length} bytes at byte {at} of {len(raw)}")
    return raw[at + 4 : stop], stop


def _decode_column(raw: bytes, at: int) -> tuple[list[Any], int]:
    (count,) = _U32.unpack_from(raw, at)
    lengths = np.frombuffer(raw, "<i4", count, at + 4)
    data, at = _decode_bytes(raw, at + 4 + 4 * count)
    absent = lengths < 0
    stops = np.cumsum(np.where(absent, 0, lengths), dtype=np.int64).tolist()
    if len(data) != (stops[-1] if stops else 0):
        raise ValueError(f"{len(data)} bytes for {count} entries")
    column: list[Any] = [data[start:stop] for start, stop in zip([0, *stops], stops, strict=False)]
    for index in np.nonzero(absent)[0].tolist():
        column[index] = None
    return column, at
