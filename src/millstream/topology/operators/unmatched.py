"""Store of the unmatched records of a left or outer join, and the stream time of both sides."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from millstream.core.durations import LONG_MAX
from millstream.core.state import StateStore, StateStoreContext
from millstream.topology.operators.operator_store import OperatorStore, SerdeCalls

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
        data = self._writers[is_left](self._topic, self._headers(), value)
        values = None
        if data is not None:
            values = [*(self._access.read(slot) or ()), (_LEFT if is_left else _RIGHT) + data]
        self._access.write(slot, slot, values, timestamp)

    def matched(self, key: Any, timestamp: int, *, is_left: bool) -> None:
        """Remove the records of that key, time and side, if there are any: they have matched."""
        slot = self._slot(key, timestamp, is_left)
        if self._access.read(slot) is not None:
            self._access.write(slot, slot, None, timestamp)

    def records(self) -> Iterator[UnmatchedRecord]:
        """Yield the records in order."""
        with self._store.all() as entries:
            for slot, values in entries:
                timestamp, is_left = _KEY.unpack_from(slot)
                key = slot[_KEY.size :]
                for value in values:
                    yield UnmatchedRecord(slot, key, timestamp, bool(is_left), value[1:])

    def remove(self, slots: list[bytes]) -> None:
        """Remove the records with these slots."""
        for slot in slots:
            self._access.write(slot, slot, None, 0)

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
