"""Keys of a cache by a part that many share: the windows of one key, or those of one time."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from sortedcontainers import SortedDict

PartOf = Callable[[bytes], bytes]


class CachedRows:
    """The keys of a cache in rows of those that have a part in common.

    An ordered range of all keys would cost a search, and an insertion for every new key, in all of
    them. A row has few, and what is new mostly comes last.

    Args:
        part_of: Returns what a row's keys have in common.
        keys: What the cache has now.
    """

    def __init__(self, part_of: PartOf, keys: Iterable[bytes]) -> None:
        self._part_of = part_of
        self._rows: dict[bytes, list[bytes]] = {}
        self._lengths: set[int] = set()
        self._zeros = False
        for key in keys:
            self.add(key)

    def add(self, key: bytes) -> None:
        """Add a key that is new."""
        part = self._part_of(key)
        row = self._rows.get(part)
        if row is None:
            self._rows[part] = [key]
            self._lengths.add(len(part))
            self._zeros = self._zeros or 0 in part
        elif key > row[-1]:
            row.append(key)
        else:
            insort(row, key)

    def discard(self, key: bytes) -> None:
        """Remove a key that is there."""
        part = self._part_of(key)
        row = self._rows[part]
        if len(row) == 1:
            del self._rows[part]
        else:
            # What has been used least is mostly the first.
            del row[0 if row[0] == key else bisect_left(row, key)]

    def of(self, part: bytes) -> list[bytes]:
        """Return the keys of a row, in order; it changes with the cache."""
        return self._rows.get(part) or []

    @property
    def apart(self) -> bool:
        """Whether no key of another row can lie between two of one row.

        That is so if what follows the part in a key begins with a zero byte: then one part would
        have to be another one with a zero byte and more behind it.
        """
        return not self._zeros or len(self._lengths) == 1


class CachedTimes:
    """The keys of a cache by the time that is in them.

    What emission on close reads are the windows of few times, of all keys: a range of keys would
    have those of a whole segment, at each emission.

    Args:
        time_at: Where a key has its time, as bytes that sort as times do.
        keys: What the cache has now.
    """

    def __init__(self, time_at: slice, keys: Iterable[bytes]) -> None:
        self._time_at = time_at
        self._keys: Any = SortedDict()
        for key in keys:
            self.add(key)

    def add(self, key: bytes) -> None:
        """Add a key that is new."""
        time = key[self._time_at]
        if time in self._keys:
            self._keys[time].add(key)
        else:
            self._keys[time] = {key}

    def discard(self, key: bytes) -> None:
        """Remove a key that is there."""
        time = key[self._time_at]
        keys = self._keys[time]
        keys.discard(key)
        if not keys:
            del self._keys[time]

    def between(self, first: bytes, last: bytes) -> list[bytes]:
        """Return the keys of the times between two, both inclusive, in the order of keys."""
        times = self._keys.irange(first, last)
        return sorted(chain.from_iterable(self._keys[time] for time in times))
