"""Processor of ``count``, ``reduce`` and ``aggregate`` by key and window."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.durations import LONG_MAX
from millstream.core.records import Change, make_record
from millstream.core.windows import TimeWindow, TimeWindows, UnlimitedWindow, Windowed
from millstream.topology.operators.aggregate import updated
from millstream.topology.operators.folding import (
    Combine,
    Initial,
    Updates,
    fold,
    identities,
    last_updates,
    numbered,
)
from millstream.topology.operators.forwarding import forwards_at_once
from millstream.topology.operators.idle import IdleClock
from millstream.topology.operators.operator import AnyRecord, Operator
from millstream.topology.operators.table_settings import TableSettings
from millstream.topology.operators.window_close import ClosedWindows, half_open_bounds

_TIMES = struct.Struct(">qq")
_NO_KEY = "null key"
_EXPIRED = "expired window"


class WindowAggregate(Operator):
    """Keeps one aggregate per key and window, and forwards each new one.

    A window takes records while its end lies after stream time minus grace, where stream time is
    the largest event time this processor has seen. A record without key is dropped; one without
    value is not.
    """

    minds_lateness = True

    def __init__(
        self,
        windows: Any,
        initial: Initial,
        combine: Combine,
        *,
        on_close: bool = False,
        idle_ms: int | None = None,
        settings: TableSettings,
    ) -> None:
        self._windows = windows
        self._on_close = on_close
        self._closing = ClosedWindows(half_open_bounds(windows))
        self._idle = IdleClock(idle_ms, self._close_times)
        self._size = windows.size()
        self._grace = windows.gracePeriodMs()
        self._starts_for: Callable[[int], Any] = windows.starts_for
        self._window: Callable[[int], Any] = window_maker(windows)
        self._tumbles = isinstance(windows, TimeWindows) and windows.advanceMs == windows.sizeMs
        self._initial = initial
        self._combine = combine
        self._settings = settings
        self._stream_time = -1

    def init(self, context: Any) -> None:
        """Open the store."""
        super().init(context)
        store = self._window_store = context.getStateStore(self._settings.store)
        self._access = store.access()
        # What has closed is emitted after each record, so that records cannot go in chunks.
        self.by_records = self._on_close or not self._access.folds
        self._at_once = not self._on_close and forwards_at_once(
            context, store, sends_old=self._settings.sends_old
        )
        self._idle.init(context, self._close_idle)

    def save(self) -> bytes:
        """Return the stream time seen and up to when windows have been emitted."""
        return _TIMES.pack(self._stream_time, self._closing.last_close) + self._idle.save()

    def restore(self, data: bytes) -> None:
        """Take up the times that ``save`` returned."""
        self._stream_time, self._closing.last_close = _TIMES.unpack_from(data)
        self._idle.restore(data[_TIMES.size :])

    def process(self, record: AnyRecord) -> None:
        """Add the record to every window it falls into that is still open."""
        key, value, timestamp = record._key, record._value, record._timestamp
        if self._on_close:
            self._idle.record_came()
        if key is None:
            self.context.drop(_NO_KEY)
            return
        self._stream_time = max(self._stream_time, timestamp)
        closed_up_to = self._stream_time - self._grace
        key_bytes = self._access.serialize_key(key)
        for start in self._starts_for(timestamp):
            if start + self._size <= closed_up_to:
                self.context.drop_late(_EXPIRED)
                continue
            cell = self._access.read(key_bytes, start)
            time = timestamp
            if cell is None:
                old = self._initial()
            else:
                old = cell[0]
                time = max(timestamp, cell[1])
            new = self._combine(key, value, old)
            self._access.write(key_bytes, key, start, new, time)
            if self._at_once:
                change = Change(new, old if self._settings.sends_old else None)
                windowed = Windowed(key, self._window(start))
                self.forward(make_record(windowed, change, time, record._headers))
        if self._on_close:
            self._closing.emit(self._window_store, record, closed_up_to, self.forward)

    def _close_idle(self, now_ms: int) -> None:
        """Emit the windows that the wall clock has closed; what comes for them now is late."""
        time = self._idle.closed(now_ms, self._stream_time)
        if time is not None:
            self._stream_time = time
            occasion = make_record(None, None, now_ms, None)
            self._closing.emit(self._window_store, occasion, time - self._grace, self.forward)

    def _close_times(self, stream_time: int) -> Iterator[int]:
        first = max(0, stream_time - self._grace - self._size)
        with self._window_store.fetchAll(first, LONG_MAX) as found:
            for entry in found:
                yield entry.key.window().end() + self._grace

    def process_chunk(self, chunk: Chunk) -> None:
        """Add the records to their open windows."""
        chunk = self.kept(chunk, [key is not None for key in chunk.keys], _NO_KEY)
        run, rows, starts = self._in_windows(chunk)
        if not run:
            return
        try:
            owners, key_bytes = identities(run.keys, self._access.serialize_keys)
        except Exception:  # noqa: BLE001 - which key it was will show update by update
            self._one_by_one(run, rows, starts)
            return
        openings, distinct = numbered(starts)
        if not self._access.cached and min(distinct) < self._access.oldest_seen():
            # Somebody else has moved the store's time on, so that the records of a window do not
            # find what those before them have written.
            self._one_by_one(run, rows, starts)
            return
        width = len(distinct)
        pairs = zip(owners, openings, strict=True)
        slots, owned = numbered([owner * width + opening for owner, opening in pairs])
        window_keys = self._access.join_many(
            [key_bytes[number // width] for number in owned],
            [distinct[number % width] for number in owned],
        )
        if not self._access.has_room(window_keys, run):
            self._through_cache(run, rows, starts, [key_bytes[owner] for owner in owners])
            return
        cells = self._access.read_many(window_keys)
        first = 0
        while first < len(run):
            columns = (run.keys[first:], run.values[first:], run.timestamps[first:])
            updates = fold(
                slots[first:],
                zip(*columns, strict=True),
                cells,
                self._initial,
                self._combine,
                self._access,
            )
            stop = first + len(updates.news)
            part = run.slice(first, stop)
            self._store(part, slots[first:stop], window_keys, updates)
            self._forward_run(part, starts[first:stop], updates)
            if updates.error is not None:
                self.context.fail(run, stop, updates.error)
                stop = _next_record(rows, stop)
            first = stop

    def _in_windows(self, chunk: Chunk) -> tuple[Chunk, Sequence[int], list[int]]:
        """Return one row per record and open window, the record's number, the window's start."""
        timestamps = chunk.timestamps
        observed = list(accumulate(timestamps, max, initial=self._stream_time))
        self._stream_time = observed[-1]
        size, rows, starts = self._size, list[int](), list[int]()
        if self._tumbles:
            starts = [timestamp - timestamp % size for timestamp in timestamps]
            width = size + self._grace
            times = zip(starts, observed[1:], strict=True)
            still_open = [start + width > now for start, now in times]
            if all(still_open):
                return chunk, range(len(chunk)), starts
            starts = []
        for row, timestamp in enumerate(timestamps):
            closed_up_to = observed[row + 1] - self._grace
            for start in self._starts_for(timestamp):
                if start + size > closed_up_to:
                    rows.append(row)
                    starts.append(start)
                else:
                    self.context.drop_late(_EXPIRED, chunk, row)
        return chunk.take(rows), rows, starts

    def _store(
        self, run: Chunk, slots: list[int], window_keys: list[bytes], updates: Updates
    ) -> None:
        """Write what a run of updates has come to."""
        if not run:
            return
        every = self._access.logs and not self._access.cached
        indices = range(len(run)) if every else last_updates(slots)
        self._access.write_many(
            [window_keys[slots[index]] for index in indices],
            [run.keys[index] for index in indices],
            [updates.news[index] for index in indices],
            [updates.timestamps[index] for index in indices],
            run,
            indices,
        )

    def _through_cache(
        self, run: Chunk, rows: Sequence[int], starts: list[int], key_bytes: list[bytes]
    ) -> None:
        """Add the records one after the other: the cache may have to flush in between."""
        in_hand, read, write, initial, combine = (
            self._access.in_hand,
            self._access.read,
            self._access.write_at,
            self._initial,
            self._combine,
        )
        columns = list(zip(key_bytes, starts, run.keys, run.values, run.timestamps, strict=True))
        index = 0
        while index < len(run):
            try:
                for index in range(index, len(run)):  # noqa: B020 - goes on where it failed
                    slot, start, key, value, time = columns[index]
                    in_hand(run, index)
                    cell = read(slot, start)
                    if cell is None:
                        old = initial()
                    else:
                        old, stored = cell
                        time = max(time, stored)
                    write(slot, key, start, combine(key, value, old), time, run, index)
                return
            except Exception as error:  # noqa: BLE001 - a user's function may raise anything
                self.context.fail(run, index, error)
                index = _next_record(rows, index)

    def _one_by_one(self, run: Chunk, rows: Sequence[int], starts: list[int]) -> None:
        index = 0
        while index < len(run):
            try:
                self._update(run.slice(index, index + 1), starts[index])
            except Exception as error:  # noqa: BLE001 - a user's function may raise anything
                self.context.fail(run, index, error)
                index = _next_record(rows, index)
            else:
                index += 1

    def _update(self, single: Chunk, start: int) -> None:
        """Add one record to one window, where it is not the record in hand."""
        key_bytes = self._access.serialize_key(single.keys[0])
        self._access.in_hand(single, 0)
        cells = [self._access.read(key_bytes, start)]
        rows = zip(single.keys, single.values, single.timestamps, strict=True)
        updates = fold([0], rows, cells, self._initial, self._combine, self._access)
        if updates.error is not None:
            raise updates.error
        new, time = updates.news[0], updates.timestamps[0]
        self._access.write_at(key_bytes, single.keys[0], start, new, time, single, 0)
        self._forward_run(single, [start], updates)

    def _forward_run(self, run: Chunk, starts: list[int], updates: Updates) -> None:
        if self._at_once:
            windows = {start: self._window(start) for start in set(starts)}
            keys = list(map(Windowed, run.keys, map(windows.__getitem__, starts)))
            self.context.forward_chunk(
                updated(run, keys, updates, sends_old=self._settings.sends_old)
            )


def window_maker(windows: Any) -> Callable[[int], Any]:
    """Return what makes the window that begins at a time."""
    if isinstance(windows, TimeWindows):
        size = windows.sizeMs
        return lambda start: TimeWindow.of_start(start, size)
    return UnlimitedWindow


def _next_record(rows: Sequence[int], index: int) -> int:
    """Return the first row after ``index`` that belongs to another record."""
    row = rows[index]
    while index < len(rows) and rows[index] == row:
        index += 1
    return index
