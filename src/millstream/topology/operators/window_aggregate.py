"""Processor of ``count``, ``reduce`` and ``aggregate`` by key and window."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.columns import until_error
from millstream.core.durations import LONG_MAX
from millstream.core.records import Change, make_record
from millstream.core.windows import TimeWindows, Windowed
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
from millstream.topology.operators.opened_windows import (
    Opening,
    are_stock,
    opener,
    window_maker,
)
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
        self._stock = are_stock(windows)
        self._opened: Callable[[int], Sequence[Opening]] = opener(windows)
        self._window: Callable[[int], Any] = window_maker(windows)
        self._tumbles = (
            self._stock and isinstance(windows, TimeWindows) and windows.advanceMs == windows.sizeMs
        )
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
        for start, end, window in self._opened(timestamp):
            if end <= closed_up_to:
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
                windowed = Windowed(key, self._window(start) if window is None else window)
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
        if self._stock:
            self._add(self._in_stock_windows(chunk))
            return
        while chunk:
            found, error = until_error(self._opened, chunk.timestamps)
            done = len(found)
            run, failed = chunk.slice(0, done), chunk.slice(done, done + 1)
            if self._any_closed(run, found):
                # Between windows of its own order, a record may be late for one of them.
                self.context.each(run)
            else:
                self._add(self._in_windows(run, found))
            if error is not None:
                self.context.each(failed)
            chunk = chunk.slice(done + 1, len(chunk))

    def _any_closed(self, chunk: Chunk, found: Sequence[Sequence[Opening]]) -> bool:
        observed = list(accumulate(chunk.timestamps, max, initial=self._stream_time))[1:]
        rows = zip(found, observed, strict=True)
        return any(end <= now - self._grace for opened, now in rows for _, end, _ in opened)

    def _add(self, rows: _Rows) -> None:
        run, starts = rows.run, rows.starts
        if not run:
            return
        try:
            owners, key_bytes = identities(run.keys, self._access.serialize_keys)
        except Exception:  # noqa: BLE001 - which key it was will show update by update
            self._one_by_one(rows)
            return
        openings, distinct = numbered(starts)
        if not self._access.cached and self._forgets(starts, min(distinct)):
            # The records of a window do not find what those before them have written.
            self._one_by_one(rows)
            return
        width = len(distinct)
        pairs = zip(owners, openings, strict=True)
        slots, owned = numbered([owner * width + opening for owner, opening in pairs])
        window_keys = self._access.join_many(
            [key_bytes[number // width] for number in owned],
            [distinct[number % width] for number in owned],
        )
        if not self._access.has_room(window_keys, run):
            self._through_cache(rows, [key_bytes[owner] for owner in owners])
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
            self._forward_run(part, rows, first, updates)
            if updates.error is not None:
                self.context.fail(run, stop, updates.error)
                stop = rows.next_record(stop)
            first = stop

    def _forgets(self, starts: list[int], first: int) -> bool:
        """Tell whether the store's time is too far on for some window, or will be in this run."""
        oldest_seen = self._access.oldest_seen
        if self._stock:  # These take no more records when the store forgets them.
            oldest: int = oldest_seen(-1)
            return first < oldest
        latest = accumulate(starts, max)
        return any(start < oldest_seen(last) for start, last in zip(starts, latest, strict=True))

    def _in_stock_windows(self, chunk: Chunk) -> _Rows:
        if self._tumbles:
            size, timestamps = self._size, chunk.timestamps
            starts = [timestamp - timestamp % size for timestamp in timestamps]
            observed = list(accumulate(timestamps, max, initial=self._stream_time))
            width = size + self._grace
            times = zip(starts, observed[1:], strict=True)
            if all(start + width > now for start, now in times):
                self._stream_time = observed[-1]
                return _Rows(chunk, range(len(chunk)), starts)
        return self._in_windows(chunk, list(map(self._opened, chunk.timestamps)))

    def _in_windows(self, chunk: Chunk, found: Sequence[Sequence[Opening]]) -> _Rows:
        """Return a row for each record and each window of it, among ``found``, that is open."""
        records, starts, windows = list[int](), list[int](), list[Any]()
        for number, timestamp in enumerate(chunk.timestamps):
            self._stream_time = max(self._stream_time, timestamp)
            closed_up_to = self._stream_time - self._grace
            for start, end, window in found[number]:
                if end > closed_up_to:
                    records.append(number)
                    starts.append(start)
                    windows.append(window)
                else:
                    self.context.drop_late(_EXPIRED, chunk, number)
        return _Rows(chunk.take(records), records, starts, None if self._stock else windows)

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

    def _through_cache(self, rows: _Rows, key_bytes: list[bytes]) -> None:
        """Add the records one after the other: the cache may have to flush in between."""
        run = rows.run
        in_hand, read, write, initial, combine = (
            self._access.set_current_record,
            self._access.read,
            self._access.write_at,
            self._initial,
            self._combine,
        )
        named = (key_bytes, rows.starts, run.keys, run.values, run.timestamps)
        columns = list(zip(*named, strict=True))
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
                index = rows.next_record(index)

    def _one_by_one(self, rows: _Rows) -> None:
        run, index = rows.run, 0
        while index < len(run):
            try:
                self._update(rows, index)
            except Exception as error:  # noqa: BLE001 - a user's function may raise anything
                self.context.fail(run, index, error)
                index = rows.next_record(index)
            else:
                index += 1

    def _update(self, rows: _Rows, index: int) -> None:
        """Add one record to one window, where it is not the record in hand."""
        single, start = rows.run.slice(index, index + 1), rows.starts[index]
        key_bytes = self._access.serialize_key(single.keys[0])
        self._access.set_current_record(single, 0)
        cells = [self._access.read(key_bytes, start)]
        columns = zip(single.keys, single.values, single.timestamps, strict=True)
        updates = fold([0], columns, cells, self._initial, self._combine, self._access)
        if updates.error is not None:
            raise updates.error
        new, time = updates.news[0], updates.timestamps[0]
        self._access.write_at(key_bytes, single.keys[0], start, new, time, single, 0)
        self._forward_run(single, rows, index, updates)

    def _forward_run(self, run: Chunk, rows: _Rows, first: int, updates: Updates) -> None:
        """Forward the updates of a run, which begins at row ``first``."""
        if not self._at_once:
            return
        stop = first + len(run)
        if rows.windows is None:
            starts = rows.starts[first:stop]
            made = {start: self._window(start) for start in set(starts)}
            windows = list(map(made.__getitem__, starts))
        else:
            windows = rows.windows[first:stop]
        keys = list(map(Windowed, run.keys, windows))
        self.context.forward_chunk(updated(run, keys, updates, sends_old=self._settings.sends_old))


@dataclass(frozen=True, slots=True)
class _Rows:
    """Records and the windows they are added to: one row for each of both."""

    run: Chunk
    records: Sequence[int]
    """The number of each row's record."""
    starts: list[int]
    windows: list[Any] | None = None
    """None: the starts are enough to make them."""

    def next_record(self, index: int) -> int:
        """Return the first row after ``index`` that belongs to another record."""
        record = self.records[index]
        while index < len(self.records) and self.records[index] == record:
            index += 1
        return index
