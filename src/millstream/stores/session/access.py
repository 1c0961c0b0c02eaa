"""Access of operators to a session store: session keys in front of an access by raw key."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.durations import LONG_MAX
from millstream.core.errors import (
    IllegalArgumentException,
    IllegalStateException,
    UnsupportedOperationException,
)
from millstream.core.state import SessionAccess
from millstream.stores.access import StoreAccess
from millstream.stores.codec import BoundSerde
from millstream.stores.session.keys import (
    SessionKeys,
    end_and_start,
    end_of,
    key_of,
    start_of,
    wanted,
)
from millstream.stores.session.layers import SessionLayer
from millstream.stores.time_keys import SEPARATE_SEGMENTS, ZEROS_FIRST, Bounds, clamp
from millstream.stores.timed import Cells, TimedAccess, by_segment


class SerdeSessionAccess(TimedAccess, SessionAccess):
    """Session keys in front of an access by raw key."""

    def __init__(
        self,
        points: StoreAccess,
        session_keys: SessionKeys,
        layer: SessionLayer,
        decode: Callable[[bytes], Any],
        keys: BoundSerde[Any],
        *,
        value_of: Callable[[Any], Any],
        remove: Callable[[bytes], None],
    ) -> None:
        super().__init__(points, session_keys, layer, decode)
        self.folds = points.folds and not points.logs
        self._layer = layer
        self._session_keys = session_keys
        self._join = session_keys.join
        self._keys = keys
        self._remove = remove
        self._value_of = value_of
        self.set_current_record = points.set_current_record
        self._write_at = points.write_at

    @property
    def observed(self) -> int:
        return self._layer.observed

    def limits(self, observed: int) -> tuple[int, int]:
        return self._layer.limits(observed)

    def key_of(self, key_bytes: bytes) -> Any:
        return self._keys.from_bytes(key_bytes)

    def cell(self, key_bytes: bytes, start: int, end: int) -> Any:
        """Return what the store holds of a session: the aggregate, with headers if it has any."""
        return self.points.read(self._join(key_bytes, start, end))

    def read(self, key_bytes: bytes, start: int, end: int) -> Any:
        return self._value_of(self.cell(key_bytes, start, end))

    def find(
        self, key_bytes: bytes, earliest_end: int, latest_start: int
    ) -> list[tuple[int, int, Any]]:
        if self.folds and self._layer.observed < earliest_end:
            row = self._row(key_bytes, earliest_end) if self.cached else []
            if row is not None:
                return self._found_in(row, latest_start) if row else []
        cells = self.cells(key_bytes, key_bytes, earliest_end, latest_start, reverse=False)
        value_of = self._value_of
        return [(start_of(key), end_of(key), value_of(cell)) for key, cell in cells]

    def _row(self, key_bytes: bytes, earliest_end: int) -> list[bytes] | None:
        """Return the raw keys of a key's sessions in the cache that end at or after a time.

        None if a read by bounds would touch others as well.
        """
        if self._latest.time < earliest_end:
            return []
        row = self._whole_row(key_bytes, earliest_end)
        if not row:
            return row
        # What is looked for is mostly the last one.
        first_end, begin = max(0, earliest_end).to_bytes(8, "big"), len(row)
        while begin and row[begin - 1][-16:-8] >= first_end:
            begin -= 1
        return row[begin:]

    def _whole_row(self, key_bytes: bytes, earliest_end: int) -> list[bytes] | None:
        """Return the raw keys of all of a key's sessions in the cache, under the same condition."""
        interval, latest = self._session_keys.interval, self._latest.time
        far = latest - earliest_end >= interval * (SEPARATE_SEGMENTS - 1)
        if far or latest + interval >= ZEROS_FIRST:
            return None
        return self.points.cached_row(key_bytes, key_of)

    def _found_in(self, row: list[bytes], latest_start: int) -> list[tuple[int, int, Any]]:
        use, cell_of, value_of = self.points.cached_use, self.points.cell_of, self._value_of
        found = []
        for raw in row:
            end, start = end_and_start(raw)
            if start > latest_start and self._session_keys.ends_segment(end):
                continue
            entry = use(raw)
            cell = None if entry is None else cell_of(entry)
            if cell is not None and start <= latest_start:
                found.append((start, end, value_of(cell)))
        return found

    def ended(self, first_end: int, last_end: int) -> list[tuple[bytes, int, int, Any]]:
        cells = self.ended_cells(first_end, last_end)
        value_of = self._value_of
        return [(key_of(key), start_of(key), end_of(key), value_of(cell)) for key, cell in cells]

    def write(self, key_bytes: bytes, key: Any, start: int, end: int, value: Any) -> None:
        self._latest.time = max(self._latest.time, end)
        self.points.write(self._join(key_bytes, start, end), key, value, 0)

    def remove(self, key_bytes: bytes, key: Any, start: int, end: int) -> None:
        if self.cached:
            self.write(key_bytes, key, start, end, None)
        else:
            self._remove(self._join(key_bytes, start, end))

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
        self._latest.time = max(self._latest.time, end)
        self._write_at(self._join(key_bytes, start, end), key, value, 0, chunk, index)

    def remove_at(
        self, key_bytes: bytes, key: Any, start: int, end: int, chunk: Chunk, index: int
    ) -> None:
        self.write_at(key_bytes, key, start, end, None, chunk, index)

    def write_many(
        self,
        keys_bytes: Sequence[bytes],
        keys: Sequence[Any],
        bounds: Sequence[tuple[int, int]],
        values: Sequence[Any],
        chunk: Chunk,
        indices: Sequence[int],
    ) -> None:
        join = self._join
        session_keys = [
            join(key, start, end) for key, (start, end) in zip(keys_bytes, bounds, strict=True)
        ]
        self._latest.time = max(self._latest.time, *(end for _, end in bounds), -1)
        self.points.write_many(session_keys, keys, values, [0] * len(values), chunk, indices)

    def cells(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        earliest_end: int,
        latest_start: int,
        *,
        reverse: bool,
        cached_until: int | None = None,
    ) -> Cells:
        """Yield session keys and cells within bounds, all of them inclusive.

        Of the cache, only sessions that end by ``cached_until``: see ``check_start``.
        """
        stored = self._layer.find(key_from, key_to, earliest_end, latest_start, reverse=reverse)
        if not self.cached:
            return self._decoded(stored)
        cached = self._cached_cells(
            key_from, key_to, earliest_end, latest_start, cached_until, reverse=reverse
        )
        return self._merged(cached, stored, reverse=reverse)

    def stored_cells(self, key: bytes) -> Cells:
        """Yield a key's sessions, without what only the cache has."""
        return self._decoded(self._layer.find(key, key, 0, LONG_MAX, reverse=False))

    def has_sessions(self) -> bool:
        """Tell whether the layer below has any that is alive."""
        return next(self._layer.find(None, None, 0, LONG_MAX, reverse=False), None) is not None

    def check_inverted(self) -> None:
        """Refuse a range that ends before it begins where Kafka's store does: in memory.

        Raises:
            IllegalArgumentException: It does.
        """
        if self._layer.refuses_inverted and not self.cached:
            raise IllegalArgumentException(
                "inconsistent range",
                detail="The range ends before it begins, in the order of serialized keys.",
                hint="Give the smaller key, or the earlier time, first.",
            )

    def check_start(self, latest_start: int, *, reverse: bool) -> int | None:
        """Refuse a latest start on which Kafka's stores fail when they look for one key's sessions.

        Returns the latest end that they find in their cache, if there is such a bound: backward,
        the cache of a durable store takes the latest start for it, in the newest segment only.

        Raises:
            IllegalArgumentException: It is negative; or the bound is, as nothing was written yet.
            IllegalStateException: The bound is before the newest segment.
        """
        durable = self._layer.stores_durably
        if not self.cached and not durable:
            return None
        if not (reverse and self.cached and durable):
            if latest_start < 0:
                raise _negative_start()
            return None
        newest, interval = self._latest.time, self._session_keys.interval
        end = min(latest_start, newest)
        if max(end, 0) // interval != max(newest, 0) // interval:
            raise IllegalStateException(
                "segment interval has changed",
                detail=f"The newest session ends at {newest}, sessions were to start by {end}.",
                hint="Look forward, or without a cache; Kafka Streams fails here too.",
            )
        if end < 0:
            raise _negative_start()
        return end

    def ended_cells(self, first_end: int, last_end: int) -> Cells:
        """Yield session keys and cells of all keys by end, within bounds, both inclusive."""
        if self.cached:
            raise UnsupportedOperationException(
                "a cached session store cannot find the sessions of all keys by their end",
                hint="Build it without a cache.",
            )
        return self._decoded(self._layer.ended(first_end, last_end))

    def _cached_cells(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        earliest_end: int,
        latest_start: int,
        until: int | None,
        *,
        reverse: bool,
    ) -> Cells:
        first = clamp(earliest_end)
        first_end, start = first.to_bytes(8, "big"), clamp(latest_start).to_bytes(8, "big")
        if until is not None and key_from is not None:
            bounds = self._backward_bounds(key_from, min(first, self._latest.time), until)
        elif self._latest.time < first or latest_start < 0:
            return iter(())
        elif key_from is not None and key_from == key_to:
            return self._near_cells(key_from, first, latest_start, reverse=reverse)
        else:
            bounds = list(self._session_keys.bounds(key_from, key_to, first, self._latest.time))

        def read(lower: bytes, upper: bytes) -> Cells:
            cells = self.points.cached_cells(lower, upper, reverse=reverse)
            return (
                (key, cell)
                for key, cell in cells
                if wanted(key, key_from, key_to, first_end, start)
            )

        return by_segment(read, bounds, reverse=reverse)

    def _near_cells(self, key: bytes, first_end: int, latest_start: int, *, reverse: bool) -> Cells:
        """Yield one key's sessions in the cache."""
        keys, lowest = self._session_keys, first_end.to_bytes(8, "big")
        highest = clamp(latest_start).to_bytes(8, "big")
        bounds = list(keys.near(key, first_end, self._latest.time, latest_start))

        def read(lower: bytes, upper: bytes) -> Cells:
            row = self._whole_row(key, first_end)
            if row is None:
                cells = self.points.cached_cells(lower, upper, reverse=reverse)
            else:
                within = row[bisect_left(row, lower) : bisect_left(row, upper)]
                cells = self._used_cells(within[::-1] if reverse else within)
            return ((raw, cell) for raw, cell in cells if wanted(raw, key, key, lowest, highest))

        return by_segment(read, bounds, reverse=reverse)

    def _backward_bounds(self, key: bytes, first: int, until: int) -> list[Bounds]:
        """Return bounds of one key's sessions that end by ``until``, segment by segment.

        What is read counts as used, so these are no narrower than Kafka's, and no wider while the
        segments are few.
        """
        interval = self._session_keys.interval
        end = (until + 1).to_bytes(8, "big")
        oldest, newest = first // interval, self._latest.time // interval
        if newest - oldest >= SEPARATE_SEGMENTS:
            return [(oldest.to_bytes(8, "big"), newest.to_bytes(8, "big") + key + end)]
        starts = [number.to_bytes(8, "big") + key for number in range(oldest, newest + 1)]
        return [(lower, lower + end) for lower in starts]


def _negative_start() -> IllegalArgumentException:
    return IllegalArgumentException(
        "Window startMs time cannot be negative.",
        detail="The latest start is negative, or a cached store is read backward while empty.",
        hint="Look forward, or without a cache; Kafka Streams fails here too.",
    )
