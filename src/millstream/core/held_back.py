"""Records of several partitions whose order among each other nobody can see.

Where all that a record does is change a table whose cache holds the change back until the next
commit, it makes no difference whether records of another partition went down before it or after.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from millstream.core.chunk import Chunk, RawChunk
from millstream.core.queues import Decoded, PartitionGroup, RecordQueue
from millstream.core.state import CacheBudget


def held_back(group: PartitionGroup, cache: CacheBudget) -> list[tuple[RecordQueue, Decoded]]:
    """Take everything from the queues if that can go down one queue after the other.

    Nothing is taken, and nothing returned, if the order counts or there is only one queue.
    """
    queues = [queue for queue in group.queues().values() if queue]
    sources = {id(queue.source) for queue in queues}
    if len(queues) < 2 or len(sources) < len(queues):
        return []
    if not all(queue.source.may_hold_back for queue in queues):
        return []
    runs, needed = list[tuple[RecordQueue, Decoded]](), 0
    for queue in queues:
        run = joined(queue.waiting())
        least = None if run is None else queue.source.held_back(run.chunk)
        if run is None or least is None:
            return []
        runs.append((queue, run))
        needed += least
    if cache.used + needed > cache.limit:
        return []
    group.clear()
    return runs


def joined(parts: list[Decoded]) -> Decoded | None:
    """Return decoded records of one partition as one; None if some have headers."""
    if any(part.chunk.headers is not None for part in parts):
        return None
    if len(parts) == 1 and parts[0].position == 0:
        return parts[0]
    first = parts[0].chunk

    def column(name: str) -> list[Any]:
        columns = (getattr(part.chunk, name)[part.position :] for part in parts)
        return list(chain.from_iterable(columns))

    chunk = Chunk(
        first.topic,
        first.partition,
        column("offsets"),
        column("timestamps"),
        column("keys"),
        column("values"),
    )
    raw = RawChunk(
        parts[0].raw.topic,
        parts[0].raw.partition,
        list(chain.from_iterable(part.raw.offsets for part in parts)),
        list(chain.from_iterable(part.raw.timestamps for part in parts)),
        list(chain.from_iterable(part.raw.keys for part in parts)),
        list(chain.from_iterable(part.raw.values for part in parts)),
    )
    if all(part.kept is None and part.position == 0 for part in parts):
        return Decoded(chunk, raw, None)
    # Where some were left out, each of the others still finds its bytes.
    kept, start = list[int](), 0
    for part in parts:
        rows = range(part.position, len(part.chunk))
        kept += [start + part.raw_index(index) for index in rows]
        start += len(part.raw)
    return Decoded(chunk, raw, kept)
