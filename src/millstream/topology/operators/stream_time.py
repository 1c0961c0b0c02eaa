"""Stream time of an operator, which decides what is late, in the saved state of its task."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from millstream.core.chunk_processor import ChunkProcessor

_TIME = struct.Struct(">q")


class SavesStreamTime(ChunkProcessor):
    """A processor that continues with the stream time it had seen before a restart."""

    _stream_time = -1
    """The largest event time that it has seen."""

    def save(self) -> bytes:
        return _TIME.pack(self._stream_time)

    def combine(self, saved: Sequence[bytes]) -> bytes:
        """Return the largest of several tasks' stream times."""
        return _TIME.pack(max(time for (time,) in map(_TIME.unpack, saved)))

    def restore(self, data: bytes) -> None:
        (self._stream_time,) = _TIME.unpack(data)
