"""Records of several partitions whose order among each other nobody can see.

Where all that a record does is change a table whose cache holds the change back until the next
commit, it makes no difference whether records of another partition went down before it or after.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from millstream.core.chunk import Chunk, LastOfEachKey, RawChunk
from millstream.core.engine.queues import Decoded, PartitionGroup, RecordQueue
from millstream.core.state import CacheBudget

_GROWTH = 4
"""A byte that is no text, or text in another encoding, takes at most so many when written again."""


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


def overwritten(
    group: PartitionGroup,
    cache: CacheBudget,
    runs: Sequence[LastOfEachKey],
    source_of: Callable[[str], Any],
) -> list[tuple[RecordQueue, Decoded]]:
    """Decode the last records of runs if nobody can see that there were others.

    Empty if somebody can: what they would have done goes down, is dropped or is warned of.
    """
    sources = [source_of(run.last.topic) for run in runs]
    if group or len({id(source) for source in sources}) < len(sources):
        return []
    found, needed = list[tuple[RecordQueue, Decoded]](), 0
    for run, source in zip(runs, sources, strict=True):
        queue = group.queue(run.last.topic, run.last.partition, source)
        # What is in a table is not newer than its partition, so that nothing comes late to it.
        if not (
            source.may_overwrite and run.in_order and run.first_ms >= max(0, queue.partition_time)
        ):
            return []
        decoded = source.decoded(run.last)
        least = None if decoded is None else source.held_back(decoded.chunk)
        if decoded is None or least is None:
            return []
        found.append((queue, decoded))
        # The values in between may have been longer than the last ones.
        needed += least + run.longest * _GROWTH * len(run.last)
    return found if cache.used + needed <= cache.limit else []


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
