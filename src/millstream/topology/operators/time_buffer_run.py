"""Run of records through a buffer by time: what is released within the run is never stored."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from types import NoneType
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.record_context import RecordContext
from millstream.core.records import Record
from millstream.core.serdes.base import (
    DeserializerCall,
    SerializerCall,
    is_stock,
    serialize_column,
)
from millstream.topology.operators.time_buffer import TimeBuffer

Waiting = Callable[[int], None]
"""Takes the index of a record of the run."""
Older = Callable[[Record[Any, Any], RecordContext], None]
"""Takes a record of before the run, and its context."""


class TimeBufferRun:
    """Takes the records of a run into a buffer, and releases what is old enough.

    Args:
        buffer: Where records of before wait, and those that are left when the run is over. It has
            no changelog.
        chunk: The records: none without key or headers; those without value are not taken in.

    Raises:
        Exception: What a serializer raises.
    """

    def __init__(self, buffer: TimeBuffer, chunk: Chunk) -> None:
        calls, topic = buffer.calls, buffer.topic
        self._buffer = buffer
        self._chunk = chunk
        self._key_bytes = _column(calls.key_halves[0], calls.write_key, topic, chunk.keys)
        (write_values, _), write_value = calls.value_halves[0], calls.value_writers[0]
        self._value_bytes = _column(write_values, write_value, topic, chunk.values)
        plain_key, plain_value = calls.plain_types
        self.key_of = _shown(chunk.keys, self._key_bytes, plain_key, calls.read_key, topic)
        """Returns the key of a record as it is released."""
        read_value = calls.value_readers[0]
        self.value_of = _shown(chunk.values, self._value_bytes, plain_value, read_value, topic)
        self._waiting: dict[bytes, int] = {}
        """The index of each record of the run that waits, by its key in the buffer."""
        self._order: list[bytes] = []
        """Their keys, a heap."""
        buffer.forget()

    def add(self, index: int) -> bool:
        """Take one record in; False if it is too late to wait."""
        buffer, timestamp = self._buffer, self._chunk.timestamps[index]
        if not buffer.admit(timestamp):
            return False
        slot = buffer.slot(timestamp, self._key_bytes[index])
        self._waiting[slot] = index
        heappush(self._order, slot)
        return True

    def release(self, waiting: Waiting, older: Older) -> None:
        """Hand on what is old enough, in order; one that raises stays."""
        buffer, order = self._buffer, self._order
        if (limit := buffer.limit()) is None:
            return
        end = buffer.end_of(limit)
        while True:
            first = buffer.first_older()
            if order and order[0] < min(first, end):
                waiting(self._waiting[order[0]])
                del self._waiting[heappop(order)]
            elif first < end:
                older(*buffer.older())
                buffer.remove_older()
            else:
                break
        buffer.has_released(limit)

    def settle(self) -> None:
        """Store what is left."""
        chunk, buffer = self._chunk, self._buffer
        for slot, index in self._waiting.items():
            place = (chunk.topic or None, chunk.partition, chunk.offsets[index])
            context = RecordContext(*place, chunk.timestamps[index])
            buffer.store(slot, self._value_bytes[index], context)
        self._waiting.clear()
        self._order.clear()
        buffer.forget()


def _column(serializer: Any, write: SerializerCall, topic: str, objects: list[Any]) -> list[Any]:
    if is_stock(serializer):
        return serialize_column(serializer, topic, objects)
    # As in Kafka, a user's serde is not called for what is not there.
    return [None if each is None else write(topic, None, each) for each in objects]


def _shown(
    objects: list[Any], data: list[Any], plain: type | None, read: DeserializerCall, topic: str
) -> Callable[[int], Any]:
    if plain is not None and set(map(type, objects)) <= {plain, NoneType}:
        return objects.__getitem__
    return lambda index: read(topic, None, data[index])
