"""Suppression buffer that moves entries to disk when its memory is full."""

from __future__ import annotations

from millstream.core.buffers import BufferTraits
from millstream.core.durations import LONG_MAX
from millstream.stores.buffers.memory import SPILLED, MemoryBuffer
from millstream.stores.buffers.time_ordered import TimeOrderedEntries

ENTRY_OVERHEAD = 500
"""About what an entry takes in memory besides its contents: two keys, two rows, their places."""

_LAST = (LONG_MAX + 1, b"")


class SpillBuffer(MemoryBuffer):
    """Buffer of what fits in ``max_records`` and ``max_bytes``; the first in order go to disk.

    The first, because updates come mostly for the last windows, and because what has gone to disk
    is read again once, in order. ``max_bytes`` counts what entries take in this process, which is
    more than their size. The changes of a batch come on top: they stay in memory until the batch is
    committed, those of entries on disk too.

    The bytes on disk are in any durable byte store, opened when they are first needed.
    """

    name = "spill"
    traits = BufferTraits(spills=True, recovers=True)

    def _make_room(self) -> None:
        """Move the first entries to disk until there is some room again."""
        memory = self._parts[0]
        if not self._full(memory, 8):
            return
        if len(self._parts) == 1:
            self._parts[0].copy.put(SPILLED, b"")
            self._parts.append(self._disk())
        disk = self._parts[1]
        for entry in memory.take(_LAST):
            disk.add(*entry)
            if not self._full(memory, 7):
                return

    def _full(self, memory: TimeOrderedEntries, eighths: int) -> bool:
        """Tell whether more than so much of the limits is used."""
        settings = self._settings
        used = memory.size + ENTRY_OVERHEAD * memory.count
        if 8 * memory.count > eighths * settings.max_records:
            return True
        return bool(8 * used > eighths * settings.max_bytes)
