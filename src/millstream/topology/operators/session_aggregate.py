"""Processor of ``count``, ``reduce`` and ``aggregate`` by key and session."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.engine.failure import FATAL
from millstream.core.headers import Headers
from millstream.core.records import Change, make_record
from millstream.core.windows import SessionWindow, SessionWindows, Windowed
from millstream.topology.operators.folding import Combine, Initial, Merge, identities
from millstream.topology.operators.forwarding import SessionForwardingListener
from millstream.topology.operators.in_order import InOrderAggregate
from millstream.topology.operators.lost_aggregates import look_at_lost
from millstream.topology.operators.operator import AnyRecord
from millstream.topology.operators.session_run import SessionRules, SessionRun
from millstream.topology.operators.windowed import EXPIRED, StoredWindow


class SessionAggregate(InOrderAggregate):
    """Updates one aggregate per key and session; a record may make one session of several.

    The sessions that are merged are removed one by one before the new one is stored. A record is
    dropped if its session ended before close time. A record without key is dropped; one without
    value is not.

    Source: ``internals.KStreamSessionWindowAggregate``.
    """

    listener = SessionForwardingListener

    def __init__(
        self,
        windows: SessionWindows,
        initial: Initial,
        combine: Combine,
        merge: Merge | None,
        **options: Any,
    ) -> None:
        gap, grace = windows.inactivityGap(), windows.gracePeriodMs()
        super().__init__(
            initial,
            combine,
            grace_ms=grace + gap,
            reach_ms=1,
            **options,
        )
        assert merge is not None
        self._gap = gap
        self._merge = merge
        self._rules = SessionRules(
            gap=gap, grace=grace, initial=initial, combine=combine, merge=merge
        )

    def _add_one(self, record: AnyRecord, key_bytes: Any, close_time: int) -> bool:
        key, timestamp = record._key, record._timestamp
        if key_bytes is None:
            key_bytes = self._access.serialize_key(key)
        start = end = timestamp
        aggregate = self._initial()
        found = self._access.find(key_bytes, timestamp - self._gap, timestamp + self._gap)
        for first, last, cell in found:
            aggregate = self._merge(key, aggregate, cell)
            start, end = min(start, first), max(end, last)
        if end < close_time:
            self._drop_late()
            return True
        if start != end:
            for first, last, cell in found:
                self._remove(key_bytes, key, first, last)
                self._update(key, first, last, None, cell)
        new = self._combine(key, record._value, aggregate)
        self._returned.look(new)
        if new is None and not found:
            look_at_lost(self._combine, aggregate)
        self._write(key_bytes, key, start, end, new)
        self._update(key, start, end, new, None)
        return True

    def _write(self, key_bytes: bytes, key: Any, start: int, end: int, new: Any) -> None:
        if self._chunk is None:
            self._access.write(key_bytes, key, start, end, new)
        else:
            self._access.write_at(key_bytes, key, start, end, new, self._chunk, self._row)

    def _remove(self, key_bytes: bytes, key: Any, start: int, end: int) -> None:
        if self._chunk is None:
            self._access.remove(key_bytes, key, start, end)
        else:
            self._access.remove_at(key_bytes, key, start, end, self._chunk, self._row)

    def _update(self, key: Any, start: int, end: int, new: Any, old: Any) -> None:
        if self._at_once:
            change = Change(new, old if self._settings.sends_old else None)
            windowed = Windowed(key, SessionWindow.of_events(start, end))
            self.forward(make_record(windowed, change, end, Headers()))

    def _stored(self, first: int, last: int) -> Generator[StoredWindow, None, None]:
        for key_bytes, start, end, cell in self._access.ended(first, last):
            key = self._access.key_of(key_bytes)
            yield Windowed(key, SessionWindow.of_events(start, end)), cell, end

    def process_chunk(self, chunk: Chunk) -> None:
        chunk = self.kept(chunk, [key is not None for key in chunk.keys], "null key")
        chunk = self._returned.first_ones(chunk, self.context.each)
        if not chunk:
            return
        if self._access.cached:
            self._add_in_order(chunk)
            return
        run = self._run(chunk)
        if run is None:
            self.context.each(chunk)
            return
        first = 0
        while first < len(chunk):
            first = self._take(run, chunk, first)

    def _run(self, chunk: Chunk) -> SessionRun | None:
        """Return the sessions of a chunk's keys; None if its records have to go one by one."""
        try:
            owners, key_bytes = identities(chunk.keys, self._access.serialize_keys)
            return SessionRun(self._rules, self._access, chunk, owners, key_bytes)
        except FATAL:
            raise
        except Exception:  # noqa: BLE001 - record by record shows which key or row it was
            return None

    def _take(self, run: SessionRun, chunk: Chunk, first: int) -> int:
        """Take records up to one that does not go by columns, and it; return the next one."""
        stop, self._stream_time = run.take(first, self._stream_time)
        run.store()
        for row in run.expired:
            self.context.drop_late(EXPIRED, chunk, row)
        if self._at_once and run.updates:
            updates = run.chunk(sends_old=self._settings.sends_old)
            self._returned.forward_run(updates, updates.values, self.context)
        if run.error is not None:
            self.context.fail(chunk, stop, run.error)
        elif stop < len(chunk):
            self.context.each(chunk.slice(stop, stop + 1))
            run.refresh(stop)
        return stop + 1
