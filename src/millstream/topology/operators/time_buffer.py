"""Buffer of records that are released when stream time is a grace period past theirs."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Any

from millstream.core.durations import LONG_MAX
from millstream.core.errors import NullPointerException
from millstream.core.record_bytes import ABSENT, BytesReader, context_bytes, sized
from millstream.core.record_context import RecordContext
from millstream.core.records import Record, make_record
from millstream.core.state import StateStore, StateStoreContext
from millstream.topology.operators.operator_store import OperatorStore, SerdeCalls

_LONG = struct.Struct(">q")
_INT = struct.Struct(">i")
_TIMES = struct.Struct(">qqi")

_PREFIX, _END = b"\0", b"\1"
_PADDING = bytes(8)
_KEY_START = len(_PREFIX) + _LONG.size
_MAX_SEQUENCE = 0x7FFFFFFF
_MOST_FRESH = 100_000
_READ_AHEAD = 200
"""How many records a scan of the store takes."""

Buffered = tuple[RecordContext, "bytes | None"]
"""A record's context and value."""


class TimeBuffer(OperatorStore):
    """Records ordered by time, then key bytes, then arrival; each released once it is old enough.

    Keys and values are those of Kafka's changelog: ``0 || time || key || sequence``, and the
    record's context before its value.

    What was added since the last commit is also kept as objects, as most of it is released before
    the next one: then the store is not asked for it. What is older is read from the store a number
    of records at a time.

    Source: ``internals.RocksDBTimeOrderedKeyValueBuffer`` (KIP-923).
    """

    def __init__(
        self, store: Any, *, grace_ms: int, logged: bool, key_serde: Any, value_serde: Any
    ) -> None:
        super().__init__(store)
        self._grace = grace_ms
        self._logged = logged
        self._serdes = (key_serde, value_serde)
        self._stream_time = -1
        self._earliest = LONG_MAX
        self._sequence = 0
        self._released = False
        """Nothing is older than ``_earliest``: all before it has been released by this object."""
        self._fresh: dict[bytes, Buffered] = {}
        """Added since the last commit, by key."""
        self._order: list[bytes] = []
        """Their keys, a heap."""
        self._older: deque[tuple[bytes, bytes]] = deque()
        """The first of the others, in order, as they are stored."""
        self._read_to: bytes | None = b""
        """Where the store has more of them; empty: at the earliest, None: nowhere."""

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        super().init(stateStoreContext, root)
        context = self._context = stateStoreContext
        self._logged = self._logged and context.logs_changes(self.name())
        # As in Kafka, serdes are told the join's name.
        self._topic = self.name().removesuffix("-Buffer")
        calls = SerdeCalls(context, *self._serdes)
        self._write_key, self._read_key = calls.write_key, calls.read_key
        (self._write_value,), (self._read_value,) = calls.value_writers, calls.value_readers
        self.wants_headers, self._headers = calls.want_headers, calls.headers

    def add(self, record: Record[Any, Any], context: RecordContext) -> bool:
        """Buffer a record; False if it is too late for that.

        Raises:
            NullPointerException: It has no key.
        """
        if record._key is None:
            raise NullPointerException("key cannot be null")
        timestamp = record._timestamp
        if self._stream_time - self._grace > timestamp:
            return False
        self._stream_time = max(self._stream_time, timestamp)
        self._earliest = min(self._earliest, timestamp)
        self._sequence = (self._sequence + 1) & _MAX_SEQUENCE
        headers = self._headers()
        key = self._write_key(self._topic, headers, record._key) or b""
        slot = _PREFIX + _LONG.pack(timestamp) + key + _INT.pack(self._sequence)
        value = record._value
        if value is not None:
            value = self._write_value(self._topic, headers, value)
        # Kafka's buffers also have room for two former values, which a stream's records lack.
        data = context_bytes(context) + ABSENT + ABSENT + sized(value)
        self._access.write(slot, slot, data, timestamp)
        self._log(slot, data + _PADDING)
        # Headers are read from the bytes: others may change them until then.
        its_context = _read(data)[0] if context._headers else _without_headers(context)
        self._fresh[slot] = its_context, value
        heappush(self._order, slot)
        if len(self._fresh) > _MOST_FRESH:
            self._forget()
        return True

    def release(self) -> Iterator[tuple[Record[Any, Any], RecordContext]]:
        """Yield the records that are old enough, each removed after the caller has processed it."""
        limit = self._stream_time - self._grace
        if limit < max(0, self._earliest):
            return
        for slot, context, value in self._due(limit):
            key = self._read_key(self._topic, self._headers(), slot[_KEY_START : -_INT.size])
            shown = value
            if shown is not None:
                shown = self._read_value(self._topic, self._headers(), shown)
            record = make_record(key, shown, context.timestamp(), context._headers)
            yield record, context
            self._access.write(slot, slot, None, context.timestamp())
            self._log(slot, None)
        self._earliest = limit + 1
        self._released = True

    def _due(self, limit: int) -> Iterator[tuple[bytes, RecordContext, bytes | None]]:
        """Yield what is not younger than a time, in order; each kept until the caller goes on."""
        end = _PREFIX + _LONG.pack(limit + 1)
        order, fresh, older = self._order, self._fresh, self._older
        while True:
            if not older and self._read_to is not None:
                self._read_ahead(self._read_to)
            first = older[0][0] if older else _END
            if order and order[0] < min(first, end):
                slot = order[0]
                yield (slot, *fresh[slot])
                del fresh[heappop(order)]
            elif first < end:
                yield (first, *_read(older[0][1]))
                older.popleft()
            else:
                return

    def _read_ahead(self, start: bytes) -> None:
        """Take more of the older records from the store."""
        if not start:
            # What this object has released is stepped over in each scan that begins before it.
            earliest = _LONG.pack(max(0, self._earliest)) if self._released else b""
            start = _PREFIX + earliest
        self._read_to = None
        with self._store.range(start, _END) as entries:
            for slot, data in entries:
                if slot in self._fresh:
                    continue
                self._older.append((slot, data))
                if len(self._older) == _READ_AHEAD:
                    self._read_to = slot + b"\0"
                    return

    def _forget(self) -> None:
        """Have everything in the store only."""
        self._fresh.clear()
        self._order.clear()
        self._older.clear()
        self._read_to = b""

    def save(self) -> bytes:
        """Return what decides about lateness and order after a restart."""
        self._forget()
        return _TIMES.pack(self._stream_time, self._earliest, self._sequence)

    @staticmethod
    def combined(saved: Sequence[bytes]) -> bytes:
        """Return what ``save`` would return if the records of several tasks had come to one."""
        times, earliest, sequences = zip(*map(_TIMES.unpack, saved), strict=True)
        return _TIMES.pack(max(times), min(earliest), max(sequences))

    def restore(self, data: bytes) -> None:
        """Take up what ``save`` returned."""
        self._stream_time, self._earliest, self._sequence = _TIMES.unpack(data)
        self._released = False
        self._forget()

    def _log(self, key: bytes, value: bytes | None) -> None:
        if self._logged:
            # In Kafka the producer stamps them, with the time of the wall clock.
            no_time: Any = None
            self._context.log_change(self.name(), key, value, no_time, None)


def _read(data: bytes) -> tuple[RecordContext, bytes | None]:
    """Return the context and the value of a buffered record."""
    reader = BytesReader(data)
    context = reader.context()
    reader.sized()
    reader.sized()
    return context, reader.sized()


def _without_headers(context: RecordContext) -> RecordContext:
    return RecordContext(
        context._topic or None, context._partition, context._offset, context._timestamp, None
    )
