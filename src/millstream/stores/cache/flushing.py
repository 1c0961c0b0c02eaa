"""Flush of dirty entries: into the store, and to the flush listener."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.columns import has_none
from millstream.core.headers import Headers
from millstream.core.record_context import RecordContext
from millstream.core.state import CacheFlushListener, StateStoreContext
from millstream.stores.cache.record_cache import CacheEntry
from millstream.stores.codec import Codec
from millstream.stores.layers import PointLayer

ShowKeys = Callable[[Sequence[bytes], Sequence[Any]], list[Any]]

NO_RECORD = RecordContext(None, -1, -1, -1)


class Flusher:
    """Flushes the changes of one cached store."""

    def __init__(
        self,
        context: StateStoreContext,
        codec: Codec,
        below: PointLayer,
        show_keys: ShowKeys,
        *,
        by_records: bool = False,
    ) -> None:
        """Bind to a store.

        ``show_keys`` makes the listener's keys of many keys' bytes and the keys as objects;
        ``by_records`` decodes each entry with its record as the current one.
        """
        self._context = context
        self._codec = codec
        self._below = below
        self._show_keys = show_keys
        self.listener: CacheFlushListener | None = None
        self.send_old = False
        self.current: tuple[Chunk, int] | None = None
        """The record of a chunk for which the store was last used; it may evict entries."""
        # A chunk's records are forwarded with their own headers.
        own = type(codec).passed_on is Codec.passed_on
        self._may_chunk = own and not below.logs and not by_records

    def __call__(self, changes: list[CacheEntry]) -> None:
        """Flush the changes, in order; stream time does not change."""
        record = self._context.record_context
        if self.current is not None and (record is None or record.topic() is None):
            record = self._context.chunk_context(*self.current)
        with self._context.as_record(record or NO_RECORD):
            self._flush(changes)

    def _flush(self, changes: list[CacheEntry]) -> None:
        data = self._encode(changes)
        listener = self.listener
        forward = getattr(listener, "flush_chunk", None)
        if listener is None and not self._below.logs:
            self._below.put_all(_by_key(changes, data))
        elif self._may_chunk and forward is not None:
            self._in_chunks(changes, data, forward)
        else:
            for change, value in zip(changes, data, strict=True):
                self._one(change, value)

    def _one(self, change: CacheEntry, data: bytes | None) -> None:
        key = change.key_bytes
        record = self._record(change)
        listener = self.listener
        if listener is None:
            with self._context.as_record(record):
                self._below.put(key, data)
            return
        old = self._below.get(key) if data is None or self.send_old else None
        if data is None and old is None:
            return
        codec = self._codec
        with self._context.as_record(record):
            cell = change.cell if change.raw is None else codec.decode(change.raw)
            new = None if cell is None else codec.value(cell)
            before = codec.decode(old) if self.send_old and old is not None else None
            shown_old = None if before is None else codec.value(before)
            time = record.timestamp()
            if cell is not None:
                time = codec.time(cell, time)
            self._below.put(key, data)
            shown_key = self._show_keys([key], [change.key])[0]
            listener(shown_key, new, shown_old, time, codec.passed_on(cell, record))

    def _in_chunks(
        self,
        changes: list[CacheEntry],
        data: list[bytes | None],
        forward: Callable[[Chunk], None],
    ) -> None:
        olds: list[Any] = [None] * len(changes)
        if self.send_old or None in data:
            raw = self._olds(changes, data)
            if self.send_old:
                decoded = self._codec.decode_column(raw)
                olds = [None if cell is None else self._codec.value(cell) for cell in decoded]
            real = [i for i in range(len(changes)) if data[i] is not None or raw[i] is not None]
            changes = [changes[i] for i in real]
            data = [data[i] for i in real]
            olds = [olds[i] for i in real]
        self._below.put_all(_by_key(changes, data))
        sources = list(map(_source, changes))
        if len(set(sources)) > 1 and getattr(self.listener, "mixes", False):
            chunk = self._chunk((None, -1), changes, olds)
            chunk.origins = sources
            forward(chunk)
            return
        # A chunk comes from one partition, and most flushes do.
        start = 0
        for source, run in groupby(sources):
            stop = start + sum(1 for _ in run)
            forward(self._chunk(source, changes[start:stop], olds[start:stop]))
            start = stop

    def _olds(self, changes: list[CacheEntry], data: list[bytes | None]) -> list[bytes | None]:
        if self.send_old:
            return self._below.get_many([change.key_bytes for change in changes])
        get = self._below.get
        return [
            get(change.key_bytes) if new is None else None
            for change, new in zip(changes, data, strict=True)
        ]

    def _chunk(
        self,
        source: tuple[str | None, int],
        changes: list[CacheEntry],
        olds: list[Any],
    ) -> Chunk:
        decode = self._codec.decode
        cells = [c.cell if c.raw is None else decode(c.raw) for c in changes]
        values, times = self._values_and_times(cells)
        offsets, record_times, headers = _places(changes)
        if not self._codec.timestamped:
            times = record_times
        elif has_none(values):
            times = [
                other if value is None else time
                for value, time, other in zip(values, times, record_times, strict=True)
            ]
        return Chunk(
            source[0],
            source[1],
            offsets,
            times,
            self._show_keys([c.key_bytes for c in changes], [c.key for c in changes]),
            values,
            headers,
            olds,
        )

    def _encode(self, changes: list[CacheEntry]) -> list[bytes | None]:
        values, times = self._values_and_times([change.cell for change in changes])
        data = self._codec.encode_column(values, times)
        return [
            new if change.raw is None else change.raw
            for change, new in zip(changes, data, strict=True)
        ]

    def _values_and_times(self, cells: list[Any]) -> tuple[list[Any], list[int]]:
        if not self._codec.timestamped:
            return cells, [0] * len(cells)
        if None in cells:
            cells = [(None, 0) if cell is None else cell for cell in cells]
        return [cell[0] for cell in cells], [cell[1] for cell in cells]

    def _record(self, change: CacheEntry) -> RecordContext:
        origin = change.origin
        if isinstance(origin, Chunk):
            return self._context.chunk_context(origin, change.index)
        return NO_RECORD if origin is None else origin


def _by_key(changes: list[CacheEntry], data: list[bytes | None]) -> dict[bytes, bytes | None]:
    return dict(zip([change.key_bytes for change in changes], data, strict=True))


def _source(change: CacheEntry) -> tuple[str | None, int]:
    origin = change.origin
    if isinstance(origin, Chunk):
        return origin.origin(change.index)
    return (None, -1) if origin is None else (origin.topic(), origin.partition())


def _places(
    changes: list[CacheEntry],
) -> tuple[list[int], list[int], list[Headers | None] | None]:
    """Return the offsets, times and headers of the records that made the changes.

    Headers are copies, as one record may have made several changes, also in other stores.
    """
    offsets, times = list[int](), list[int]()
    headers: list[Headers | None] = []
    # Most changes come from one chunk.
    chunks = {id(change.origin) for change in changes}
    origin = changes[0].origin if len(chunks) == 1 else None
    if isinstance(origin, Chunk):
        indices = [change.index for change in changes]
        given, made, headed = origin.offsets, origin.timestamps, origin.headers
        found = None if headed is None else [_copied(headed[index]) for index in indices]
        return (
            [given[index] for index in indices],
            [made[index] for index in indices],
            found if found is not None and any(found) else None,
        )
    for change in changes:
        origin, index = change.origin, change.index
        if isinstance(origin, Chunk):
            offsets.append(origin.offsets[index])
            times.append(origin.timestamps[index])
            headers.append(None if origin.headers is None else _copied(origin.headers[index]))
        else:
            record = origin or NO_RECORD
            offsets.append(record.offset())
            times.append(record.timestamp())
            headers.append(_copied(record._headers))
    return offsets, times, headers if any(headers) else None


def _copied(headers: Headers | None) -> Headers | None:
    return headers.copy() if headers else None
