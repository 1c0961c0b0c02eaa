"""Processor of ``count``, ``reduce`` and ``aggregate`` by key and sliding window."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.durations import LONG_MAX
from millstream.core.records import Change, make_record
from millstream.core.windows import SlidingWindows, TimeWindow, Windowed
from millstream.topology.operators.folding import Cell, Combine, Initial
from millstream.topology.operators.in_order import InOrderAggregate
from millstream.topology.operators.lost_aggregates import look_at_lost
from millstream.topology.operators.operator import AnyRecord


@dataclass(slots=True)
class _Neighbours:
    """Windows around a new record, which decide which windows it still needs."""

    starts: set[int] = field(default_factory=set)
    left: Cell = None
    """The last window that ends before the record."""
    right: Cell = None
    """The latest window that has the record and may have later ones."""
    has_left: bool = False
    has_right: bool = False
    previous: int | None = None
    """Time of the record before the new one."""


class SlidingAggregate(InOrderAggregate):
    """Updates one aggregate per key and set of records that are at most a difference apart.

    A record makes the window that ends with it, and the ones that begin just after it and just
    after its predecessor if there are records in them. Records earlier than the difference share
    the window that starts at 0. A record without key or value is dropped.

    Source: ``internals.KStreamSlidingWindowAggregate``.
    """

    needs_value = True

    def __init__(
        self,
        windows: SlidingWindows,
        initial: Initial,
        combine: Combine,
        **options: Any,
    ) -> None:
        super().__init__(
            initial,
            combine,
            grace_ms=windows.gracePeriodMs(),
            reach_ms=windows.timeDifferenceMs() + 1,
            **options,
        )
        self._difference = windows.timeDifferenceMs()
        self._made: Any = None

    def process_chunk(self, chunk: Chunk) -> None:
        given = zip(chunk.keys, chunk.values, strict=True)
        whole = [key is not None and value is not None for key, value in given]
        chunk = self.kept(chunk, whole, "null key or value")
        self._add_in_order(self._returned.first_ones(chunk, self.context.each))

    def _add_one(self, record: AnyRecord, key_bytes: Any, close_time: int) -> bool:
        timestamp = record._timestamp
        if timestamp + self._difference < close_time:
            self._drop_late()
            return False
        if key_bytes is None:
            key_bytes = self._access.serialize_key(record._key)
        if timestamp < self._difference:
            # As in Kafka, such a record does not forward what it closes; the next other one will.
            self._process_early(record, key_bytes, close_time)
            return False
        self._process(record, key_bytes, close_time)
        return True

    def _process(self, record: AnyRecord, key_bytes: bytes, close_time: int) -> None:
        timestamp, near = record._timestamp, _Neighbours()
        first = max(0, timestamp - 2 * self._difference)
        for start, cell in self._access.fetch(key_bytes, first, timestamp + 1, reverse=True):
            _, time = cell
            end = start + self._difference
            near.starts.add(start)
            if start == timestamp + 1:
                near.has_right = True
            elif end > timestamp:
                near.right = near.right or cell
                self._add_to(record, key_bytes, start, cell, close_time)
            elif end == timestamp:
                near.has_left = True
                self._add_to(record, key_bytes, start, cell, close_time)
                if time >= timestamp:
                    return
                near.previous = time
            else:
                near.left, near.previous = cell, time
                break
        self._make_windows(record, key_bytes, near, close_time)

    def _make_windows(
        self, record: AnyRecord, key_bytes: bytes, near: _Neighbours, close_time: int
    ) -> None:
        timestamp, previous = record._timestamp, near.previous
        in_reach = previous is not None and previous + self._difference + 1 >= timestamp
        if previous is not None and in_reach and previous + 1 not in near.starts:
            self._add_to(record, key_bytes, previous + 1, self._fresh(timestamp), close_time)
        if not near.has_left:
            start = timestamp - self._difference
            shared = near.left if previous is not None and start <= previous else None
            cell = self._fresh(timestamp) if shared is None else (shared[0], timestamp)
            self._add_to(record, key_bytes, start, cell, close_time)
        self._make_right(record, key_bytes, near)

    def _process_early(self, record: AnyRecord, key_bytes: bytes, close_time: int) -> None:
        """Add a record for which a window ending with it would start before time 0."""
        timestamp, near, combined = record._timestamp, _Neighbours(), None
        for start, cell in self._access.fetch(key_bytes, 0, timestamp + 1):
            _, time = cell
            near.starts.add(start)
            if start == 0:
                combined = cell
                if time < timestamp:
                    near.previous = time
            elif start <= timestamp:
                near.right = cell
                self._add_to(record, key_bytes, start, cell, close_time)
            else:
                near.has_right = True
        if near.right is None and combined is not None and combined[1] > timestamp:
            near.right = combined
        self._make_right(record, key_bytes, near)
        if near.previous is not None and near.previous + 1 not in near.starts:
            self._add_to(record, key_bytes, near.previous + 1, self._fresh(timestamp), close_time)
        if combined is None:
            combined = self._fresh(timestamp)
        self._add_to(record, key_bytes, 0, combined, close_time)

    def _make_right(self, record: AnyRecord, key_bytes: bytes, near: _Neighbours) -> None:
        """Make the window of the records just after this one, if there are any; never too late."""
        if near.has_right or near.right is None or near.right[1] <= record._timestamp:
            return
        value, time = near.right
        self._update(record, key_bytes, record._timestamp + 1, value, None, time)

    def _fresh(self, timestamp: int) -> tuple[Any, int]:
        self._made = self._initial()
        return self._made, timestamp

    def _add_to(
        self, record: AnyRecord, key_bytes: bytes, start: int, cell: tuple[Any, int], close: int
    ) -> None:
        """Add the record to what a window holds, unless the window has closed."""
        if start + self._difference < close:
            self._drop_late()
            return
        old, time = cell
        new = self._combine(record._key, record._value, old)
        self._returned.look(new)
        if new is None and old is self._made:
            look_at_lost(self._combine, old)
        time = record._timestamp if old is None else max(record._timestamp, time)
        self._update(record, key_bytes, start, new, old, time)

    def _update(
        self, record: AnyRecord, key_bytes: bytes, start: int, new: Any, old: Any, time: int
    ) -> None:
        """Write what a window holds now, and forward it, unless a cache does so later."""
        access, chunk = self._access, self._chunk
        if start >= LONG_MAX:
            TimeWindow.of_start(start, self._difference)  # which raises: it cannot be
        if chunk is not None:
            raw_key = access.join(key_bytes, start)
            access.write_at(raw_key, record._key, new, time, chunk, self._row)
        else:
            access.write(key_bytes, record._key, start, new, time)
        if not self._at_once:
            return
        windowed = Windowed(record._key, TimeWindow.of_start(start, self._difference))
        sent_old = old if self._settings.sends_old else None
        if chunk is not None:
            self._updates.append((self._row, windowed, new, sent_old, time))
        else:
            change = Change(new, sent_old)
            self.forward(make_record(windowed, change, time, record._headers))
