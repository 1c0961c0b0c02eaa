"""The records of a left or outer join that wait for a partner, and the time both sides share."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from millstream.core.durations import LONG_MAX
from millstream.core.serdes import deserializer_call, serializer_call
from millstream.core.state import StateStore, StateStoreContext
from millstream.topology.operators.headers_in_hand import headers_in_hand, want_headers

_KEY = struct.Struct(">qB")
_TIMES = struct.Struct(">qq")

_LEFT = b"\x01"
_RIGHT = b"\x00"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A record that has found no partner so far."""

    slot: bytes
    """What it is stored under: its time, its side and its key."""
    key: bytes
    timestamp: int
    is_left: bool
    value: bytes


class UnmatchedRecords(StateStore):
    """Waiting records by time; at equal times right ones come before left ones, then key bytes.

    Keys are ``time || side || key`` and values lists of ``side || value``, as in Kafka's changelog.

    Source: ``internals.ListValueStore`` and its serdes.
    """

    def __init__(self, store: Any, *, key_serde: Any, left_serde: Any, right_serde: Any) -> None:
        self._store = store
        self._serdes = (key_serde, right_serde, left_serde)
        self.stream_time = -1
        """The largest event time of both sides."""
        self.earliest = LONG_MAX
        """A lower bound of the times of the waiting records, as far as is known."""

    def name(self) -> str:
        """Return the name."""
        return str(self._store.name())

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        """Open the store for a task."""
        context = stateStoreContext
        self._store.init(context, root)
        self._access = self._store.access()
        self._topic = f"{context.applicationId()}-{self.name()}-changelog"
        key_serde, right_serde, left_serde = self._serdes
        keys = key_serde or context.keySerde()
        values = [serde or context.valueSerde() for serde in (right_serde, left_serde)]
        self._write_key = serializer_call(keys.serializer())
        self._read_key = deserializer_call(keys.deserializer())
        # By side: right, left.
        self._writers = [serializer_call(serde.serializer()) for serde in values]
        self._readers = [deserializer_call(serde.deserializer()) for serde in values]
        self.wants_headers = want_headers(keys, *values)
        self._headers = headers_in_hand(context, wanted=self.wants_headers)

    def flush(self) -> None:
        """Write out what is only cached."""
        self._store.flush()

    def reload(self) -> None:
        """Forget what was derived from the bytes below."""
        self._store.reload()

    def close(self) -> None:
        """Release everything."""
        self._store.close()

    def persistent(self) -> bool:
        """Tell whether the contents survive the process."""
        return bool(self._store.persistent())

    def isOpen(self) -> bool:
        """Tell whether the store can be used."""
        return bool(self._store.isOpen())

    def add(self, key: Any, value: Any, timestamp: int, *, is_left: bool) -> None:
        """Let a record wait."""
        self.earliest = min(self.earliest, timestamp)
        slot = self._slot(key, timestamp, is_left)
        data = self._writers[is_left](self._topic, self._headers(), value)
        waiting = None
        if data is not None:
            waiting = [*(self._access.read(slot) or ()), (_LEFT if is_left else _RIGHT) + data]
        self._access.write(slot, slot, waiting, timestamp)

    def found_partner(self, key: Any, timestamp: int, *, is_left: bool) -> None:
        """Let the records of that key, time and side wait no longer, if there are any."""
        slot = self._slot(key, timestamp, is_left)
        if self._access.read(slot) is not None:
            self._access.write(slot, slot, None, timestamp)

    def waiting(self) -> Iterator[Waiting]:
        """Yield the waiting records in order."""
        with self._store.all() as entries:
            for slot, values in entries:
                timestamp, is_left = _KEY.unpack_from(slot)
                key = slot[_KEY.size :]
                for value in values:
                    yield Waiting(slot, key, timestamp, bool(is_left), value[1:])

    def remove(self, slots: list[bytes]) -> None:
        """Remove what waits under these keys."""
        for slot in slots:
            self._access.write(slot, slot, None, 0)

    def key_of(self, record: Waiting) -> Any:
        """Return the record's key."""
        return self._read_key(self._topic, self._headers(), record.key)

    def value_of(self, record: Waiting) -> Any:
        """Return the record's value."""
        return self._readers[record.is_left](self._topic, self._headers(), record.value)

    def save(self) -> bytes:
        """Return the times, which decide what is let go after a restart."""
        return _TIMES.pack(self.stream_time, self.earliest)

    def restore(self, data: bytes) -> None:
        """Take up the times that ``save`` returned."""
        self.stream_time, self.earliest = _TIMES.unpack(data)

    def _slot(self, key: Any, timestamp: int, is_left: bool) -> bytes:
        key_bytes = self._write_key(self._topic, self._headers(), key) or b""
        return _KEY.pack(timestamp, is_left) + key_bytes
