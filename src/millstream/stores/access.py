"""Access of operators to key-value stores: direct to the bytes, or through a record cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from types import NoneType
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.state import (
    CacheFlushListener,
    DslStoreFormat,
    KeyValueAccess,
    StateStoreContext,
)
from millstream.stores.cache.flushing import Flusher, ShowKeys
from millstream.stores.cache.record_cache import (
    CONTEXT_BYTES,
    ENTRY_BYTES,
    RecordCache,
    context_bytes,
    context_bytes_at,
)
from millstream.stores.cache.rows import PartOf
from millstream.stores.codec import BoundSerde, Codec
from millstream.stores.layers import Encode, PointLayer

_UTF8_BYTES = 4
"""At most so many for a character."""


class StoreAccess(KeyValueAccess):
    """Access by raw key, with what the public methods of stores need besides."""

    cached_use: Callable[[bytes], Any]
    """Returns a cache's entry of a key, which counts as a use; None if it has none."""
    cell_of: Callable[[Any], Any]
    """Returns the cell of a cache's entry."""

    def __init__(self, keys: BoundSerde[Any], codec: Codec, below: PointLayer) -> None:
        self.logs = below.logs
        self.keeps_headers = codec.format is DslStoreFormat.HEADERS
        self._keys = keys
        self._codec = codec
        self._below = below
        self.folds = below.folds
        self.plain = codec.part.plain_type
        self.to_cell = codec.copied
        self.fits, self.takes = codec.part.fits, codec.part.takes
        self.read_at = self.read

    def serialize_key(self, key: Any) -> bytes:
        return self._keys.to_bytes(key)  # type: ignore[return-value]

    def serialize_keys(self, keys: Sequence[Any]) -> list[bytes]:
        return self._keys.column_to_bytes(keys)  # type: ignore[return-value]

    def write_absent(self, key_bytes: bytes, key: Any, value: Any, timestamp: int) -> Any:
        """Write the value of a key unless it has one; return what it had."""
        before = self.read(key_bytes)
        if before is None:
            self.write(key_bytes, key, value, timestamp)
        return before

    def delete(self, key_bytes: bytes, key: Any) -> Any:
        """Delete a key; return what it had."""
        before = self.read(key_bytes)
        self.write(key_bytes, key, None, 0)
        return before

    def cached_cells(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, Any]]:
        """Yield the cells of the cache with ``lower <= key < upper``; None where one is deleted."""
        return iter(())

    def encoding_for(self, layer: PointLayer) -> Encode | None:
        """Return the value encoder for writes to ``layer``; None if writes do more than that."""
        if self.cached or self.keeps_headers:
            return None
        return self._below.encoding_for(layer, self._codec.encode_column)

    def cached_between(self, first: bytes, last: bytes, time_at: slice) -> dict[bytes, Any]:
        """Return the entries of the cache whose keys have a time between two, both inclusive."""
        return {}

    def cached_cells_between(
        self, first: bytes, last: bytes, time_at: slice, *, reverse: bool
    ) -> Iterator[tuple[bytes, Any]]:
        """Yield of those entries what ``cached_cells`` yields."""
        return iter(())

    def cached_row(self, part: bytes, part_of: PartOf) -> list[bytes] | None:
        """Return the keys in the cache that have a part in common; None if it cannot tell."""
        return None

    def keys_of(self, keys_bytes: Sequence[bytes]) -> list[Any]:
        """Return the keys of many bytes."""
        return self._keys.column_from_bytes(keys_bytes)

    def set_flush_listener(self, listener: CacheFlushListener, send_old_values: bool) -> bool:
        """Set the listener for flushed entries; return False if nothing is ever flushed."""
        return False

    def set_current_record(self, chunk: Chunk, index: int) -> None:
        pass

    def measure_reads(self, measure: Callable[[Any], Any]) -> None:
        """Measure every lookup in the cache, if there is one."""

    def flush(self) -> None:
        """Flush the dirty entries."""
        self._below.flush()

    def reload(self) -> None:
        """Drop what was derived from the bytes below."""
        self._below.reload()

    def close(self) -> None:
        """Flush, and release everything."""
        self._below.close()


class DirectAccess(StoreAccess):
    """Access without a cache: every write goes to the bytes at once."""

    cached = False

    def __init__(
        self, keys: BoundSerde[Any], codec: Codec, below: PointLayer, context: StateStoreContext
    ) -> None:
        super().__init__(keys, codec, below)
        self._context = context
        self._get = below.get
        self._put = below.put
        self._decode = codec.decode
        self._encode = codec.encode

    def read(self, key_bytes: bytes) -> Any:
        data = self._get(key_bytes)
        return None if data is None else self._decode(data)

    def read_time(self, key_bytes: bytes) -> int | None:
        data = self._get(key_bytes)
        if data is None:
            return None
        time = self._codec.time_in(data)
        if time is not None:
            return time
        cell = self._decode(data)
        return None if cell is None else self._codec.time(cell, 0)

    def read_many(self, raw_keys: Sequence[bytes]) -> list[Any]:
        return self._codec.decode_column(self._below.get_many(raw_keys))

    def write(self, key_bytes: bytes, key: Any, value: Any, timestamp: int) -> None:
        self._put(key_bytes, None if value is None else self._encode(value, timestamp))

    def write_absent(self, key_bytes: bytes, key: Any, value: Any, timestamp: int) -> Any:
        data = None if value is None else self._encode(value, timestamp)
        before = self._below.put_if_absent(key_bytes, data)
        return None if before is None else self._decode(before)

    def write_in_order(self, entries: Iterable[tuple[bytes, Any, int]]) -> None:
        """Write many values with their times, one after the other; none if one has no bytes."""
        encode = self._encode
        self._below.put_in_order(
            [(key, None if value is None else encode(value, time)) for key, value, time in entries]
        )

    def delete(self, key_bytes: bytes, key: Any) -> Any:
        before = self._below.delete(key_bytes)
        return None if before is None else self._decode(before)

    def write_at(
        self, key_bytes: bytes, key: Any, value: Any, timestamp: int, chunk: Chunk, index: int
    ) -> None:
        self._put_at(
            key_bytes, None if value is None else self._encode(value, timestamp), chunk, index
        )

    def write_many(
        self,
        raw_keys: Sequence[bytes],
        keys: Sequence[Any],
        values: Sequence[Any],
        timestamps: Sequence[int],
        chunk: Chunk,
        indices: Sequence[int],
    ) -> None:
        data = self._codec.encode_column(values, timestamps)
        if self.logs or self._below.adds:
            for key_bytes, value, index in zip(raw_keys, data, indices, strict=True):
                self._put_at(key_bytes, value, chunk, index)
        else:
            self._below.put_all(dict(zip(raw_keys, data, strict=True)))

    def has_room(self, raw_keys: Sequence[bytes], chunk: Chunk) -> bool:
        return True

    def reads_quietly(self, raw_keys: Sequence[bytes]) -> bool:
        return True

    def _put_at(self, key_bytes: bytes, data: bytes | None, chunk: Chunk, index: int) -> None:
        if not self.logs:
            self._put(key_bytes, data)
            return
        # A deletion's record in the changelog has the time of the record that caused it.
        with self._context.as_record(self._context.chunk_context(chunk, index)):
            self._put(key_bytes, data)


class CachedAccess(StoreAccess):
    """Access through a record cache: writes stay there until a commit or an eviction."""

    cached = True

    def __init__(
        self,
        keys: BoundSerde[Any],
        codec: Codec,
        below: PointLayer,
        context: StateStoreContext,
        show_keys: ShowKeys,
        *,
        remembers: bool = True,
        by_records: bool = False,
    ) -> None:
        """Bind to a task.

        ``show_keys`` makes the keys that a flush listener receives; ``remembers`` caches what was
        only read; ``by_records`` flushes each entry with its record as the current one.
        """
        super().__init__(keys, codec, below)
        self._context = context
        self._flusher = Flusher(context, codec, below, show_keys, by_records=by_records)
        self._cache = RecordCache(context.cache_budget, codec, self._flusher)
        self.cached_use = self._cache.lookup
        self.cell_of = self._cache.cell_of
        self._budget = context.cache_budget
        self._lookup = self._cache.lookup
        self._missing = self._cache.missing
        self._get = below.get
        self._remembers = remembers
        self._cell_of = self._cache.remember if remembers else _decoder(codec)

    def read(self, key_bytes: bytes) -> Any:
        entry = self._lookup(key_bytes)
        if entry is not None:
            return entry.cell if entry.raw is None else self._codec.decode(entry.raw)
        data = self._get(key_bytes)
        return None if data is None else self._cell_of(key_bytes, data)

    def read_time(self, key_bytes: bytes) -> int | None:
        entry = self._lookup(key_bytes)
        if entry is not None:
            cell = entry.cell if entry.raw is None else self._codec.decode(entry.raw)
            return None if cell is None else self._codec.time(cell, 0)
        data = self._get(key_bytes)
        if data is None:
            return None
        time = self._codec.time_in(data)
        if time is None:
            cell = self._cell_of(key_bytes, data)
            return None if cell is None else self._codec.time(cell, 0)
        if self._remembers:
            self._cache.remember_bytes(key_bytes, data)
        return time

    def read_many(self, raw_keys: Sequence[bytes]) -> list[Any]:
        missing = self._cache.missing(raw_keys)
        found = dict(zip(missing, self._below.get_many(missing), strict=True))
        cells = []
        for key_bytes in raw_keys:
            # To remember one may evict another, which is then missing as well.
            if key_bytes in found:
                data = found.pop(key_bytes)
                cells.append(None if data is None else self._cell_of(key_bytes, data))
            else:
                cells.append(self.read(key_bytes))
        return cells

    def write(self, key_bytes: bytes, key: Any, value: Any, timestamp: int) -> None:
        record = self._context.record_context
        size = context_bytes(record)
        self._cache.write(key_bytes, key, value, timestamp, record, -1, size)

    def write_at(
        self, key_bytes: bytes, key: Any, value: Any, timestamp: int, chunk: Chunk, index: int
    ) -> None:
        size = context_bytes_at(chunk, index)
        self._cache.write(key_bytes, key, value, timestamp, chunk, index, size)

    def write_many(
        self,
        raw_keys: Sequence[bytes],
        keys: Sequence[Any],
        values: Sequence[Any],
        timestamps: Sequence[int],
        chunk: Chunk,
        indices: Sequence[int],
    ) -> None:
        if chunk.headers is None and chunk.origins is None:
            sizes: Iterable[int] = repeat(context_bytes_at(chunk, 0), len(keys))
        else:
            sizes = (context_bytes_at(chunk, index) for index in indices)
        rows = zip(raw_keys, keys, values, timestamps, indices, sizes, strict=True)
        if chunk.headers is None:
            self._cache.write_many(rows, chunk)
            return
        write = self._cache.write
        for key_bytes, key, value, timestamp, index, size in rows:
            write(key_bytes, key, value, timestamp, chunk, index, size)

    def has_room(self, raw_keys: Sequence[bytes], chunk: Chunk) -> bool:
        if chunk.headers is not None:
            return False
        total = sum(map(len, raw_keys))
        return self._cache.has_room(total, len(raw_keys), context_bytes_at(chunk, 0))

    def most_bytes(self, keys_bytes: Sequence[bytes], chunk: Chunk) -> int | None:
        part, values = self._codec.part, chunk.values
        if chunk.headers is not None or not set(map(type, values)) <= {part.plain_type, NoneType}:
            return None
        value_bytes = part.width
        if value_bytes is None:
            longest = max(map(len, filter(None, values)), default=0)
            value_bytes = longest * (_UTF8_BYTES if part.plain_type is str else 1)
        each = context_bytes_at(chunk, 0) + ENTRY_BYTES + self._codec.prefix_width + value_bytes
        written = sum(map(len, keys_bytes)) + len(keys_bytes) * each
        if written > self.room():
            return written
        stored = self._below.get_many(self._missing(keys_bytes))
        return written + sum(len(data) for data in stored if data is not None)

    def room(self) -> int:
        return max(0, self._budget.limit - self._budget.used)

    def reads_quietly(self, raw_keys: Sequence[bytes]) -> bool:
        if self._cache.is_clean:
            return True
        missing = list(dict.fromkeys(self._missing(raw_keys)))
        stored = zip(missing, self._below.get_many(missing), strict=True)
        each = ENTRY_BYTES + CONTEXT_BYTES
        return sum(len(k) + len(data) + each for k, data in stored if data) <= self.room()

    def cached_cells(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, Any]]:
        cell_of = self._cache.cell_of
        entries = self._cache.range(lower, upper, reverse=reverse)
        return ((key, cell_of(entry)) for key, entry in entries)

    def cached_between(self, first: bytes, last: bytes, time_at: slice) -> dict[bytes, Any]:
        return self._cache.between(first, last, time_at)

    def cached_cells_between(
        self, first: bytes, last: bytes, time_at: slice, *, reverse: bool
    ) -> Iterator[tuple[bytes, Any]]:
        cell_of = self._cache.cell_of
        entries = self._cache.range_between(first, last, time_at, reverse=reverse)
        return ((key, cell_of(entry)) for key, entry in entries)

    def cached_row(self, part: bytes, part_of: PartOf) -> list[bytes] | None:
        return self._cache.row(part, part_of)

    def set_flush_listener(self, listener: CacheFlushListener, send_old_values: bool) -> bool:
        self._flusher.listener = listener
        self._flusher.send_old = send_old_values
        return True

    def set_current_record(self, chunk: Chunk, index: int) -> None:
        self._flusher.current = chunk, index

    def measure_reads(self, measure: Callable[[Any], Any]) -> None:
        lookup = self._lookup = measure(self._lookup)
        # Batched reads ask the cache only what is missing.
        self._cache.missing = lambda keys: [  # type: ignore[method-assign]
            key for key in keys if lookup(key) is None
        ]

    def flush(self) -> None:
        self._cache.flush()
        self._below.flush()

    def reload(self) -> None:
        self._cache.clear()
        self._below.reload()

    def close(self) -> None:
        self._cache.flush()
        self._cache.clear()
        self._below.close()


def _decoder(codec: Codec) -> Callable[[bytes, bytes], Any]:
    return lambda key_bytes, data: codec.decode(data)
