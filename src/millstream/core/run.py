"""The records that are going down as a chunk: what a node below may ask about one of them."""

from __future__ import annotations

from itertools import accumulate

from millstream.core.queues import Decoded
from millstream.core.record_context import RecordContext


class Run:
    """The records that are going down as a chunk: what a node below may ask about one of them."""

    __slots__ = ("_base", "_decoded", "_index", "_start", "_stop", "_times")

    def __init__(self, decoded: Decoded, start: int, stop: int, base: int) -> None:
        self._decoded = decoded
        self._start = start
        self._stop = stop
        self._base = base
        self._times: list[int] | None = None
        self._index: dict[int, int] | None = None

    def stream_time(self, offset: int) -> int:
        """Return stream time as it was when the record at ``offset`` was taken."""
        if self._times is None:
            times = self._decoded.chunk.timestamps[self._start : self._stop]
            self._times = list(accumulate(times, max, initial=self._base))[1:]
        index = self._position(offset)
        return self._times[-1] if index is None else self._times[index]

    def raw(self, offset: int) -> tuple[bytes | None, bytes | None]:
        """Return the bytes of the record at ``offset``."""
        index = self._position(offset)
        if index is None:
            return None, None
        raw_index = self._decoded.raw_index(self._start + index)
        return self._decoded.raw.keys[raw_index], self._decoded.raw.values[raw_index]

    def _position(self, offset: int) -> int | None:
        if self._index is None:
            offsets = self._decoded.chunk.offsets[self._start : self._stop]
            self._index = {offset: index for index, offset in enumerate(offsets)}
        return self._index.get(offset)


def context_of(decoded: Decoded, index: int) -> RecordContext:
    chunk, raw_index = decoded.chunk, decoded.raw_index(index)
    return RecordContext(
        chunk.topic,
        chunk.partition,
        chunk.offsets[index],
        chunk.timestamps[index],
        None if chunk.headers is None else chunk.headers[index],
        decoded.raw.keys[raw_index],
        decoded.raw.values[raw_index],
    )
