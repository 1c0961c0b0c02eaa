"""The operators' way into a session store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.errors import UnsupportedOperationException
from millstream.core.state import SessionAccess, StateStoreContext
from millstream.stores.access import StoreAccess
from millstream.stores.codec import Codec, Part
from millstream.stores.merge import merged
from millstream.stores.session_keys import (
    SessionKeys,
    by_end,
    clamp,
    end_of,
    key_of,
    start_of,
    wanted,
)
from millstream.stores.session_layers import SessionLayer

Cells = Iterator[tuple[bytes, Any]]


class Sessions(SessionAccess):
    """Session keys in front of an access by key."""

    def __init__(
        self,
        points: StoreAccess,
        layer: SessionLayer,
        session_keys: SessionKeys,
        keys: Part[Any],
        codec: Codec,
        context: StateStoreContext,
    ) -> None:
        self.points = points
        self.cached = points.cached
        self.logs = points.logs
        self._layer = layer
        self._session_keys = session_keys
        self._join = session_keys.join
        self._keys = keys
        self._decode = codec.decode
        self._context = context
        self._latest = -1

    def serialize_key(self, key: Any) -> bytes:
        return self.points.serialize_key(key)

    def serialize_keys(self, keys: Sequence[Any]) -> list[bytes]:
        return self.points.serialize_keys(keys)

    def key_of(self, key_bytes: bytes) -> Any:
        return self._keys.from_bytes(key_bytes)

    def read(self, key_bytes: bytes, start: int, end: int) -> Any:
        return self.points.read(self._join(key_bytes, start, end))

    def find(
        self, key_bytes: bytes, earliest_end: int, latest_start: int
    ) -> list[tuple[int, int, Any]]:
        cells = self.cells(key_bytes, key_bytes, earliest_end, latest_start, reverse=False)
        return [(start_of(key), end_of(key), cell) for key, cell in cells]

    def ended(self, first_end: int, last_end: int) -> list[tuple[bytes, int, int, Any]]:
        cells = self.ended_cells(first_end, last_end)
        return [(key_of(key), start_of(key), end_of(key), cell) for key, cell in cells]

    def write(self, key_bytes: bytes, key: Any, start: int, end: int, value: Any) -> None:
        self._latest = max(self._latest, end)
        self.points.write(self._join(key_bytes, start, end), key, value, 0)

    def remove(self, key_bytes: bytes, key: Any, start: int, end: int) -> None:
        if self.cached:
            self.write(key_bytes, key, start, end, None)
        else:
            self._layer.remove(self._join(key_bytes, start, end))

    def write_at(
        self,
        key_bytes: bytes,
        key: Any,
        start: int,
        end: int,
        value: Any,
        chunk: Chunk,
        index: int,
    ) -> None:
        self._latest = max(self._latest, end)
        session_key = self._join(key_bytes, start, end)
        self.points.write_at(session_key, key, value, 0, chunk, index)

    def remove_at(
        self, key_bytes: bytes, key: Any, start: int, end: int, chunk: Chunk, index: int
    ) -> None:
        if self.cached:
            self.write_at(key_bytes, key, start, end, None, chunk, index)
        elif self.logs:
            with self._context.as_record(self._context.chunk_context(chunk, index)):
                self.remove(key_bytes, key, start, end)
        else:
            self.remove(key_bytes, key, start, end)

    def has_room(self, keys_bytes: Sequence[bytes], chunk: Chunk) -> bool:
        # Segment, end and start make each key longer.
        longer = [key + bytes(24) for key in keys_bytes] if self.cached else keys_bytes
        return self.points.has_room(longer, chunk)

    def cells(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        earliest_end: int,
        latest_start: int,
        *,
        reverse: bool,
    ) -> Cells:
        """Yield session keys and cells within bounds, all of them inclusive."""
        layer, decode = self._layer, self._decode
        stored = layer.find(key_from, key_to, earliest_end, latest_start, reverse=reverse)
        if not self.cached:
            return ((key, decode(data)) for key, data in stored)
        cached = self._cached_cells(key_from, key_to, earliest_end, latest_start, reverse=reverse)
        if layer.time_ordered:
            cached = iter(sorted(cached, key=lambda c: by_end(c[0]), reverse=reverse))
        order = by_end if layer.time_ordered else bytes
        return merged(
            ((order(key), key, cell) for key, cell in cached),
            ((order(key), key, decode(data)) for key, data in stored),
            reverse=reverse,
        )

    def ended_cells(self, first_end: int, last_end: int) -> Cells:
        """Yield session keys and cells of all keys by end, within bounds, both inclusive."""
        if self.cached:
            raise UnsupportedOperationException(
                "a cached session store cannot find the sessions of all keys by their end",
                hint="Build it without a cache.",
            )
        decode = self._decode
        return ((key, decode(data)) for key, data in self._layer.ended(first_end, last_end))

    def _cached_cells(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        earliest_end: int,
        latest_start: int,
        *,
        reverse: bool,
    ) -> Cells:
        first = clamp(earliest_end)
        if self._latest < first or latest_start < 0:
            return
        first_end, start = first.to_bytes(8, "big"), clamp(latest_start).to_bytes(8, "big")
        bounds = list(self._session_keys.bounds(key_from, key_to, first, self._latest))
        for lower, upper in reversed(bounds) if reverse else bounds:
            for key, cell in self.points.cached_cells(lower, upper, reverse=reverse):
                if wanted(key, key_from, key_to, first_end, start):
                    yield key, cell
