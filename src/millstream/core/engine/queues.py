"""Input of a task: one queue per partition, and the choice of the record that comes next."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from millstream.core.chunk import Chunk, RawChunk
from millstream.core.java_collections import PriorityQueue


@dataclass(slots=True)
class Decoded:
    """A chunk after its source's deserializers, and the bytes it came from."""

    chunk: Chunk
    raw: RawChunk
    kept: list[int] | None
    """For each record, its index in ``raw``; None if none was left out."""
    position: int = 0

    def raw_index(self, index: int) -> int:
        """Return where record ``index`` is in ``raw``."""
        return index if self.kept is None else self.kept[index]


def concatenated(parts: list[Decoded]) -> Decoded | None:
    """Return decoded records of one partition as one; None if some have headers."""
    if any(part.chunk.headers is not None for part in parts):
        return None
    if len(parts) == 1 and parts[0].position == 0:
        return parts[0]
    first = parts[0].chunk

    def column(name: str) -> list[Any]:
        columns = (getattr(part.chunk, name)[part.position :] for part in parts)
        return list(chain.from_iterable(columns))

    def raw_column(name: str) -> list[Any]:
        return list(chain.from_iterable(getattr(part.raw, name) for part in parts))

    names = ("offsets", "timestamps", "keys", "values")
    offsets, timestamps, keys, values = (column(name) for name in names)
    chunk = Chunk(first.topic, first.partition, offsets, timestamps, keys, values)
    offsets, timestamps, keys, values = (raw_column(name) for name in names)
    source = parts[0].raw
    raw = RawChunk(source.topic, source.partition, offsets, timestamps, keys, values)
    if all(part.kept is None and part.position == 0 for part in parts):
        return Decoded(chunk, raw, None)
    # Where some were left out, each of the others still finds its bytes.
    kept, start = list[int](), 0
    for part in parts:
        rows = range(part.position, len(part.chunk))
        kept += [start + part.raw_index(index) for index in rows]
        start += len(part.raw)
    return Decoded(chunk, raw, kept)


class RecordQueue:
    """Decoded records of one topic partition, in offset order."""

    __slots__ = ("_chunks", "in_group", "partition", "partition_time", "source", "topic")

    def __init__(self, topic: str, partition: int, source: Any) -> None:
        self.topic = topic
        self.partition = partition
        self.source = source
        self.partition_time = -1
        """The largest time that a timestamp extractor has returned here; -1 before the first."""
        self.in_group = False
        self._chunks: deque[Decoded] = deque()

    def add(self, decoded: Decoded) -> None:
        """Append records."""
        if len(decoded.chunk):
            self._chunks.append(decoded)

    def head_ms(self) -> int:
        """Return the event time of the first record; there must be one."""
        head = self._chunks[0]
        return head.chunk.timestamps[head.position]

    def peek(self) -> Decoded:
        """Return the chunk in front, whose ``position`` is the first record; there must be one."""
        return self._chunks[0]

    def waiting(self) -> list[Decoded]:
        """Return all chunks, the first of them from its ``position`` on."""
        return list(self._chunks)

    def clear(self) -> None:
        """Remove everything."""
        self._chunks.clear()
        self.in_group = False

    def skip(self, count: int) -> None:
        """Remove ``count`` records, all of them in the chunk in front."""
        head = self._chunks[0]
        head.position += count
        if head.position == len(head.chunk):
            self._chunks.popleft()

    def __bool__(self) -> bool:
        return bool(self._chunks)


class PartitionGroup:
    """All queues of a task; stream time is the largest event time taken from any of them.

    The next record is the head with the smallest event time. A record that arrives at an empty
    queue competes at once; records already taken are never put back, so stream time never falls.

    Source: Kafka's ``PartitionGroup``.
    """

    def __init__(self) -> None:
        self._queues: dict[tuple[str, int], RecordQueue] = {}
        self._heads: PriorityQueue[RecordQueue] = PriorityQueue(RecordQueue.head_ms)
        self.stream_time = -1

    def queue(self, topic: str, partition: int, source: Any) -> RecordQueue:
        """Return the queue of a topic partition, made on first use."""
        found = self._queues.get((topic, partition))
        if found is None:
            found = self._queues[topic, partition] = RecordQueue(topic, partition, source)
        return found

    def queues(self) -> dict[tuple[str, int], RecordQueue]:
        """Return every queue by topic and partition."""
        return self._queues

    def add(self, queue: RecordQueue, decoded: Decoded) -> None:
        """Append records to one of the queues."""
        queue.add(decoded)
        if queue and not queue.in_group:
            queue.in_group = True
            self._heads.add(queue)

    def take(self, limit: int) -> tuple[RecordQueue, Decoded, int] | None:
        """Choose up to ``limit`` records that come next and stand together in one queue.

        Returns:
            The queue, its chunk in front and how many records from ``position`` on; None if there
            is nothing. They stay in the queue until ``done``.
        """
        if not len(self._heads):
            return None
        queue = self._heads.poll()
        decoded = queue.peek()
        start = decoded.position
        stop = min(len(decoded.chunk), start + limit)
        rival = self._heads.peek()
        if rival is not None and stop > start + 1:
            rival_ms, timestamps = rival.head_ms(), decoded.chunk.timestamps
            if timestamps[start + 1] >= rival_ms:
                return queue, decoded, 1
            stop = _before(timestamps, start, stop, rival_ms)
        return queue, decoded, stop - start

    def done(self, queue: RecordQueue, count: int) -> None:
        """Remove the records that ``take`` chose and let the queue compete again."""
        queue.skip(count)
        if count > 1:
            # Equal heads of other queues come in an order that each single record changes.
            self._heads.add_and_poll_smallest(count - 1)
        if queue:
            self._heads.add(queue)
        else:
            queue.in_group = False

    def heads(self) -> list[RecordQueue]:
        """Return the queues where something waits, the one that is taken from next first."""
        return self._heads.items()

    def taken(self, counts: Iterable[tuple[RecordQueue, int]]) -> None:
        """Remove so many records from the queues; they compete again in this order."""
        while len(self._heads):
            self._heads.poll()
        for queue, count in counts:
            left = count
            while left:
                head = queue.peek()
                step = min(left, len(head.chunk) - head.position)
                queue.skip(step)
                left -= step
            queue.in_group = bool(queue)
            if queue:
                self._heads.add(queue)

    def clear(self) -> None:
        """Remove everything that waits."""
        while len(self._heads):
            self._heads.poll().clear()

    def __bool__(self) -> bool:
        return len(self._heads) > 0


def _before(timestamps: Any, start: int, stop: int, rival_ms: int) -> int:
    """Return the end of the run from ``start`` whose later records precede the rival's head."""
    for index in range(start + 1, stop):
        if timestamps[index] >= rival_ms:
            return index
    return stop
