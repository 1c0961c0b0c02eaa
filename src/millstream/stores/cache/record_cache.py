"""Record cache in front of one store: Kafka's ``NamedCache``, with objects where possible."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.record_context import RecordContext
from millstream.core.sorted_map import MapSnapshot, SortedMap
from millstream.core.state import CacheBudget
from millstream.stores.cache.rows import CachedRows, CachedTimes, PartOf
from millstream.stores.codec import Codec

Origin = RecordContext | Chunk | None

# What Kafka's estimate adds to key and value: three references, the dirty flag, and of the context
# two longs and an int.
ENTRY_BYTES = 24 + 1
CONTEXT_BYTES = 8 + 8 + 4


class CacheEntry:
    """Entry of a key. A cell and raw bytes of None stand for a deletion.

    It has no constructor, because an entry is made for almost every record; its maker sets all.
    """

    __slots__ = ("cell", "dirty", "index", "key", "key_bytes", "origin", "raw", "size")

    cell: Any
    """The cell, unless ``raw`` holds its bytes."""
    raw: bytes | None
    key: Any
    """The key as an object, as it was given."""
    key_bytes: bytes
    origin: Origin
    """The context of the last update, or the chunk whose record ``index`` that was."""
    index: int
    size: int
    dirty: bool


class RecordCache:
    """Least-recently-used entries, and among them the dirty ones in order of their last update."""

    def __init__(
        self, budget: CacheBudget, codec: Codec, flush: Callable[[list[CacheEntry]], None]
    ) -> None:
        self._budget = budget
        self._codec = codec
        self._flush = flush
        self._plain = codec.part.plain_type
        self._limits = codec.part.limits
        self._width = codec.part.width
        self._prefix = codec.prefix_width
        self._timestamped = codec.timestamped
        self._entries: OrderedDict[bytes, CacheEntry] = OrderedDict()
        self._dirty: dict[bytes, CacheEntry] = {}
        self._order: SortedMap[None] | None = None
        self._rows: CachedRows | None = None
        self._times: CachedTimes | None = None
        self._flushing = 0

    def lookup(self, key: bytes) -> CacheEntry | None:
        """Return the entry of ``key`` and count that as a use of it."""
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
        return entry

    def cell_of(self, entry: CacheEntry) -> Any:
        """Return the cell of an entry."""
        raw = entry.raw
        return entry.cell if raw is None else self._codec.decode(raw)

    def write(
        self,
        key_bytes: bytes,
        key: Any,
        value: Any,
        timestamp: int,
        origin: Origin,
        index: int,
        context_bytes: int,
    ) -> None:
        """Put a change into the cache; that may evict others, or even itself."""
        entries = self._entries
        budget = self._budget
        codec = self._codec
        plain = type(value) is self._plain
        if plain and self._limits is not None:
            plain = self._limits[0] <= value <= self._limits[1]
        # Before anything is changed: a serializer may raise.
        raw = None if plain or value is None else codec.encode(value, timestamp)
        entry = entries.get(key_bytes)
        if entry is None:
            entry = entries[key_bytes] = CacheEntry()
            entry.key_bytes = key_bytes
            entry.dirty = False
            self._note_new(key_bytes)
        else:
            budget.used -= entry.size
            if self._flushing:
                entry = self._replace(entry)
            entries.move_to_end(key_bytes)
        size = len(key_bytes) + ENTRY_BYTES + context_bytes
        if value is None:
            entry.cell = entry.raw = None
        elif plain:
            entry.cell = (value, timestamp) if self._timestamped else value
            entry.raw = None
            width = self._width
            size += self._prefix + (codec.part.size(value) if width is None else width)
        else:
            entry.raw = raw
            entry.cell = None
            size += 0 if raw is None else len(raw)
        entry.key = key
        entry.origin = origin
        entry.index = index
        entry.size = size
        if entry.dirty:
            del self._dirty[key_bytes]
        entry.dirty = True
        self._dirty[key_bytes] = entry
        budget.used += size
        if budget.used > budget.limit:
            self._evict()

    def write_many(
        self,
        rows: Iterable[tuple[bytes, Any, Any, int, int, int]],
        origin: Chunk,
    ) -> None:
        """Do many ``write`` for records of a chunk, where ``has_room`` said they flush nothing.

        A row is the key's bytes, the key, value, timestamp, the record's index, and the bytes that
        its context counts for.
        """
        entries, dirty, budget, note_new = self._entries, self._dirty, self._budget, self._note_new
        plain, timestamped = self._plain, self._timestamped
        width, size_of = self._width, self._codec.part.size
        extra = ENTRY_BYTES + self._prefix + (width or 0)
        used = 0
        try:
            for key_bytes, key, value, timestamp, index, context_bytes in rows:
                if type(value) is not plain or self._flushing:
                    self.write(key_bytes, key, value, timestamp, origin, index, context_bytes)
                    continue
                entry = entries.get(key_bytes)
                if entry is None:
                    entry = entries[key_bytes] = dirty[key_bytes] = CacheEntry()
                    entry.key_bytes = key_bytes
                    entry.dirty = True
                    note_new(key_bytes)
                else:
                    used -= entry.size
                    entries.move_to_end(key_bytes)
                    if entry.dirty:
                        del dirty[key_bytes]
                    entry.dirty = True
                    dirty[key_bytes] = entry
                entry.cell = (value, timestamp) if timestamped else value
                entry.raw = None
                entry.key = key
                entry.origin = origin
                entry.index = index
                size = len(key_bytes) + extra + context_bytes
                if width is None:
                    size += size_of(value)
                entry.size = size
                used += size
        finally:
            budget.used += used
        # Which clean entries go does not depend on when: the oldest that the changes leave alone.
        if budget.used > budget.limit:
            self._evict()

    @property
    def is_clean(self) -> bool:
        """Whether no entry has a change, so that an eviction flushes nothing."""
        return not self._dirty

    def missing(self, keys: Iterable[bytes]) -> list[bytes]:
        """Return those of ``keys`` that have no entry."""
        entries = self._entries
        return [key for key in keys if key not in entries]

    def remember(self, key_bytes: bytes, raw: bytes) -> Any:
        """Cache what was read from the store, and return its cell."""
        cell = self._codec.decode(raw)
        value = cell[0] if self._timestamped and cell is not None else cell
        if type(value) is self._plain:
            self._remember(key_bytes, cell, None, len(raw))
        else:
            self._remember(key_bytes, None, raw, len(raw))
        return cell

    def remember_bytes(self, key_bytes: bytes, raw: bytes) -> None:
        """Cache what was read from the store, whose value nobody has asked for."""
        self._remember(key_bytes, None, raw, len(raw))

    def _remember(self, key_bytes: bytes, cell: Any, raw: bytes | None, width: int) -> None:
        entry = CacheEntry()
        entry.cell = cell
        entry.raw = raw
        entry.key_bytes = key_bytes
        entry.key = entry.origin = None
        entry.index = -1
        entry.dirty = False
        entry.size = len(key_bytes) + ENTRY_BYTES + CONTEXT_BYTES + width
        self._entries[key_bytes] = entry
        self._note_new(key_bytes)
        budget = self._budget
        budget.used += entry.size
        if budget.used > budget.limit:
            self._evict()

    def has_room(self, key_bytes: int, keys: int, context_bytes: int) -> bool:
        """Tell whether ``keys`` more entries, with that many bytes of keys, fit without a flush."""
        if self._width is None:
            return False
        each = ENTRY_BYTES + context_bytes + self._prefix + self._width
        lacking = self._budget.used + key_bytes + keys * each - self._budget.limit
        if lacking <= 0:
            return True
        # Clean entries that are older than every dirty one go first; that cannot be observed.
        for entry in self._entries.values():
            if entry.dirty:
                return False
            lacking -= entry.size
            if lacking <= 0:
                return True
        return False

    def flush(self, evicted: CacheEntry | None = None) -> None:
        """Flush every dirty entry; one that is being evicted goes first."""
        if not self._dirty:
            return
        if evicted is not None:
            del self._dirty[evicted.key_bytes]
        changes = list(self._dirty.values())
        self._dirty.clear()
        if evicted is not None:
            changes.insert(0, evicted)
        for entry in changes:
            entry.dirty = False
        # Writes of child nodes in the meantime must not change the entries of this flush.
        self._flushing += 1
        try:
            self._flush(changes)
        finally:
            self._flushing -= 1
        for entry in changes:
            entry.origin = None
            if entry.cell is None and entry.raw is None:
                key = entry.key_bytes
                if self._entries.get(key) is entry:
                    self._remove(key)

    def range(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, CacheEntry]]:
        """Yield the entries with ``lower <= key < upper`` that are there now, in key order.

        Each counts as used when it is yielded. As in Kafka's cache, one that is put later is left
        out, one that is changed later is yielded as it is then.
        """
        keys: MapSnapshot[None] = self._ordered().snapshot(lower, upper, reverse=reverse)
        return self._in_turn(key for key, _ in keys)

    def _in_turn(self, keys: Iterable[bytes]) -> Iterator[tuple[bytes, CacheEntry]]:
        entries = self._entries
        for key in keys:
            entry = entries.get(key)
            if entry is not None:
                entries.move_to_end(key)
                yield key, entry

    def between(self, first: bytes, last: bytes, time_at: slice) -> dict[bytes, CacheEntry]:
        """Return the entries of times between two, both inclusive; each counts as used.

        Args:
            first: The first time.
            last: The last one.
            time_at: Where keys have it; always the same place.
        """
        keys, entries = self._keys_between(first, last, time_at), self._entries
        for key in keys:
            entries.move_to_end(key)
        return {key: entries[key] for key in keys}

    def range_between(
        self, first: bytes, last: bytes, time_at: slice, *, reverse: bool
    ) -> Iterator[tuple[bytes, CacheEntry]]:
        """Yield what ``between`` returns as ``range`` does."""
        keys = self._keys_between(first, last, time_at)
        return self._in_turn(reversed(keys) if reverse else keys)

    def _keys_between(self, first: bytes, last: bytes, time_at: slice) -> list[bytes]:
        if self._times is None:
            self._times = CachedTimes(time_at, self._entries)
        return self._times.between(first, last)

    def row(self, part: bytes, part_of: PartOf) -> list[bytes] | None:
        """Return the keys that have a part in common, in order; None if that is no range of keys.

        Args:
            part: The part.
            part_of: Returns it; always the same function.
        """
        if self._rows is None:
            self._rows = CachedRows(part_of, self._entries)
        return self._rows.of(part) if self._rows.apart else None

    def _ordered(self) -> SortedMap[None]:
        """Return the keys in their order, from the first range read on."""
        if self._order is None:
            self._order = SortedMap()
            self._order.update(dict.fromkeys(self._entries))
        return self._order

    def clear(self) -> None:
        """Drop everything, dirty entries too."""
        self._budget.used -= sum(entry.size for entry in self._entries.values())
        self._entries.clear()
        self._dirty.clear()
        self._order = self._rows = self._times = None

    def _evict(self) -> None:
        budget, entries = self._budget, self._entries
        while budget.used > budget.limit and entries:
            key, entry = entries.popitem(last=False)
            self._forget(key)
            # It counts until its flush is over: until then other caches have that much less room.
            if entry.dirty:
                self.flush(entry)
            budget.used -= entry.size

    def _replace(self, before: CacheEntry) -> CacheEntry:
        entry = self._entries[before.key_bytes] = CacheEntry()
        entry.key_bytes = before.key_bytes
        entry.dirty = before.dirty
        if entry.dirty:
            self._dirty[entry.key_bytes] = entry
        return entry

    def _remove(self, key: bytes) -> None:
        self._budget.used -= self._entries.pop(key).size
        self._forget(key)

    def _note_new(self, key: bytes) -> None:
        if self._rows is not None:
            self._rows.add(key)
        if self._times is not None:
            self._times.add(key)
        if self._order is not None:
            self._order.set(key, None)

    def _forget(self, key: bytes) -> None:
        if self._rows is not None:
            self._rows.discard(key)
        if self._times is not None:
            self._times.discard(key)
        if self._order is not None:
            self._order.pop(key)


def context_bytes(context: RecordContext | None) -> int:
    """Return Kafka's estimate of a record context's size."""
    if context is None:
        return CONTEXT_BYTES
    size = CONTEXT_BYTES + len(context._topic or "")
    # Not headers(), which would make an empty object for almost every record.
    if context._headers:
        for header in context._headers:
            size += len(header.key()) + len(header.value() or b"")
    return size


def context_bytes_at(chunk: Chunk, index: int) -> int:
    """Return what ``context_bytes`` does, of one record of a chunk."""
    topic = chunk.topic if chunk.origins is None else chunk.origins[index][0]
    size = CONTEXT_BYTES + len(topic or "")
    if chunk.headers is not None:
        for header in chunk.headers[index] or ():
            size += len(header.key()) + len(header.value() or b"")
    return size
