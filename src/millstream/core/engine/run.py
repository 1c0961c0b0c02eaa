"""Run of records that is processed as a chunk: the stream time and the bytes of each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, repeat
from operator import attrgetter

from millstream.core.chunk import Chunk, Origin, Waited
from millstream.core.engine.queues import Decoded
from millstream.core.record_context import RecordContext


class Run:
    """The records that are processed as a chunk."""

    __slots__ = ("_base", "_decoded", "_index", "_start", "_stop", "_times", "first", "offsets")

    def __init__(self, decoded: Decoded, start: int, stop: int, base: int) -> None:
        self._decoded = decoded
        self._start = start
        self._stop = stop
        self._base = base
        self.offsets: Sequence[int] | None = None
        """The offsets of the records, the same object as in their chunk, while they are processed.

        Until the next commit there may be many runs, so that they keep no columns.
        """
        self.first: int = decoded.chunk.offsets[start]
        """The offset of the first record."""
        self._times: list[int] | None = None
        self._index: dict[int, int] | None = None

    def __len__(self) -> int:
        return self._stop - self._start

    def stream_times(self) -> list[int]:
        """Return for each record stream time as it was when that was taken."""
        if self._times is None:
            times = self._decoded.chunk.timestamps[self._start : self._stop]
            self._times = list(accumulate(times, max, initial=self._base))[1:]
        return self._times

    def stream_time(self, offset: int) -> int:
        """Return stream time as it was when the record at ``offset`` was taken."""
        times, index = self.stream_times(), self.position(offset)
        return times[-1] if index is None else times[index]

    def context(self, index: int) -> RecordContext:
        """Return the context of one of the records."""
        return context_of(self._decoded, self._start + index)

    def raw(self, offset: int) -> tuple[bytes | None, bytes | None]:
        """Return the bytes of the record at ``offset``."""
        index = self.position(offset)
        if index is None:
            return None, None
        raw_index = self._decoded.raw_index(self._start + index)
        return self._decoded.raw.keys[raw_index], self._decoded.raw.values[raw_index]

    def raw_columns(self) -> tuple[Iterable[bytes | None], Iterable[bytes | None]]:
        """Return the bytes of all records: keys and values."""
        raw, kept = self._decoded.raw, self._decoded.kept
        if kept is None:
            return raw.keys[self._start : self._stop], raw.values[self._start : self._stop]
        rows = kept[self._start : self._stop]
        return map(raw.keys.__getitem__, rows), map(raw.values.__getitem__, rows)

    def has_rest_of(self, decoded: Decoded) -> bool:
        """Tell whether these are the last records of some, from one on."""
        return self._decoded is decoded and self._stop == len(decoded.chunk)

    @property
    def place(self) -> Origin:
        """The topic and the partition that it came from."""
        return self._decoded.chunk.topic, self._decoded.chunk.partition

    def position(self, offset: int) -> int | None:
        """Return which of the records is at ``offset``; None if none is."""
        if self._index is None:
            offsets = self._decoded.chunk.offsets[self._start : self._stop]
            self._index = {offset: index for index, offset in enumerate(offsets)}
        return self._index.get(offset)


class Runs:
    """The runs since the last commit, for updates that a cache still holds."""

    def __init__(self) -> None:
        self._runs: dict[Origin, list[Run]] = {}

    def add(self, *runs: Run) -> None:
        """Keep runs until ``clear``."""
        for run in runs:
            self._runs.setdefault(run.place, []).append(run)

    def note(self, decoded: Decoded, index: int) -> None:
        """Keep a record that is processed by itself, and those after it, as ``add`` keeps a run."""
        chunk = decoded.chunk
        runs = self._runs.get((chunk.topic, chunk.partition))
        if runs is None or not runs[-1].has_rest_of(decoded):
            self.add(Run(decoded, index, len(chunk), -1))

    def raw(self, chunk: Chunk, index: int) -> tuple[bytes | None, bytes | None]:
        """Return the bytes of the record from which one record of a chunk descends."""
        origin = chunk.origin(index)
        runs = None if isinstance(origin, Waited) else self._runs.get(origin)
        if runs is None:
            return None, None
        offset, run = chunk.offsets[index], runs[-1]
        if run.first > offset:
            run = runs[bisect_right(runs, offset, key=_FIRST) - 1]
        return run.raw(offset)

    def contexts(self, chunk: Chunk, current: Run | None) -> Iterator[RecordContext]:
        """Yield the contexts of a chunk's records.

        Args:
            chunk: The chunk.
            current: The run that is under way; where the chunk has a record for each of its
                records, their bytes need not be looked for.
        """
        if current is None or chunk.offsets is not current.offsets:
            return (self.context(chunk, index) for index in range(len(chunk)))
        return map(
            RecordContext,
            repeat(chunk.topic),
            repeat(chunk.partition),
            chunk.offsets,
            chunk.timestamps,
            repeat(None) if chunk.headers is None else chunk.headers,
            *current.raw_columns(),
        )

    def context(self, chunk: Chunk, index: int) -> RecordContext:
        """Return the context of one record of a chunk."""
        offset, timestamp = chunk.offsets[index], chunk.timestamps[index]
        headers = None if chunk.headers is None else chunk.headers[index]
        origin, raw = chunk.origin(index), self.raw(chunk, index)
        return RecordContext(*origin, offset, timestamp, headers, *raw)

    def clear(self) -> None:
        """Let go of all of them."""
        self._runs.clear()


_FIRST = attrgetter("first")


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
