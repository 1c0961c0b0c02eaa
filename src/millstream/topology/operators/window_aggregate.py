"""Processor of ``count``, ``reduce`` and ``aggregate`` by key and window."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.columns import until_error
from millstream.core.records import Change, make_record
from millstream.core.windows import TimeWindows, Windowed
from millstream.topology.operators.flat import fanned_out
from millstream.topology.operators.folding import Combine, Initial, identities, numbered
from millstream.topology.operators.lost_aggregates import look_at_lost
from millstream.topology.operators.opened_windows import (
    Opening,
    are_stock,
    opener,
    window_maker,
)
from millstream.topology.operators.operator import AnyRecord
from millstream.topology.operators.rows import RowAggregation, Rows
from millstream.topology.operators.windowed import EXPIRED, WindowedAggregate


class WindowAggregate(WindowedAggregate):
    """Updates one aggregate per key and window, and forwards each new one.

    A window takes records while its end lies after close time. A record without key is dropped;
    one without value is not.
    """

    end_inclusive = False

    def __init__(
        self,
        windows: Any,
        initial: Initial,
        combine: Combine,
        **options: Any,
    ) -> None:
        super().__init__(
            initial,
            combine,
            grace_ms=windows.gracePeriodMs(),
            reach_ms=windows.size(),
            **options,
        )
        self._size = windows.size()
        self._stock = are_stock(windows)
        self._starts_of = windows.starts_for if self._stock else windows.windowsFor
        self._opened: Callable[[int], Sequence[Opening]] = opener(windows)
        self._window: Callable[[int], Any] = window_maker(windows)
        self._tumbles = (
            self._stock and isinstance(windows, TimeWindows) and windows.advanceMs == windows.sizeMs
        )

    def init(self, context: Any) -> None:
        super().init(context)
        # Only of the library's own windows is it known beforehand which record closes one.
        by_single_records = self._on_close and (not self._stock or self._idle.is_on)
        self.by_records = by_single_records or not self._access.folds
        self._rows = RowAggregation(
            context,
            self._access,
            self._initial,
            self._combine,
            self._returned,
            sends_old=self._settings.sends_old,
        )

    def _add(self, record: AnyRecord, close_time: int) -> bool:
        key, value, timestamp = record._key, record._value, record._timestamp
        key_bytes: bytes | None = None
        for start, end, window in self._opened(timestamp):
            if end <= close_time:
                self.context.drop_late(EXPIRED)
                continue
            if key_bytes is None:  # As there, the key of a late record is not looked at.
                key_bytes = self._access.serialize_key(key)
            cell = self._access.read(key_bytes, start)
            time = timestamp
            if cell is None:
                old = self._initial()
            else:
                old = cell[0]
                time = max(timestamp, cell[1])
            new = self._combine(key, value, old)
            self._returned.look(new)
            if new is None and cell is None:
                look_at_lost(self._combine, old)
            self._access.write(key_bytes, key, start, new, time)
            if self._at_once:
                change = Change(new, old if self._settings.sends_old else None)
                windowed = Windowed(key, self._window(start) if window is None else window)
                self.forward(make_record(windowed, change, time, record._headers))
        return True

    def _closed_between(self, last_close: int, close_time: int) -> tuple[int, int] | None:
        last, before = close_time - self._size, last_close - self._size
        if last >= 0 and last_close != -1 and self._starts_of(last) == self._starts_of(before):
            return None
        return super()._closed_between(last_close, close_time)

    def process_chunk(self, chunk: Chunk) -> None:
        chunk = self.kept(chunk, [key is not None for key in chunk.keys], "null key")
        chunk = self._returned.first_ones(chunk, self.context.each)
        if self._on_close:
            self._add_and_close(chunk)
        else:
            self._add_chunk(chunk)

    def _add_and_close(self, chunk: Chunk) -> None:
        """Add records that close nothing by columns, and each that does by itself."""
        # Once stream time has closed a window it stays closed, so that it can be searched for.
        observed = list(accumulate(chunk.timestamps, max, initial=self._stream_time))[1:]

        def closes(number: int) -> bool:
            close_time = observed[number] - self._grace
            if self._last_close != -1 and self._last_close >= close_time:
                return False
            return self._closed_between(self._last_close, close_time) is not None

        start = 0
        while start < len(chunk):
            closing = start + bisect_left(range(start, len(chunk)), True, key=closes)
            self._add_chunk(chunk.slice(start, closing))
            start = closing + 1
            self.context.each(chunk.slice(closing, start))

    def _add_chunk(self, chunk: Chunk) -> None:
        if not chunk:
            return
        found = self._found_tumbling(chunk) if self._tumbles else None
        if found is None:
            found = self._found(chunk)
        if found is None or not self._add_found(chunk, found):
            self.context.each(chunk)

    def _found_tumbling(self, chunk: Chunk) -> _Found | None:
        """Return the window of each record; None if one may have closed."""
        size, timestamps = self._size, chunk.timestamps
        starts = [timestamp - timestamp % size for timestamp in timestamps]
        observed = list(accumulate(timestamps, max, initial=self._stream_time))
        width = size + self._grace
        times = zip(starts, observed[1:], strict=True)
        if all(start + width > now for start, now in times):
            return _Found(chunk, range(len(chunk)), starts, None, [], observed[-1])
        return None

    def _found(self, chunk: Chunk) -> _Found | None:
        """Return the open windows of each record; None if a user's windows cannot be told."""
        opened, error = until_error(self._opened, chunk.timestamps)
        if error is not None:
            return None
        records, starts, windows, late = list[int](), list[int](), list[Any](), list[int]()
        stream_time = self._stream_time
        for number, timestamp in enumerate(chunk.timestamps):
            stream_time = max(stream_time, timestamp)
            close_time = stream_time - self._grace
            for start, end, window in opened[number]:
                if end > close_time:
                    records.append(number)
                    starts.append(start)
                    windows.append(window)
                else:
                    late.append(number)
        if late and not self._stock:
            # A user's windows may have any order, and so may updates and what is dropped.
            return None
        run = fanned_out(chunk, records)
        return _Found(run, records, starts, None if self._stock else windows, late, stream_time)

    def _add_found(self, chunk: Chunk, found: _Found) -> bool:
        """Add records to their windows; False, and nothing is done, if that needs other order."""
        run, starts = found.run, found.starts
        try:
            owners, key_bytes = identities(run.keys, self._access.serialize_keys)
        except Exception:  # noqa: BLE001 - record by record shows which key it was
            return False
        openings, distinct = numbered(starts)
        if run and not self._access.cached and self._forgets(starts, min(distinct)):
            # The records of a window do not find what those before them have written.
            return False
        before, self._stream_time = self._stream_time, found.stream_time
        if run and not self._rows.add(self._rows_of(found, owners, key_bytes, openings, distinct)):
            self._stream_time = before
            return False
        for number in found.late:
            self.context.drop_late(EXPIRED, chunk, number)
        return True

    def _rows_of(
        self,
        found: _Found,
        owners: list[int],
        key_bytes: list[bytes],
        openings: list[int],
        distinct: list[int],
    ) -> Rows:
        """Return the rows of open windows.

        Args:
            found: The records and their windows.
            owners: The number of each row's key.
            key_bytes: The keys by number.
            openings: The number of each row's start.
            distinct: The starts by number.
        """
        run = found.run
        width = len(distinct)
        pairs = zip(owners, openings, strict=True)
        slots, owned = numbered([owner * width + opening for owner, opening in pairs])
        slot_bytes = self._access.join_many(
            [key_bytes[number // width] for number in owned],
            [distinct[number % width] for number in owned],
        )
        table_keys = None
        if self._at_once:
            made = list(map(self._window, distinct))
            windows = found.windows or [made[opening] for opening in openings]
            table_keys = list(map(Windowed, run.keys, windows))
        return Rows(run, slots, slot_bytes, found.records, table_keys)

    def _forgets(self, starts: list[int], first: int) -> bool:
        """Return whether the store has dropped one of the windows, or will meanwhile."""
        oldest_seen = self._access.oldest_seen
        if self._stock:  # These take no more records when the store drops them.
            oldest: int = oldest_seen(-1)
            return first < oldest
        latest = accumulate(starts, max)
        return any(start < oldest_seen(last) for start, last in zip(starts, latest, strict=True))


@dataclass(frozen=True, slots=True)
class _Found:
    """Records and their open windows: one row for each record and window."""

    run: Chunk
    """The record of each row."""
    records: Sequence[int]
    """The number of each row's record."""
    starts: list[int]
    windows: list[Any] | None
    """None: the starts are enough to make them."""
    late: list[int]
    """The number of a record for each window that has closed for it."""
    stream_time: int
    """That after the last record."""
