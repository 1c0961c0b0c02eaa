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

_PREFIX, END = b"\0", b"\1"
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
        self.logs = logged
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
        self.logs = self.logs and context.logs_changes(self.name())
        # As in Kafka, serdes are told the join's name.
        self.topic = self.name().removesuffix("-Buffer")
        calls = self.calls = SerdeCalls(context, *self._serdes)
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
        if not self.admit(timestamp):
            return False
        headers = self._headers()
        slot = self.slot(timestamp, self._write_key(self.topic, headers, record._key) or b"")
        value = record._value
        if value is not None:
            value = self._write_value(self.topic, headers, value)
        data = self.store(slot, value, context)
        self._log(slot, data + _PADDING)
        # Headers are read from the bytes: others may change them until then.
        its_context = _read(data)[0] if context._headers else _without_headers(context)
        self._fresh[slot] = its_context, value
        heappush(self._order, slot)
        if len(self._fresh) > _MOST_FRESH:
            self.forget()
        return True

    def admit(self, timestamp: int) -> bool:
        """Let stream time go on to a record's; False if that is too late to wait."""
        if self._stream_time - self._grace > timestamp:
            return False
        self._stream_time = max(self._stream_time, timestamp)
        self._earliest = min(self._earliest, timestamp)
        return True

    def slot(self, timestamp: int, key: bytes) -> bytes:
        """Return the store's key for the next record, which comes after those of before."""
        self._sequence = (self._sequence + 1) & _MAX_SEQUENCE
        return _PREFIX + _LONG.pack(timestamp) + key + _INT.pack(self._sequence)

    def store(self, slot: bytes, value: bytes | None, context: RecordContext) -> bytes:
        """Write a record to the store; return what was written."""
        # Kafka's buffers also have room for two former values, which a stream's records lack.
        data = context_bytes(context) + ABSENT + ABSENT + sized(value)
        self._access.write(slot, slot, data, context._timestamp)
        return data

    def release(self) -> Iterator[tuple[Record[Any, Any], RecordContext]]:
        """Yield the records that are old enough, each removed after the caller has processed it."""
        if (limit := self.limit()) is None:
            return
        for slot, context, value in self._due(self.end_of(limit)):
            yield self._record(slot, context, value), context
            self._access.write(slot, slot, None, context.timestamp())
            self._log(slot, None)
        self.has_released(limit)

    def limit(self) -> int | None:
        """Return the latest time that is old enough; None if no record can have it."""
        limit = self._stream_time - self._grace
        return None if limit < max(0, self._earliest) else limit

    @staticmethod
    def end_of(limit: int) -> bytes:
        """Return the first key after those of records up to a time."""
        return _PREFIX + _LONG.pack(limit + 1)

    def has_released(self, limit: int) -> None:
        """Note that all up to a time has been released."""
        self._earliest = limit + 1
        self._released = True

    def _record(self, slot: bytes, context: RecordContext, value: bytes | None) -> Record[Any, Any]:
        key = self._read_key(self.topic, self._headers(), slot[_KEY_START : -_INT.size])
        shown: Any = value
        if value is not None:
            shown = self._read_value(self.topic, self._headers(), value)
        return make_record(key, shown, context.timestamp(), context._headers)

    def _due(self, end: bytes) -> Iterator[tuple[bytes, RecordContext, bytes | None]]:
        """Yield what comes before a key, in order; each kept until the caller goes on."""
        order, fresh, older = self._order, self._fresh, self._older
        while True:
            first = self.first_older()
            if order and order[0] < min(first, end):
                slot = order[0]
                yield (slot, *fresh[slot])
                del fresh[heappop(order)]
            elif first < end:
                yield (first, *_read(older[0][1]))
                older.popleft()
            else:
                return

    def first_older(self) -> bytes:
        """Return the key of the first of the older records; ``END`` if there are none."""
        if not self._older and self._read_to is not None:
            self._read_ahead(self._read_to)
        return self._older[0][0] if self._older else END

    def older(self) -> tuple[Record[Any, Any], RecordContext]:
        """Return the first of the older records, and its context."""
        slot, data = self._older[0]
        context, value = _read(data)
        return self._record(slot, context, value), context

    def remove_older(self) -> None:
        """Remove the first of the older records."""
        slot, _ = self._older.popleft()
        self._access.write(slot, slot, None, 0)

    def _read_ahead(self, start: bytes) -> None:
        """Take more of the older records from the store."""
        if not start:
            # What this object has released is stepped over in each scan that begins before it.
            earliest = _LONG.pack(max(0, self._earliest)) if self._released else b""
            start = _PREFIX + earliest
        self._read_to = None
        with self._store.range(start, END) as entries:
            for slot, data in entries:
                if slot in self._fresh:
                    continue
                self._older.append((slot, data))
                if len(self._older) == _READ_AHEAD:
                    self._read_to = slot + b"\0"
                    return

    def forget(self) -> None:
        """Have everything in the store only."""
        self._fresh.clear()
        self._order.clear()
        self._older.clear()
        self._read_to = b""

    def save(self) -> bytes:
        """Return what decides about lateness and order after a restart."""
        self.forget()
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
        self.forget()

    def _log(self, key: bytes, value: bytes | None) -> None:
        if self.logs:
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
