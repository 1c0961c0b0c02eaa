"""Processor of ``count``, ``reduce`` and ``aggregate`` by key and session."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.durations import LONG_MAX
from millstream.core.headers import Headers
from millstream.core.records import Change, make_record
from millstream.core.windows import SessionWindow, SessionWindows, Windowed
from millstream.topology.operators.folding import Combine, Initial, Merge, identities
from millstream.topology.operators.idle import IdleClock
from millstream.topology.operators.operator import AnyRecord, Operator
from millstream.topology.operators.session_run import SessionRules, SessionRun
from millstream.topology.operators.table_settings import TableSettings

_TIMES = struct.Struct(">qq")
_NO_KEY = "null key"
_EXPIRED = "expired window"


class SessionAggregate(Operator):
    """Keeps one aggregate per key and session; a record may make one session of several.

    The sessions that are merged are removed one by one before the new one is stored. A record is
    dropped if its session ended more than gap and grace before stream time, which is the largest
    event time this processor has seen. A record without key is dropped; one without value is not.

    Source: ``internals.KStreamSessionWindowAggregate``.
    """

    minds_lateness = True

    def __init__(
        self,
        windows: SessionWindows,
        initial: Initial,
        combine: Combine,
        merge: Merge | None,
        *,
        on_close: bool = False,
        idle_ms: int | None = None,
        settings: TableSettings,
    ) -> None:
        self._gap = windows.inactivityGap()
        self._grace = windows.gracePeriodMs()
        assert merge is not None
        self._initial = initial
        self._combine = combine
        self._merge = merge
        self._rules = SessionRules(
            gap=self._gap, grace=self._grace, initial=initial, combine=combine, merge=merge
        )
        self._on_close = on_close
        self._idle = IdleClock(idle_ms, self._close_times)
        self._settings = settings
        self._stream_time = -1
        self._last_close = -1

    def init(self, context: Any) -> None:
        """Open the store."""
        super().init(context)
        store = context.getStateStore(self._settings.store)
        self._access = store.access()
        # What has closed is emitted after each record, so that records cannot go in chunks.
        self.by_records = self._on_close or not self._access.folds
        self._at_once = not self._on_close and not store.set_flush_listener(
            _SessionFlushListener(context), self._settings.sends_old
        )
        self._idle.init(context, self._close_idle)

    def save(self) -> bytes:
        """Return the stream time seen and up to when sessions have been emitted."""
        return _TIMES.pack(self._stream_time, self._last_close) + self._idle.save()

    def restore(self, data: bytes) -> None:
        """Take up the times that ``save`` returned."""
        self._stream_time, self._last_close = _TIMES.unpack_from(data)
        self._idle.restore(data[_TIMES.size :])

    def process(self, record: AnyRecord) -> None:
        """Add the record to the session that it belongs to, or begin one."""
        key, timestamp = record._key, record._timestamp
        if self._on_close:
            self._idle.record_came()
        if key is None:
            self.context.drop(_NO_KEY)
            return
        self._stream_time = max(self._stream_time, timestamp)
        closed_before = self._stream_time - self._grace - self._gap
        key_bytes = self._access.serialize_key(key)
        start = end = timestamp
        aggregate = self._initial()
        found = self._access.find(key_bytes, timestamp - self._gap, timestamp + self._gap)
        for first, last, cell in found:
            aggregate = self._merge(key, aggregate, cell)
            start, end = min(start, first), max(end, last)
        if end < closed_before:
            self.context.drop_late(_EXPIRED)
        else:
            if start != end:
                for first, last, cell in found:
                    self._access.remove(key_bytes, key, first, last)
                    self._update(key, first, last, None, cell)
            aggregate = self._combine(key, record._value, aggregate)
            self._access.write(key_bytes, key, start, end, aggregate)
            self._update(key, start, end, aggregate, None)
        if self._on_close:
            self._emit_closed(record, closed_before)

    def _close_idle(self, now_ms: int) -> None:
        """Emit the sessions that the wall clock has closed; what comes for them now is late."""
        time = self._idle.closed(now_ms, self._stream_time)
        if time is not None:
            self._stream_time = time
            occasion = make_record(None, None, now_ms, None)
            self._emit_closed(occasion, time - self._grace - self._gap)

    def _close_times(self, stream_time: int) -> Iterator[int]:
        first_end = max(0, stream_time - self._grace - self._gap)
        for _, _, end, _ in self._access.ended(first_end, LONG_MAX):
            yield end + 1 + self._gap + self._grace

    def process_chunk(self, chunk: Chunk) -> None:
        """Add the records to their sessions."""
        chunk = self.kept(chunk, [key is not None for key in chunk.keys], _NO_KEY)
        if not chunk:
            return
        try:
            owners, key_bytes = identities(chunk.keys, self._access.serialize_keys)
        except Exception:  # noqa: BLE001 - which key it was will show record by record
            self.context.each(chunk)
            return
        if not self._access.has_room([key_bytes[owner] for owner in owners], chunk):
            self.context.each(chunk)
            return
        run = SessionRun(self._rules, self._access, chunk, owners, key_bytes)
        if not run.has_room():
            self.context.each(chunk)
            return
        first = 0
        while first < len(chunk):
            first = self._take(run, chunk, first)

    def _take(self, run: SessionRun, chunk: Chunk, first: int) -> int:
        """Take records up to one that does not go by columns, and it; return the next one."""
        stop, self._stream_time = run.take(first, self._stream_time)
        run.store()
        for row in run.expired:
            self.context.drop_late(_EXPIRED, chunk, row)
        if self._at_once and run.forwards.rows:
            updates = run.forwards.chunk(chunk, sends_old=self._settings.sends_old)
            self.context.forward_chunk(updates)
        if run.error is not None:
            self.context.fail(chunk, stop, run.error)
        elif stop < len(chunk):
            self.context.each(chunk.slice(stop, stop + 1))
            run.refresh(stop)
        return stop + 1

    def _update(self, key: Any, start: int, end: int, new: Any, old: Any) -> None:
        if self._at_once:
            change = Change(new, old if self._settings.sends_old else None)
            windowed = Windowed(key, SessionWindow(start, end))
            self.forward(make_record(windowed, change, end, Headers()))

    def _emit_closed(self, record: AnyRecord, closed_before: int) -> None:
        """Forward the sessions that have closed since the last time, in the store's order."""
        if closed_before <= max(0, self._last_close):
            return
        first_end = max(0, self._last_close)
        for key_bytes, start, end, cell in self._access.ended(first_end, closed_before - 1):
            windowed = Windowed(self._access.key_of(key_bytes), SessionWindow(start, end))
            self.forward(make_record(windowed, Change(cell, None), end, record._headers))
        self._last_close = closed_before


class _SessionFlushListener:
    """Forwards what the store's cache flushes; the time of a session is its end."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __call__(self, key: Any, new: Any, old: Any, timestamp: int, record_context: Any) -> None:
        headers = record_context._headers
        end = key.window().end()
        self._context.forward(make_record(key, Change(new, old), end, headers))

    def flush_chunk(self, chunk: Chunk) -> None:
        """Forward a run of updates."""
        ends = [key._window._end for key in chunk.keys]
        self._context.forward_chunk(chunk.at(ends))
