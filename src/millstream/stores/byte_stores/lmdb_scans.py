"""Scans of an LMDB file: the positions of a cursor, and an iterator that its store can end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import lmdb

from millstream.core.store import Entry
from millstream.stores.byte_stores.lmdb_keys import PREFIX


class Scan(Iterator[Entry]):
    """Scan that its store can end, or read to its end in advance."""

    def __init__(self, entries: Iterator[Entry], trouble: Callable[..., Exception]) -> None:
        self._entries = entries
        self._trouble = trouble
        # The reader's loop calls the entries' own method.
        self._next = entries.__next__

    def __next__(self) -> Entry:
        try:
            return self._next()
        except lmdb.Error as error:
            raise self._trouble("read", error) from error

    def drain(self) -> None:
        """Read to the end now; the scan goes on with what was found."""
        self._replace(list(self))

    def close(self) -> None:
        """End the scan."""
        self._replace([])

    def _replace(self, entries: list[Entry]) -> None:
        self._entries = iter(entries)
        self._next = self._entries.__next__


def upwards(cursor: Any, lower: bytes | None, upper: bytes | None) -> Iterator[Entry]:
    """Yield entries from ``lower`` to ``upper``; the first may be a bucket with lower keys."""
    # A bucket's key is a prefix of the keys in it.
    found = cursor.set_range(lower[:PREFIX]) if lower else cursor.first()
    if not found:
        return iter(())
    entries: Iterator[Entry] = cursor.iternext()
    return entries if upper is None else _below(entries, upper)


def downwards(cursor: Any, lower: bytes | None, upper: bytes | None) -> Iterator[Entry]:
    """Yield entries from ``upper`` down to ``lower``; the outer ones may be buckets with more."""
    if upper is None:
        found = cursor.last()
    elif not upper:
        found = False
    elif cursor.set_range(upper[:PREFIX]):
        in_bucket = len(upper) > PREFIX and cursor.key() == upper[:PREFIX]
        found = in_bucket or cursor.prev()
    else:
        found = cursor.last()
    if not found:
        return iter(())
    entries: Iterator[Entry] = cursor.iterprev()
    return entries if not lower else _from(entries, lower[:PREFIX])


def _below(entries: Iterator[Entry], upper: bytes) -> Iterator[Entry]:
    for entry in entries:
        if entry[0] >= upper:
            return
        yield entry


def _from(entries: Iterator[Entry], lower: bytes) -> Iterator[Entry]:
    for entry in entries:
        if entry[0] < lower:
            return
        yield entry


def with_empty(entries: Iterator[Entry], value: bytes, reverse: bool) -> Iterator[Entry]:
    """Yield the entry of the empty key in its place."""
    if not reverse:
        yield b"", value
    yield from entries
    if reverse:
        yield b"", value
