"""Suppression buffer in the worker's memory."""

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
from millstream.core.headers import Headers
from millstream.core.record_context import RecordContext
from millstream.stores.buffers.time_ordered import (
    Place,
    TimeOrderedEntries,
)

SPILLED = b"\4"
"""A key of the working copy that is there once something has gone to disk."""


class MemoryBuffer(SuppressionBuffer):
    """Entries in a working copy of the byte store "memory".

    Entries that a ``spill`` buffer of the same store has put on disk stay there until they are
    forwarded.

    To open it reads only the totals: a task that moves to another worker pays for what has
    changed, not for every entry.

    Source: ``internals.InMemoryTimeOrderedKeyValueChangeBuffer``.
    """

    name = "memory"
    traits = BufferTraits(recovers=True)

    def __init__(self, settings: BufferSettings) -> None:
        self._settings = settings
        self._parts = [TimeOrderedEntries(settings.working_copy(settings.store, "memory"))]
        self._open_disk()

    @classmethod
    def open(cls, settings: BufferSettings) -> Self:
        return cls(settings)

    def add(
        self,
        time: int,
        key: bytes,
        old: bytes | None,
        new: bytes | None,
        context: RecordContext,
    ) -> None:
        context = _unshared(context)
        for entries in self._parts:
            if entries.update(time, key, old, new, context):
                break
        else:
            self._parts[0].add(key, BufferedChange(time, old, old, new, context))
        self._make_room()

    def get(self, key: bytes) -> BufferedChange | None:
        found = (entries.get(key) for entries in self._parts)
        return next((change for change in found if change is not None), None)

    def evict(self, until: int) -> Iterator[tuple[bytes, BufferedChange]]:
        end = (until + 1, b"")
        while True:
            first = self._first()
            if first is None or first[0] >= end:
                return
            entries = first[1]
            # Until the next entry is among the others.
            others = (other.first() for other in self._parts if other is not entries)
            limit = min((place for place in others if place is not None), default=end)
            yield from entries.take(min(limit, end))

    def restore(self, key: bytes, change: BufferedChange | None) -> None:
        for entries in self._parts:
            if entries.remove(key):
                break
        if change is not None:
            self._parts[0].add(key, change)
            self._make_room()

    def first_time(self) -> int:
        first = self._first()
        return LONG_MAX if first is None else first[0][0]

    def count(self) -> int:
        return sum(entries.count for entries in self._parts)

    def size(self) -> int:
        return sum(entries.size for entries in self._parts)

    def flush(self) -> None:
        """Write the totals."""
        for entries in self._parts:
            entries.flush()

    def reload(self) -> None:
        """Read the totals anew."""
        for entries in self._parts:
            entries.reload()
        self._open_disk()

    def _open_disk(self) -> None:
        """Open the entries on disk, if there have ever been any."""
        if len(self._parts) == 1 and self._parts[0].copy.get(SPILLED) is not None:
            self._parts.append(self._disk())

    def _disk(self) -> TimeOrderedEntries:
        settings = self._settings
        name = f"{settings.store}-spilled"
        return TimeOrderedEntries(settings.working_copy(name, settings.byte_store))

    def _first(self) -> tuple[Place, TimeOrderedEntries] | None:
        """Return the first place of all, and the entries that have it."""
        best: tuple[Place, TimeOrderedEntries] | None = None
        for entries in self._parts:
            place = entries.first()
            if place is not None and (best is None or place < best[0]):
                best = place, entries
        return best

    def _make_room(self) -> None:
        """Move entries to disk if the memory is full; this buffer has no limit."""


def _unshared(context: RecordContext) -> RecordContext:
    """Return a context whose headers no program can change while the entry waits."""
    headers = context._headers
    if headers is None:
        return context
    place = context._topic, context._partition, context._offset
    return RecordContext(*place, context._timestamp, Headers(headers) if headers else None)
