"""Batched adds to windows that keep duplicates: only the last one updates the store's times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any

from millstream.core.state.access import WindowAdds
from millstream.stores.layers import Encode
from millstream.stores.window.index import FORGOTTEN_AT_ONCE, WindowIndex

if TYPE_CHECKING:
    from millstream.stores.window.layers import StoredWindows

_LAST_FORGOTTEN = FORGOTTEN_AT_ONCE - 1


class StoredAdds(WindowAdds):
    """Adds to ``StoredWindows``, which handles late windows and new segments itself."""

    def __init__(
        self,
        layer: StoredWindows,
        index: WindowIndex,
        put: Callable[[bytes, bytes | None], None],
        encode: Encode,
        plain: type | None,
        interval: int,
        late_after: int | None,
    ) -> None:
        """Bind to a layer, its index and its bytes.

        ``interval`` is the width of its segments. ``late_after`` is how far a start may be behind
        the latest one; None if only its segment counts.
        """
        self._layer = layer
        self._index = index
        self._rows = index.rows
        self._put = put
        self._encode = encode
        self._types = {plain, NoneType}
        self._interval = interval
        self._late_after = late_after
        self._segment = -1
        self._segment_bytes = b""
        self._unsettled = False

    def misses(self, key_bytes: bytes, first: int, last: int) -> bool:
        starts = (self._rows.get(key_bytes) or self._index.remember(key_bytes))[0]
        if len(starts) > _LAST_FORGOTTEN:
            oldest = self._layer.oldest()
            if starts[_LAST_FORGOTTEN] < oldest:
                self._index.find(key_bytes, oldest, first, last)
        return not starts or starts[-1] < first or last < starts[0]

    def encoded(self, values: Sequence[Any], times: Sequence[int]) -> list[bytes | None] | None:
        return self._encode(values, times) if set(map(type, values)) <= self._types else None

    def encode(self, value: Any, time: int) -> bytes | None:
        return self._encode([value], [time])[0]

    def accepts(self, start: int) -> bool:
        layer = self._layer
        observed = max(start, layer.observed)
        if start == observed > layer.observed and start >= layer.moves_at:
            return False
        late_after = self._late_after
        return start >= (layer.first_accepted if late_after is None else observed - late_after)

    def add(self, key_bytes: bytes, start: int, data: bytes) -> bool:
        layer = self._layer
        observed = layer.observed
        if start > observed:
            if start >= layer.moves_at:
                return False
            observed = start
        late_after = self._late_after
        if start < (layer.first_accepted if late_after is None else observed - late_after):
            return False
        layer.observed = observed
        layer.sequence = number = (layer.sequence + 1) & 0x7FFFFFFF
        self._unsettled = True
        segment = start // self._interval
        if segment != self._segment:
            self._segment, self._segment_bytes = segment, segment.to_bytes(8, "big")
        end = start.to_bytes(8, "big") + number.to_bytes(4, "big")
        window_key = self._segment_bytes + key_bytes + end
        self._put(window_key, data)
        row = self._rows.get(key_bytes)
        if row is None:
            self._index.note(window_key, data)
        else:
            self._index.note_in(row, start, window_key, data)
        return True

    def settle(self) -> None:
        if self._unsettled:
            self._unsettled = False
            self._layer.settle()
