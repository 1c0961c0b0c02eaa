"""Ranges of keys of a versioned store, merged from its segments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from itertools import groupby
from operator import itemgetter

from millstream.core.store import Entry
from millstream.stores.key_value.store import next_prefix
from millstream.stores.versioned.rows import Found, Latest, latest_of

KeyHistory = tuple[bytes, list[Found]]
"""A key and those of its versions that were asked for, newest first."""
Part = tuple[bytes, int, bytes]
"""Key, source index (0: the latest versions), data."""

_key: Callable[[Part], bytes] = itemgetter(0)


def merged_by_key(
    scan: Callable[..., Iterator[Entry]],
    prefixes: Sequence[bytes],
    lower: bytes | None,
    upper: bytes | None,
    *,
    reverse: bool,
) -> Iterator[tuple[bytes, Latest | None, list[bytes]]]:
    """Yield keys with ``lower <= key < upper``, in order, with their latest version and rows.

    The first prefix is that of the latest versions; the others are segments, newest first. All
    are read side by side, so that no more than one key's versions are in memory.
    """
    sources = (
        _entries(scan, number, prefix, lower, upper, reverse=reverse)
        for number, prefix in enumerate(prefixes)
    )
    for key, parts in groupby(merge(*sources, key=_key, reverse=reverse), _key):
        latest: Latest | None = None
        rows = []
        for _, source, data in parts:
            if source:
                rows.append(data)
            else:
                latest = latest_of(data)
        yield key, latest, rows


def _entries(
    scan: Callable[..., Iterator[Entry]],
    number: int,
    prefix: bytes,
    lower: bytes | None,
    upper: bytes | None,
    *,
    reverse: bool,
) -> Iterator[Part]:
    end = next_prefix(prefix) if upper is None else prefix + upper
    length = len(prefix)
    for key, data in scan(prefix + (lower or b""), end, reverse=reverse):
        yield key[length:], number, data
