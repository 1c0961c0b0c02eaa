"""Base of the aggregations by window: stream time, windows that have closed, and the saved state.

A record is late for a window once *close time* has passed the window's end. Close time is stream
time minus the grace period, and of sessions minus the inactivity gap as well.
"""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, ClassVar

from millstream.core.chunk import Chunk
from millstream.core.durations import LONG_MAX
from millstream.core.errors import StreamsException
from millstream.core.headers import Headers
from millstream.core.records import Change, make_record
from millstream.core.state.access import WindowAccess
from millstream.topology.operators.folding import Combine, Initial
from millstream.topology.operators.forwarding import ForwardingListener, forwards_at_once
from millstream.topology.operators.idle import IdleClock
from millstream.topology.operators.operator import AnyRecord, Operator
from millstream.topology.operators.returned import Returned, only_constants
from millstream.topology.operators.table_settings import TableSettings

_TIMES = struct.Struct(">qq")
EXPIRED = "expired window"
_AT_ONCE = 4096
"""How many closed windows are in memory at a time."""
_WORTH_A_CHUNK = 4

StoredWindow = tuple[Any, Any, int]
"""Windowed key, aggregate and time."""
ClosedWindows = tuple[list[Any], list[Any], list[int]]
"""The same of many windows."""


class WindowedAggregate(Operator):
    """An aggregate per key and window; stream time is the largest event time it has seen.

    Args:
        initial: Makes the aggregate of a new window.
        combine: Adds a record to an aggregate.
        grace_ms: How far close time is behind stream time.
        reach_ms: How far the start of a window that has just closed is behind close time; of a
            session, its end.
        on_close: Whether a window is forwarded once, when it has closed; else at each update.
        idle_ms: How long no record must have come for the wall clock to close windows.
        settings: What the graph demands.

    Source: ``internals.AbstractKStreamTimeWindowAggregateProcessor``.
    """

    minds_lateness = True
    needs_value: ClassVar[bool] = False
    """Records without value are dropped, not only those without key."""
    end_inclusive: ClassVar[bool] = True
    """The end of a window belongs to it."""
    listener: ClassVar[type[ForwardingListener]] = ForwardingListener

    def __init__(
        self,
        initial: Initial,
        combine: Combine,
        *,
        grace_ms: int,
        reach_ms: int,
        on_close: bool = False,
        idle_ms: int | None = None,
        settings: TableSettings,
    ) -> None:
        self._initial = initial
        self._combine = combine
        self._grace = grace_ms
        self._reach = reach_ms
        self._on_close = on_close
        self._settings = settings
        self._idle = IdleClock(idle_ms, self._close_times)
        self._stream_time = -1
        self._last_close = -1
        """The close time up to which windows have been forwarded; -1 before that."""

    def init(self, context: Any) -> None:
        super().init(context)
        assert self._settings.store is not None
        self._store: Any = context.getStateStore(self._settings.store)
        self._access: Any = self._store.access()
        self._returned = Returned(trusted=only_constants(self._access.plain))
        # What has closed is forwarded after each record; a subclass may know after which.
        self.by_records = self._on_close or not self._access.folds
        self._at_once = not self._on_close and forwards_at_once(
            context, self._store, sends_old=self._settings.sends_old, listener=self.listener
        )
        self._idle.init(context, self._close_idle)

    def save(self) -> bytes:
        """Return the stream time seen and up to when windows have been forwarded."""
        return _TIMES.pack(self._stream_time, self._last_close) + self._idle.save()

    def combine(self, saved: Sequence[bytes]) -> bytes:
        """Return the largest stream time, and up to when every task has forwarded windows.

        What a task has forwarded beyond that is forwarded once more: better than never.
        """
        times = [_TIMES.unpack_from(data) for data in saved]
        stream_time = max(time for time, _ in times)
        # An adopted task knows what was forwarded before it has a time of its own.
        last_close = min((last for time, last in times if max(time, last) >= 0), default=-1)
        idle = IdleClock.combined([data[_TIMES.size :] for data in saved])
        return _TIMES.pack(stream_time, last_close) + idle

    def saved_after(self, close_time: int) -> bytes:
        """Return what ``save`` does once windows were forwarded up to a close time, and no more."""
        return _TIMES.pack(-1, close_time) + self._idle.save()

    @property
    def emitted_until(self) -> int:
        """The close time up to which windows have been forwarded on close; -1 for none."""
        return self._last_close if self._on_close else -1

    @property
    def store_name(self) -> str | None:
        """The name of the aggregates' store."""
        return self._settings.store

    def restore(self, data: bytes) -> None:
        self._stream_time, self._last_close = _TIMES.unpack_from(data)
        self._idle.restore(data[_TIMES.size :])

    def process(self, record: AnyRecord) -> None:
        """Add the record to its windows, then forward the windows that it has closed."""
        if self._on_close:
            self._idle.record_came()
        if record._key is None or (self.needs_value and record._value is None):
            self.context.drop("null key or value" if self.needs_value else "null key")
            return
        self._stream_time = max(self._stream_time, record._timestamp)
        close_time = self._stream_time - self._grace
        if self._add(record, close_time) and self._on_close:
            self._forward_closed(record, close_time)

    @abstractmethod
    def _add(self, record: AnyRecord, close_time: int) -> bool:
        """Add a record to its open windows; False if a later record forwards what it closes."""

    def _closed_between(self, last_close: int, close_time: int) -> tuple[int, int] | None:
        """Return the first and the last start of the windows that have closed in between.

        Args:
            last_close: The last close time; -1 if there was none.
            close_time: The new one.

        Returns:
            None if there can be no such window. Of sessions, the ends.
        """
        last = close_time - self._reach
        if last < 0:
            return None
        return (0 if last_close == -1 else max(0, last_close - self._reach + 1)), last

    def _stored(self, first: int, last: int) -> Generator[StoredWindow, None, None]:
        """Yield the windows that start within bounds, both inclusive, in the store's order."""
        with self._store.fetchAll(first, last) as found:
            for entry in found:
                yield entry.key, entry.value.value(), entry.value.timestamp()

    def _forward_closed(self, record: AnyRecord, close_time: int) -> None:
        """Forward what has closed since the last time, with the headers of ``record``."""
        if self._last_close != -1 and self._last_close >= close_time:
            return
        bounds = self._closed_between(self._last_close, close_time)
        if bounds is None:
            return
        with closing(self._columns(*bounds)) as found:
            for keys, values, times in found:
                self._forward_stored(record, keys, values, times)
        self._last_close = close_time

    def _columns(self, first: int, last: int) -> Generator[ClosedWindows, None, None]:
        """Yield what ``_stored`` does as columns."""
        access, blocks = self._access, None
        # A metric tells of each read of the store.
        if isinstance(access, WindowAccess) and not self.context.measures.debug:
            blocks = access.between(first, last, _AT_ONCE)
        if blocks is not None:
            for windowed, cells in blocks:
                yield windowed, [value for value, _ in cells], [time for _, time in cells]
            return
        with closing(self._stored(first, last)) as found:
            while some := list(islice(found, _AT_ONCE)):
                keys, values, times = map(list, zip(*some, strict=True))
                yield keys, values, times

    def _forward_stored(
        self, record: AnyRecord, keys: list[Any], values: list[Any], times: list[int]
    ) -> None:
        if min(times) < 0:
            raise self._timeless(min(times))
        source, count = self.context.record_context, len(keys)
        if source is None or count < _WORTH_A_CHUNK:
            for key, value, time in zip(keys, values, times, strict=True):
                self.forward(make_record(key, Change(value, None), time, record._headers))
            return
        headers: list[Headers | None] | None = None
        if record._headers:
            # Each has its own: a processor or serializer below may add some.
            headers = [record._headers.copy() for _ in keys]
        self.context.forward_chunk(
            Chunk(
                source.topic(),
                source.partition(),
                [source.offset()] * count,
                times,
                keys,
                values,
                headers,
                [None] * count,
            )
        )

    def _timeless(self, time: int) -> StreamsException:
        """Return the error for a window without time, which no record can have either."""
        return StreamsException(
            "Malformed Record",
            detail=f'Its timestamp is {time}: store "{self._settings.store}" keeps no times.',
            hint="Give Stores.persistentTimestampedWindowStore() to an aggregation that emits on "
            "close.",
        )

    def _close_idle(self, now_ms: int) -> None:
        """Forward the windows that the wall clock has closed; later records of them are late."""
        time = self._idle.closed(now_ms, self._stream_time)
        if time is not None:
            self._stream_time = time
            self._forward_closed(make_record(None, None, now_ms, None), time - self._grace)

    def _close_times(self, stream_time: int) -> Iterator[int]:
        """Yield for each open window the stream time that closes it."""
        first = max(0, stream_time - self._grace - self._reach)
        with closing(self._stored(first, LONG_MAX)) as found:
            for key, _, _ in found:
                yield key.window().end() + self.end_inclusive + self._grace
