"""Dictionary with range reads in key order; sorted at the first range read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import filterfalse
from typing import Any, Generic, TypeVar
from weakref import ref

from sortedcontainers import SortedList
from typing_extensions import Self

V = TypeVar("V")

_ABSENT: Any = object()


class MapSnapshot(Generic[V]):
    """Entries of a map as they were when it was made, however much of them is read.

    They are read from the map itself, which says before a write what is about to change.
    """

    __slots__ = (
        "__weakref__",
        "_before",
        "_bounds",
        "_keys",
        "_last",
        "_order",
        "_reverse",
        "_values",
        "is_current",
    )

    def __init__(
        self,
        order: SortedList,
        values: dict[bytes, V],
        bounds: tuple[bytes | None, bytes | None],
        reverse: bool,
    ) -> None:
        self.is_current = True
        """Whether the map has not been written to since."""
        self._order = order
        self._values = values
        self._bounds = bounds
        self._reverse = reverse
        self._before: dict[bytes, Any] = {}
        self._last: bytes | None = None
        self.seek(order)

    def note(self, key: bytes) -> None:
        """Keep the value of a key that is about to be written to."""
        self.is_current = False
        if key not in self._before:
            self._before[key] = self._values.get(key, _ABSENT)

    def seek(self, order: SortedList) -> None:
        """Go on after the last key, if ``order`` is the one that is read: it has got more keys."""
        if order is not self._order:
            return
        (lower, upper), last, inclusive = self._bounds, self._last, (True, False)
        if last is not None:
            inclusive = (self._reverse, False)
            lower, upper = (lower, last) if self._reverse else (last, upper)
        self._keys = order.irange(lower, upper, inclusive=inclusive, reverse=self._reverse)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[bytes, V]:
        before, values = self._before, self._values
        for key in self._keys:
            self._last = key
            value = before[key] if key in before else values.get(key, _ABSENT)
            if value is not _ABSENT:
                return key, value
        raise StopIteration


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
            self._note((key,))
        if self._order is not None and key not in self.values:
            if key in self._gone:
                self._gone.discard(key)
            else:
                self._new.append(key)
        self.values[key] = value

    def update(self, entries: Mapping[bytes, V]) -> None:
        """Set many values."""
        if self._snapshots:
            self._note(entries)
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
            self._note((key,))
        if key in self.values:
            del self.values[key]
            if self._order is not None:
                self._gone.add(key)

    def clear(self) -> None:
        """Remove everything."""
        # What is left of them is in the map and the order that they have.
        for snapshot in self._live_snapshots():
            snapshot.is_current = False
        self._snapshots = []
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
        found: Iterator[bytes] = self._sorted().irange(
            lower, upper, inclusive=(True, False), reverse=reverse
        )
        return filterfalse(self._gone.__contains__, found) if self._gone else found

    def snapshot(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> MapSnapshot[V]:
        """Return what ``keys`` returns, with values; the map may change meanwhile."""
        found = MapSnapshot(self._sorted(), self.values, (lower, upper), reverse)
        self._snapshots = [*(each for each in self._snapshots if each() is not None), ref(found)]
        return found

    def _sorted(self) -> SortedList:
        """Return the keys in order, some of which may be gone."""
        if self._order is None or len(self._gone) > len(self.values):
            # Snapshots go on with the former one, which stays as it is.
            self._order = SortedList(self.values)
            self._new = []
            self._gone = set()
        elif self._new:
            self._order.update(self._new)
            self._new = []
            for snapshot in self._live_snapshots():
                snapshot.seek(self._order)
        if self._gone and not self._live_snapshots():
            self._trim(self._order)
        return self._order

    def _trim(self, order: SortedList) -> None:
        """Take off removed keys at both ends: a queue leaves all of its own there."""
        gone = self._gone
        for end in (0, -1):
            while order and order[end] in gone:
                gone.discard(order.pop(end))

    def _note(self, keys: Iterable[bytes]) -> None:
        for snapshot in self._live_snapshots():
            for key in keys:
                snapshot.note(key)

    def _live_snapshots(self) -> list[MapSnapshot[V]]:
        found = [snapshot for each in self._snapshots if (snapshot := each()) is not None]
        if len(found) < len(self._snapshots):
            self._snapshots = [ref(each) for each in found]
        return found

    def __len__(self) -> int:
        return len(self.values)
