"""Bytes of a record's context and of nullable values, in the form of Kafka's buffers.

Source: ``ProcessorRecordContext.serialize``, ``BufferValue``.
"""

from __future__ import annotations

import struct
from functools import lru_cache

from millstream.core.headers import Headers
from millstream.core.record_context import RecordContext

_TIMES = struct.Struct(">qq")
_TIMES_AND_SIZE = struct.Struct(">qqi")
_PLACE = struct.Struct(">ii")
_LONG = struct.Struct(">q")
_INT = struct.Struct(">i")

ABSENT = _INT.pack(-1)
"""The bytes of None."""


def sized(data: bytes | None) -> bytes:
    """Return a value after its length."""
    return ABSENT if data is None else _INT.pack(len(data)) + data


def context_bytes(context: RecordContext) -> bytes:
    """Return a record's time, coordinates and headers."""
    times = _TIMES.pack(context._timestamp, context._offset)
    topic = _topic(context._topic or "")
    if not context._headers:
        return times + topic + _PLACE.pack(context._partition, 0)
    headers = list(context._headers)
    parts = [times, topic, _PLACE.pack(context._partition, len(headers))]
    for header in headers:
        parts += [sized(header.key().encode()), sized(header.value())]
    return b"".join(parts)


@lru_cache(maxsize=256)
def _topic(name: str) -> bytes:
    return sized(name.encode())


@lru_cache(maxsize=256)
def _name(topic: bytes) -> str:
    return topic.decode()


class BytesReader:
    """Reads numbers and byte strings from a position in bytes."""

    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes, start: int = 0) -> None:
        self._data = data
        self._at = start

    def long(self) -> int:
        """Read a number of 8 bytes."""
        self._at += _LONG.size
        return int(_LONG.unpack_from(self._data, self._at - _LONG.size)[0])

    def integer(self) -> int:
        """Read a number of 4 bytes."""
        self._at += _INT.size
        return int(_INT.unpack_from(self._data, self._at - _INT.size)[0])

    def sized(self, size: int | None = None) -> bytes | None:
        """Read a length and the value after it; only the value if ``size`` is given."""
        at = self._at
        length = size
        if length is None:
            length = int(_INT.unpack_from(self._data, at)[0])
            at += _INT.size
        if length < 0:
            self._at = at
            return None
        self._at = at + length
        return self._data[at : self._at]

    def context(self) -> RecordContext:
        """Read a context that ``context_bytes`` wrote."""
        data, at = self._data, self._at
        timestamp, offset, size = _TIMES_AND_SIZE.unpack_from(data, at)
        at += _TIMES_AND_SIZE.size
        topic = _name(data[at : at + size]) if size > 0 else None
        at += max(size, 0)
        partition, count = _PLACE.unpack_from(data, at)
        self._at = at + _PLACE.size
        headers = None
        if count > 0:
            headers = Headers()
            for _ in range(count):
                name = (self.sized() or b"").decode()
                headers.add(name, self.sized())
        return RecordContext(topic, partition, offset, timestamp, headers)
