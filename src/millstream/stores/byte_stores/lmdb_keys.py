"""Keys too long for LMDB: they share an entry, a bucket.

LMDB's keys have 1 to 511 bytes. Keys of 511 bytes or more are in a bucket under their first 511
bytes; since no other key has exactly that length, key order is kept and a bucket differs from
an entry. A bucket holds the rest of each key and its value, in order of the rests.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from millstream.core.errors import ProcessorStateException
from millstream.core.store import Entry

PREFIX = 511
_LENGTHS = struct.Struct("<II")


def is_plain(key: bytes) -> bool:
    """Tell whether LMDB takes the key as it is."""
    return 0 < len(key) < PREFIX


def unpack(bucket: bytes) -> dict[bytes, bytes]:
    """Return the rests and values of a bucket, in order.

    Raises:
        ProcessorStateException: The bytes are not those of a bucket.
    """
    found, at = {}, 0
    while at < len(bucket):
        start = at + _LENGTHS.size
        if start > len(bucket):
            raise _damaged(bucket)
        rest_bytes, value_bytes = _LENGTHS.unpack_from(bucket, at)
        at = start + rest_bytes + value_bytes
        found[bucket[start : start + rest_bytes]] = bucket[start + rest_bytes : at]
    if at != len(bucket):
        raise _damaged(bucket)
    return found


def _damaged(bucket: bytes) -> ProcessorStateException:
    return ProcessorStateException(
        "an entry of long keys in an LMDB store is damaged",
        detail=f"Its {len(bucket)} bytes do not fit together.",
        hint="Delete the local state: it is rebuilt from the checkpoint.",
    )


def changed_buckets(
    get: Callable[[bytes], bytes | None], changes: Mapping[bytes, bytes | None]
) -> dict[bytes, bytes | None]:
    """Return the buckets as they are after changes to long keys; None for one that is empty."""
    buckets: dict[bytes, dict[bytes, bytes]] = {}
    for key, value in changes.items():
        prefix, rest = key[:PREFIX], key[PREFIX:]
        if prefix not in buckets:
            buckets[prefix] = unpack(get(prefix) or b"")
        if value is None:
            buckets[prefix].pop(rest, None)
        else:
            buckets[prefix][rest] = value
    return {prefix: _pack(entries) if entries else None for prefix, entries in buckets.items()}


def expanded(
    entries: Iterator[Entry], lower: bytes | None, upper: bytes | None, reverse: bool
) -> Iterator[Entry]:
    """Yield entries with what buckets hold in their place; bounds are applied to that."""
    for key, value in entries:
        if len(key) < PREFIX:
            yield key, value
            continue
        held = unpack(value)
        for rest in reversed(held) if reverse else held:
            whole = key + rest
            if (lower is None or lower <= whole) and (upper is None or whole < upper):
                yield whole, held[rest]


def drop_range(writer: Any, data: Any, lower: bytes, upper: bytes) -> None:
    """Delete every key with ``lower <= key < upper``."""
    cursor = writer.cursor(data)
    if not lower and cursor.last() and cursor.key() < upper and len(cursor.key()) < PREFIX:
        cursor.close()
        writer.drop(data, delete=False)
        return
    found = cursor.set_range(lower[:PREFIX]) if lower else cursor.first()
    while found and (key := cursor.key()) < upper:
        if len(key) < PREFIX:
            found = cursor.delete()
            continue
        held = unpack(cursor.value())
        kept = {rest: each for rest, each in held.items() if not lower <= key + rest < upper}
        if kept:
            cursor.put(key, _pack(kept))
            found = cursor.next()
        else:
            found = cursor.delete()


def _pack(entries: Mapping[bytes, bytes]) -> bytes:
    parts = []
    for rest, value in sorted(entries.items()):
        parts += [_LENGTHS.pack(len(rest), len(value)), rest, value]
    return b"".join(parts)
