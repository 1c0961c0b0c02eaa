"""Store of the unmatched records of a left or outer join, and the stream time of both sides."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from operator import itemgetter
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
    timestamp: int
    is_left: bool
    value: Any
    """The value's bytes, or the value itself if it is only held."""
    held: HeldKey | None = None


@dataclass(slots=True)
class HeldKey:
    """Key and values of records of one slot that are not in the store yet."""

    key: Any
    values: list[Any]


class UnmatchedRecords(OperatorStore):
    """Unmatched records by time; at equal times right ones come before left ones, then key bytes.

    Many wait for less than a batch. So a run of records *holds* its own in memory, and ``settle``
    writes those that still wait at its end.

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
        self._held: dict[bytes, HeldKey] = {}

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        super().init(stateStoreContext, root)
        context = stateStoreContext
        self._topic = f"{context.applicationId()}-{self.name()}-changelog"
        calls = SerdeCalls(context, *self._serdes)
        self._write_key, self._read_key = calls.write_key, calls.read_key
        # By side: right, left.
        self._writers, self._readers = calls.value_writers, calls.value_readers
        self.plain_types = calls.plain_types
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

    def hold(self, slot: bytes, key: Any, value: Any, timestamp: int, *, is_left: bool) -> None:
        """Add a record until ``settle``; key and value are of ``plain_types``."""
        held = self._held.get(slot)
        if held is not None:
            held.values.append(value)
        elif self._order is None or self._order.add_new(slot):
            self._held[slot] = HeldKey(key, [value])
        else:
            self._write(slot, [value])
        self.earliest = min(self.earliest, timestamp)

    def settle(self) -> None:
        """Write the records that are held."""
        if self._held:
            held, self._held = self._held, {}
            for slot, each in held.items():
                self._write(slot, each.values)

    def matched(self, key: Any, timestamp: int, *, is_left: bool) -> None:
        """Remove the records of that key, time and side, if there are any: they have matched."""
        self.matched_slot(self._slot(key, timestamp, is_left))

    def matched_slot(self, slot: bytes) -> None:
        """Remove the records of a slot, if there are any."""
        held = self._held.pop(slot, None)
        if self._order is None:
            if self._access.read(slot) is not None:
                self._access.write(slot, slot, None, _time_of(slot))
        elif held is not None:
            self._order.remove(slot)
        elif self._access.read(slot) is not None:
            self._access.write(slot, slot, None, _time_of(slot))
            self._order.remove(slot)

    def records(self) -> Iterator[UnmatchedRecord]:
        """Yield the records in order."""
        held = [(slot, self._held[slot]) for slot in sorted(self._held)]
        # From the first one on: deletions of this batch are before it, and would be passed again.
        with self._store.range(self.first or None, None) as stored:
            # What is stored in a slot is older than what is held for it, and goes first.
            for slot, found in merge(stored, held, key=itemgetter(0)) if held else stored:
                yield from _records(slot, found)

    def expired(self, ends: Sequence[int]) -> Iterator[UnmatchedRecord]:
        """Yield the records of both sides that are over, in order; ``earliest`` follows them.

        After the last one it is as Kafka leaves it: the time of the record behind the first open
        ones of both sides, or of the last record if only one side has open ones.

        Args:
            ends: Right records before the first time are over, and left ones before the second.
        """
        if self._order is None:
            self.settle()
            with self._store.all() as entries:
                self._order = UnmatchedOrder((slot for slot, _ in entries), _is_left)
        order, bounds = self._order, [_KEY.pack(max(0, end), 0) for end in ends]
        for slot in order.before(bounds):
            self.earliest = _time_of(slot)
            yield from _records(slot, self._at(slot))
        right, left = order.first_from(bounds)
        if right is None or left is None:
            last = order.last()
        else:
            last = max(right, left)
            found = self._at(last)
            if len(found.values if isinstance(found, HeldKey) else found) == 1:
                last = order.after(last) or last
        self.earliest = LONG_MAX if last is None else _time_of(last)

    def remove(self, slots: list[bytes]) -> None:
        """Remove the records with these slots."""
        for slot in slots:
            held = self._held.pop(slot, None)
            if held is None or (self._order is None and self._access.read(slot) is not None):
                self._access.write(slot, slot, None, 0)
            if self._order is not None:
                self._order.remove(slot)

    def key_of(self, record: UnmatchedRecord) -> Any:
        """Return the record's key."""
        if record.held is not None:
            return record.held.key
        return self._read_key(self._topic, self._headers(), record.slot[_KEY.size :])

    def value_of(self, record: UnmatchedRecord) -> Any:
        """Return the record's value."""
        if record.held is not None:
            return record.value
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

    def _at(self, slot: bytes) -> Sequence[bytes] | HeldKey:
        found: Sequence[bytes] | HeldKey = self._held.get(slot) or self._access.read(slot)
        return found

    def _write(self, slot: bytes, values: Sequence[Any]) -> None:
        """Add values to those of a slot in the store."""
        is_left, topic, headers = _is_left(slot), self._topic, self._headers()
        side, write = _LEFT if is_left else _RIGHT, self._writers[is_left]
        added = [side + (write(topic, headers, value) or b"") for value in values]
        self.first = min(self.first, slot)
        before = self._access.read(slot) or ()
        self._access.write(slot, slot, [*before, *added], _time_of(slot))

    def _slot(self, key: Any, timestamp: int, is_left: bool) -> bytes:
        key_bytes = self._write_key(self._topic, self._headers(), key) or b""
        return slot_of(key_bytes, timestamp, is_left=is_left)


def slot_of(key_bytes: bytes, timestamp: int, *, is_left: bool) -> bytes:
    """Return the slot of a record."""
    return _KEY.pack(timestamp, is_left) + key_bytes


def _records(slot: bytes, found: Sequence[bytes] | HeldKey) -> Iterator[UnmatchedRecord]:
    timestamp, is_left = _KEY.unpack_from(slot)
    if isinstance(found, HeldKey):
        for value in found.values:
            yield UnmatchedRecord(slot, timestamp, bool(is_left), value, found)
        return
    for data in found:
        yield UnmatchedRecord(slot, timestamp, bool(is_left), data[1:])


def _time_of(slot: bytes) -> int:
    time: int = _KEY.unpack_from(slot)[0]
    return time


def _is_left(slot: bytes) -> bool:
    return slot[_KEY.size - 1] == 1
