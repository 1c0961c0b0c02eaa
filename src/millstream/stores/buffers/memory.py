"""The suppression buffer that keeps everything in the worker's memory."""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import Self

from millstream.core.buffers import (
    BufferedChange,
    BufferSettings,
    BufferTraits,
    SuppressionBuffer,
)
from millstream.core.durations import LONG_MAX
from millstream.core.record_context import RecordContext
from millstream.stores.buffers.shelf import Place, Shelf, from_row, row_prior, to_row

SPILLED = b"\4"
"""A key of the working copy that is there once something has gone to disk."""


class MemoryBuffer(SuppressionBuffer):
    """Entries in a working copy of the byte store "memory".

    What a ``spill`` buffer in its place has put on disk stays there until it leaves.

    Opening it reads nothing but the totals: a task that goes from worker to worker pays for what
    has changed, not for what the buffer holds.

    Source: ``internals.InMemoryTimeOrderedKeyValueChangeBuffer``.
    """

    name = "memory"
    traits = BufferTraits(recovers=True)

    def __init__(self, settings: BufferSettings) -> None:
        self._settings = settings
        self._shelves = [Shelf(settings.working_copy(settings.store, "memory"))]
        self._open_disk()

    @classmethod
    def open(cls, settings: BufferSettings) -> Self:
        """Open the buffer of one task."""
        return cls(settings)

    def add(
        self,
        time: int,
        key: bytes,
        old: bytes | None,
        new: bytes | None,
        context: RecordContext,
    ) -> None:
        """Hold an update."""
        for shelf in self._shelves:
            found = shelf.find(time, key)
            if found is not None:
                held, before = found
                shelf.replace(held, key, to_row(key, row_prior(before), old, new, context), before)
                break
        else:
            self._shelves[0].add(time, key, to_row(key, old, old, new, context))
        self._make_room()

    def get(self, key: bytes) -> BufferedChange | None:
        """Return what is held for ``key``."""
        found = self._find(key)
        return None if found is None else from_row(found[1], found[2])

    def evict(self, until: int) -> Iterator[tuple[bytes, BufferedChange]]:
        """Take out the entries with ``time <= until`` in order."""
        end = (until + 1, b"")
        while True:
            first = self._first()
            if first is None or first[0] >= end:
                return
            shelf = first[1]
            # Until it is another shelf's turn.
            others = (other.first() for other in self._shelves if other is not shelf)
            limit = min((place for place in others if place is not None), default=end)
            for time, key, row in shelf.take(min(limit, end)):
                yield key, from_row(time, row)

    def restore(self, key: bytes, change: BufferedChange | None) -> None:
        """Take back what was logged for ``key``."""
        found = self._find(key)
        if found is not None:
            shelf, time, row = found
            shelf.remove(time, key, row)
        if change is not None:
            self._shelves[0].add(change.time, key, to_row(key, *change[1:]))
            self._make_room()

    def first_time(self) -> int:
        """Return the smallest time that is held."""
        first = self._first()
        return LONG_MAX if first is None else first[0][0]

    def count(self) -> int:
        """Return how many keys are held."""
        return sum(shelf.count for shelf in self._shelves)

    def size(self) -> int:
        """Return the sum of the entries' sizes."""
        return sum(shelf.size for shelf in self._shelves)

    def flush(self) -> None:
        """Note the totals."""
        for shelf in self._shelves:
            shelf.flush()

    def reload(self) -> None:
        """Read the totals anew."""
        for shelf in self._shelves:
            shelf.reload()
        self._open_disk()

    def _open_disk(self) -> None:
        """Open the entries on disk, if there have ever been any."""
        if len(self._shelves) == 1 and self._shelves[0].copy.get(SPILLED) is not None:
            self._shelves.append(self._disk())

    def _disk(self) -> Shelf:
        settings = self._settings
        name = f"{settings.store}-spilled"
        return Shelf(settings.working_copy(name, settings.byte_store))

    def _find(self, key: bytes) -> tuple[Shelf, int, bytes] | None:
        for shelf in self._shelves:
            found = shelf.find(LONG_MAX, key)
            if found is not None:
                return shelf, *found
        return None

    def _first(self) -> tuple[Place, Shelf] | None:
        """Return the first place of all and where it is."""
        best: tuple[Place, Shelf] | None = None
        for shelf in self._shelves:
            place = shelf.first()
            if place is not None and (best is None or place < best[0]):
                best = place, shelf
        return best

    def _make_room(self) -> None:
        """Do what an addition makes necessary."""
