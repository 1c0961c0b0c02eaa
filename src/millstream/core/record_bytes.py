"""Bytes of a record's context and of nullable values, in the form of Kafka's buffers.

Source: ``ProcessorRecordContext.serialize``, ``BufferValue``.
"""

from __future__ import annotations

import struct
from functools import lru_cache

from millstream.core.errors import SerializationException
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
def topic_name(topic: bytes) -> str:
    """Return a topic's name from its bytes."""
    # As in Kafka, malformed text is replaced.
    return topic.decode(errors="replace")


class BytesReader:
    """Reads numbers and byte strings from a position in bytes.

    Raises:
        SerializationException: from every method: the bytes end too early.
    """

    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes, start: int = 0) -> None:
        self._data = data
        self._at = start

    def long(self) -> int:
        """Read a number of 8 bytes."""
        return int(self._unpacked(_LONG)[0])

    def integer(self) -> int:
        """Read a number of 4 bytes."""
        return int(self._unpacked(_INT)[0])

    def sized(self, size: int | None = None) -> bytes | None:
        """Read a length and the value after it; only the value if ``size`` is given."""
        length = size
        if length is None:
            (length,) = self._unpacked(_INT)
        if length < 0:
            return None
        at = self._at
        self._at = stop = at + length
        if stop > len(self._data):
            raise self._too_short(at, length)
        return self._data[at:stop]

    def context(self) -> RecordContext:
        """Read a context that ``context_bytes`` wrote."""
        timestamp, offset, size = self._unpacked(_TIMES_AND_SIZE)
        topic = self.sized(size)
        partition, count = self._unpacked(_PLACE)
        headers = None
        if count > 0:
            headers = Headers()
            for _ in range(count):
                name = (self.sized() or b"").decode(errors="replace")
                headers.add(name, self.sized())
        return RecordContext(
            topic_name(topic) if topic else None, partition, offset, timestamp, headers
        )

    def _unpacked(self, form: struct.Struct) -> tuple[int, ...]:
        at = self._at
        self._at = at + form.size
        try:
            return form.unpack_from(self._data, at)
        except struct.error as error:
            raise self._too_short(at, form.size) from error

    def _too_short(self, at: int, size: int) -> SerializationException:
        return SerializationException(
            "the bytes of a buffered record end too early",
            detail=f"They have {len(self._data)} bytes; {size} belong at byte {at}.",
        )
