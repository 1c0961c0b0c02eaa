"""Processor that forwards the first of several equal records."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.durations import LONG_MIN
from millstream.topology.deduplication.ids import NO_ID, Ids
from millstream.topology.operators.operator import AnyRecord
from millstream.topology.operators.stream_time import SavesStreamTime

_TIME = struct.Struct(">q")
_TIMES = struct.Struct(">qq")
_BY_ID, _BY_TIME = b"\x00", b"\x01"
_ID_START = len(_BY_TIME) + _TIME.size
NOWHERE = -1
"""The offset of a record that no topic has, such as a punctuator's."""
_NO_OFFSET = -2
_NO_TIME = LONG_MIN


class Deduplicate(SavesStreamTime):
    """Forwards a record unless one of the same id, at most the interval away in time, is known.

    Known is what was forwarded and lies at most the interval before stream time, which is the
    largest event time that this processor has seen. So an id has one entry at most: two would be
    further apart than that.

    The store has for each known record ``0 || id -> time, offset, partition, topic`` and, to find
    what has expired, ``1 || time || id``.

    Source: KIP-655.
    """

    _swept = True
    """Whether the store has nothing older: the interval was longer, maybe, before a restart."""

    def __init__(self, ids: Ids, interval_ms: int, store: str) -> None:
        self._ids = ids
        self._interval = interval_ms
        self._store_name = store

    def init(self, context: Any) -> None:
        self._context = context
        self._store = context.getStateStore(self._store_name)
        self._access = self._store.access()
        self._ids.bind(context, f"{context.applicationId()}-{self._store_name}-changelog")
        # A changelog has every single write.
        self.by_records = self._access.logs or not self._access.folds

    def combine(self, saved: Sequence[bytes]) -> bytes:
        """Return the smallest of several tasks' stream times.

        Entries expire when stream time moves on, from what it was: those of every task are still
        to be found then. A task without records has none.
        """
        times = [time for (time,) in map(_TIME.unpack, saved) if time >= 0]
        return _TIME.pack(min(times, default=-1))

    def restore(self, data: bytes) -> None:
        super().restore(data)
        self._swept = False

    def process(self, record: AnyRecord) -> None:
        found, timestamp = self._ids.of(record), record._timestamp
        if not self._swept:
            self._sweep()
        if timestamp > self._stream_time:
            before, self._stream_time = self._stream_time, timestamp
            for key in self._expired(before):
                self._store.put(key, None)
                self._store.put(_BY_ID + key[_ID_START:], None)
        if found is None or self._is_first(found, timestamp):
            self._context.forward(record)

    def process_chunk(self, chunk: Chunk) -> None:
        if not self._swept and self._between(0, self._stream_time - self._interval):
            self._context.each(chunk)
            return
        self._swept = True
        chunk = self._ids.first_ones(chunk, self._context.each)
        for run, columns in self._ids.columns(self._context, chunk):
            try:
                slots, ids = self._ids.slots(columns)
            except Exception:  # noqa: BLE001 - which record it was will show one by one
                self._context.each(run)
                continue
            keep = self._first_of(run, slots, ids)
            self._context.forward_chunk(run if all(keep) else run.select(keep))

    def _is_first(self, found: bytes, timestamp: int) -> bool:
        """Return whether a record is no duplicate, and add its id if it is new."""
        metadata = self._context.recordMetadata()
        offset, place = NOWHERE, b""
        if metadata is not None:
            offset = metadata.offset()
            place = _place(metadata.partition(), metadata.topic())
        known = self._store.get(_BY_ID + found)
        if known is not None:
            # The same offset again is no duplicate: the record was seen before a crash.
            again = offset != NOWHERE and known[_TIME.size :] == _TIME.pack(offset) + place
            (time,) = _TIME.unpack_from(known)
            return again or abs(timestamp - int(time)) > self._interval
        if timestamp >= self._stream_time - self._interval:
            now = _TIME.pack(timestamp)
            self._store.put(_BY_ID + found, now + _TIME.pack(offset) + place)
            self._store.put(_BY_TIME + now + found, b"")
        return True

    def _first_of(self, run: Chunk, slots: list[int], ids: list[bytes]) -> list[bool]:
        """Return for each record whether it is no duplicate, and add the new ids."""
        place = _place(run.partition, run.topic)
        interval, before, now = self._interval, self._stream_time, self._stream_time
        known = self._access.read_many([_BY_ID + each for each in ids])
        times, offsets = _unpacked(known, place)
        new: dict[int, int] = {}
        keep: list[bool] = []
        for slot, timestamp, offset in zip(slots, run.timestamps, run.offsets, strict=True):
            if timestamp > now:  # noqa: PLR1730 - twice as fast as max()
                now = timestamp
            if slot == NO_ID:
                keep.append(True)
                continue
            time, limit = times[slot], now - interval
            if time >= limit:
                again = offset == offsets[slot]
                keep.append(again or not -interval <= timestamp - time <= interval)
                continue
            keep.append(True)
            if timestamp >= limit:
                times[slot] = timestamp
                offsets[slot] = _NO_OFFSET if offset == NOWHERE else offset
                new[slot] = offset
        self._stream_time = now
        self._write(run, before, place, ((ids[slot], times[slot], new[slot]) for slot in new))
        return keep

    def _write(
        self, run: Chunk, before: int, place: bytes, new: Iterable[tuple[bytes, int, int]]
    ) -> None:
        """Delete the expired ids, and store the new ones that have not expired."""
        limit = self._stream_time - self._interval
        entries: dict[bytes, bytes | None] = {}
        for key in self._expired(before):
            entries[key] = entries[_BY_ID + key[_ID_START:]] = None
        pack = _TIME.pack
        for found, timestamp, offset in new:
            if timestamp >= limit:
                time = pack(timestamp)
                entries[_BY_ID + found] = time + pack(offset) + place
                entries[_BY_TIME + time + found] = b""
        if entries:
            keys, times = list(entries), [self._stream_time] * len(entries)
            values = list(entries.values())
            self._access.write_many(keys, keys, values, times, run, range(len(keys)))

    def _expired(self, before: int) -> list[bytes]:
        """Return what has expired since stream time was ``before``, as keys of the time index."""
        return self._between(max(0, before - self._interval), self._stream_time - self._interval)

    def _sweep(self) -> None:
        """Delete what a longer interval has left: nothing else would find it any more."""
        self._swept = True
        for key in self._between(0, self._stream_time - self._interval):
            by_id = _BY_ID + key[_ID_START:]
            known = self._store.get(by_id)
            # A newer entry of the id stays.
            if known is not None and known[: _TIME.size] == key[len(_BY_TIME) : _ID_START]:
                self._store.put(by_id, None)
            self._store.put(key, None)

    def _between(self, first: int, limit: int) -> list[bytes]:
        """Return the keys of the time index from one time to before another."""
        if limit <= first:
            return []
        lower, end = (_BY_TIME + _TIME.pack(time) for time in (first, limit))
        # The range includes its end, where an empty id would be.
        with self._store.range(lower, end) as entries:
            return [entry.key for entry in entries if entry.key < end]


def _place(partition: int, topic: str | None) -> bytes:
    return struct.pack(">i", partition) + (topic or "").encode()


def _unpacked(known: Iterable[bytes | None], place: bytes) -> tuple[list[int], list[int]]:
    """Return for each entry its time, and its offset if a record of this place could have it."""
    times, offsets = list[int](), list[int]()
    for data in known:
        time, offset = _NO_TIME, _NO_OFFSET
        if data is not None:
            time, found = _TIMES.unpack_from(data)
            if found != NOWHERE and data[_TIMES.size :] == place:
                offset = found
        times.append(time)
        offsets.append(offset)
    return times, offsets
