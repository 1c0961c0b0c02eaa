"""Store of the unmatched records of a left or outer join, and the stream time of both sides."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from millstream.core.durations import LONG_MAX
from millstream.core.state import StateStore, StateStoreContext
from millstream.topology.operators.operator_store import OperatorStore, SerdeCalls
from millstream.topology.operators.unmatched_order import UnmatchedOrder

_KEY = struct.Struct(">qB")
_TIMES = struct.Struct(">qq")

_LEFT = b"\x01"
_RIGHT = b"\x00"


@dataclass(frozen=True, slots=True)
class UnmatchedRecord:
    """A record that has matched no other record so far."""

    slot: bytes
    """The bytes of its time, its side and its key, by which it is stored."""
    key: bytes
    timestamp: int
    is_left: bool
    value: bytes


class UnmatchedRecords(OperatorStore):
    """Unmatched records by time; at equal times right ones come before left ones, then key bytes.

    Keys are ``time || side || key`` and values lists of ``side || value``, as in Kafka's changelog.

    Source: ``internals.ListValueStore`` and its serdes.
    """

    def __init__(self, store: Any, *, key_serde: Any, left_serde: Any, right_serde: Any) -> None:
        super().__init__(store)
        self._serdes = (key_serde, right_serde, left_serde)
        self.stream_time = -1
        """The largest event time of both sides."""
        self.earliest = LONG_MAX
        """A lower bound of the times of the records, as far as is known."""
        self.first = b""
        """No record has a slot before this one."""
        self._order: UnmatchedOrder | None = None

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        super().init(stateStoreContext, root)
        context = stateStoreContext
        self._topic = f"{context.applicationId()}-{self.name()}-changelog"
        calls = SerdeCalls(context, *self._serdes)
        self._write_key, self._read_key = calls.write_key, calls.read_key
        # By side: right, left.
        self._writers, self._readers = calls.value_writers, calls.value_readers
        self.wants_headers, self._headers = calls.want_headers, calls.headers

    def add(self, key: Any, value: Any, timestamp: int, *, is_left: bool) -> None:
        """Add a record."""
        self.earliest = min(self.earliest, timestamp)
        slot = self._slot(key, timestamp, is_left)
        self.first = min(self.first, slot)
        data = self._writers[is_left](self._topic, self._headers(), value)
        before = self._access.read(slot)
        values = None
        if data is not None:
            values = [*(before or ()), (_LEFT if is_left else _RIGHT) + data]
        self._access.write(slot, slot, values, timestamp)
        if self._order is not None and (before is None) != (values is None):
            (self._order.add if before is None else self._order.remove)(slot)

    def matched(self, key: Any, timestamp: int, *, is_left: bool) -> None:
        """Remove the records of that key, time and side, if there are any: they have matched."""
        slot = self._slot(key, timestamp, is_left)
        if self._access.read(slot) is not None:
            self._access.write(slot, slot, None, timestamp)
            if self._order is not None:
                self._order.remove(slot)

    def records(self) -> Iterator[UnmatchedRecord]:
        """Yield the records in order."""
        # From the first one on: deletions of this batch are before it, and would be passed again.
        with self._store.range(self.first or None, None) as entries:
            for slot, values in entries:
                yield from _records(slot, values)

    def expired(self, ends: Sequence[int]) -> Iterator[UnmatchedRecord]:
        """Yield the records of both sides that are over, in order; ``earliest`` follows them.

        After the last one it is as Kafka leaves it: the time of the record behind the first open
        ones of both sides, or of the last record if only one side has open ones.

        Args:
            ends: Right records before the first time are over, and left ones before the second.
        """
        if self._order is None:
            with self._store.all() as entries:
                self._order = UnmatchedOrder((slot for slot, _ in entries), _is_left)
        order, bounds = self._order, [_KEY.pack(max(0, end), 0) for end in ends]
        for slot in order.before(bounds):
            self.earliest = _time_of(slot)
            yield from _records(slot, self._access.read(slot))
        right, left = order.first_from(bounds)
        if right is None or left is None:
            last = order.last()
        else:
            last = max(right, left)
            if len(self._access.read(last)) == 1:
                last = order.after(last) or last
        self.earliest = LONG_MAX if last is None else _time_of(last)

    def remove(self, slots: list[bytes]) -> None:
        """Remove the records with these slots."""
        for slot in slots:
            self._access.write(slot, slot, None, 0)
            if self._order is not None:
                self._order.remove(slot)

    def key_of(self, record: UnmatchedRecord) -> Any:
        """Return the record's key."""
        return self._read_key(self._topic, self._headers(), record.key)

    def value_of(self, record: UnmatchedRecord) -> Any:
        """Return the record's value."""
        return self._readers[record.is_left](self._topic, self._headers(), record.value)

    def save(self) -> bytes:
        """Return the times, which decide what is forwarded after a restart."""
        return _TIMES.pack(self.stream_time, self.earliest)

    @staticmethod
    def combined(saved: Sequence[bytes]) -> bytes:
        """Return what ``save`` would return if the records of several tasks had come to one."""
        times, earliest = zip(*map(_TIMES.unpack, saved), strict=True)
        return _TIMES.pack(max(times), min(earliest))

    def restore(self, data: bytes) -> None:
        """Take up the times that ``save`` returned."""
        self.stream_time, self.earliest = _TIMES.unpack(data)

    def _slot(self, key: Any, timestamp: int, is_left: bool) -> bytes:
        key_bytes = self._write_key(self._topic, self._headers(), key) or b""
        return _KEY.pack(timestamp, is_left) + key_bytes


def _records(slot: bytes, values: Sequence[bytes]) -> Iterator[UnmatchedRecord]:
    timestamp, is_left = _KEY.unpack_from(slot)
    key = slot[_KEY.size :]
    for value in values:
        yield UnmatchedRecord(slot, key, timestamp, bool(is_left), value[1:])


def _time_of(slot: bytes) -> int:
    time: int = _KEY.unpack_from(slot)[0]
    return time


def _is_left(slot: bytes) -> bool:
    return slot[_KEY.size - 1] == 1
