"""Dictionary with range reads in key order; sorted at the first range read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import filterfalse
from typing import Generic, TypeVar
from weakref import ref

from sortedcontainers import SortedList
from typing_extensions import Self

V = TypeVar("V")


class MapSnapshot(Generic[V]):
    """Entries of a map as they were when it was made, however much of them is read.

    They are read from the map itself until it is written to: then those that are left are copied.
    """

    __slots__ = ("__weakref__", "_copied", "_keys", "_values")

    def __init__(self, keys: Iterator[bytes], values: dict[bytes, V]) -> None:
        self._keys = keys
        self._values = values
        self._copied: Iterator[tuple[bytes, V]] | None = None

    @property
    def is_current(self) -> bool:
        """Whether the map has not been written to since."""
        return self._copied is None

    def copy(self) -> None:
        """Copy what is left, before the map is written to."""
        values = self._values
        self._copied = iter([(key, values[key]) for key in self._keys])

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[bytes, V]:
        if self._copied is not None:
            return next(self._copied)
        key = next(self._keys)
        return key, self._values[key]


class SortedMap(Generic[V]):
    """A map from bytes to values: point reads as fast as a dict's, and ordered range reads.

    The next range read merges new keys into the order. A map without range reads is never sorted.
    Removed keys stay in the order and are filtered from reads: to remove each would be slow.
    """

    __slots__ = ("_gone", "_new", "_order", "_snapshots", "values")

    def __init__(self) -> None:
        self.values: dict[bytes, V] = {}
        """The entries; readers may use it directly, writers go through ``set`` and ``pop``."""
        self._order: SortedList | None = None
        self._new: list[bytes] = []
        self._gone: set[bytes] = set()
        self._snapshots: list[ref[MapSnapshot[V]]] = []
        """Those that may still be read."""

    def set(self, key: bytes, value: V) -> None:
        """Set the value of ``key``."""
        if self._snapshots:
            self._copy_snapshots()
        if self._order is not None and key not in self.values:
            if key in self._gone:
                self._gone.discard(key)
            else:
                self._new.append(key)
        self.values[key] = value

    def update(self, entries: Mapping[bytes, V]) -> None:
        """Set many values."""
        if self._snapshots:
            self._copy_snapshots()
        if self._order is not None:
            values = self.values
            # A difference of the two key views would iterate over all of this map's keys.
            added = [key for key in entries if key not in values]
            if self._gone:
                self._new.extend(filterfalse(self._gone.__contains__, added))
                self._gone.difference_update(added)
            else:
                self._new.extend(added)
        self.values.update(entries)

    def pop(self, key: bytes) -> None:
        """Remove ``key`` if it is there."""
        if self._snapshots:
            self._copy_snapshots()
        if key in self.values:
            del self.values[key]
            if self._order is not None:
                self._gone.add(key)

    def clear(self) -> None:
        """Remove everything."""
        if self._snapshots:
            self._copy_snapshots()
        self.values = {}
        self._order = None
        self._new = []
        self._gone = set()

    def keys(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[bytes]:
        """Yield the keys with ``lower <= key < upper`` in order.

        The map must not change meanwhile.
        """
        if self._order is None or len(self._gone) > len(self.values):
            self._order = SortedList(self.values)
            self._new = []
            self._gone = set()
        elif self._new:
            self._order.update(self._new)
            self._new = []
        found: Iterator[bytes] = self._order.irange(
            lower, upper, inclusive=(True, False), reverse=reverse
        )
        return filterfalse(self._gone.__contains__, found) if self._gone else found

    def snapshot(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> MapSnapshot[V]:
        """Return what ``keys`` returns, with values; the map may change meanwhile."""
        found = MapSnapshot(self.keys(lower, upper, reverse=reverse), self.values)
        self._snapshots = [each for each in self._snapshots if each() is not None]
        self._snapshots.append(ref(found))
        return found

    def _copy_snapshots(self) -> None:
        for each in self._snapshots:
            snapshot = each()
            if snapshot is not None:
                snapshot.copy()
        self._snapshots = []

    def __len__(self) -> int:
        return len(self.values)
