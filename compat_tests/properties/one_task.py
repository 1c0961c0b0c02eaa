"""One sub-topology's task by itself, given its records in batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from compat_tests.properties.world import Application, Json, Seen, look, note
from millstream.core.chunk import RawChunk
from millstream.core.errors import MillstreamError
from millstream.core.plan import SubTopology

Batch = Sequence[RawChunk]
"""Records, one in each chunk, in the order in which they arrive."""
Order = list[tuple[str, int]]
"""Topics and offsets of records as they were taken in."""


def in_order(
    application: Application, part: SubTopology, scenario: Json, given: Iterable[RawChunk]
) -> Batch:
    """Return records in the order in which a task takes them if it has all from the start.

    Those that the source skips come after the one before them in their topic.
    """
    single = [each.slice(at, at + 1) for each in given for at in range(len(each))]
    _, order = run_task(application, part, scenario, [single])
    waiting: dict[str, list[RawChunk]] = defaultdict(list)
    for each in single:
        waiting[each.topic].append(each)
    ordered = []
    for topic, offset in order:
        own = waiting[topic]
        while own and own[0].offsets[0] <= offset:
            ordered.append(own.pop(0))
    return ordered + [each for own in waiting.values() for each in own]


def run_task(
    application: Application,
    part: SubTopology,
    scenario: Json,
    batches: Iterable[Batch],
    *,
    by_chunks: bool = True,
) -> tuple[Seen, Order]:
    """Add, run and commit batch after batch; what is sent is lost."""
    stores, close_globals = application.fill_globals(scenario)
    host = application.host()
    host.global_stores = stores
    task = application.task(part, host, by_chunks=by_chunks)
    seen, order = Seen(), _watched(task)
    try:
        for batch in batches:
            for raw in _joined(batch):
                task.add(raw)
            task.run()
            task.commit()
            host.apply()
        note(host.sent, seen, application.settings.application_id)
        look(task, host, seen)
    except MillstreamError as error:
        note(host.sent, seen, application.settings.application_id)
        seen.error = type(error).__name__
    with suppress(*[MillstreamError] * (seen.error is not None)):
        task.close()
    host.close()
    close_globals()
    return seen, order


def _joined(batch: Batch) -> list[RawChunk]:
    """Return one chunk for each topic."""
    topics: dict[str, list[RawChunk]] = defaultdict(list)
    for raw in batch:
        topics[raw.topic].append(raw)
    return [
        RawChunk(
            topic,
            0,
            [raw.offsets[0] for raw in own],
            [raw.timestamps[0] for raw in own],
            [raw.keys[0] for raw in own],
            [raw.values[0] for raw in own],
            [_headers(raw) for raw in own] if any(raw.headers for raw in own) else None,
        )
        for topic, own in topics.items()
    ]


def _headers(raw: RawChunk) -> Any:
    # Processors change headers in place, and the records are used more than once.
    return raw.headers and raw.headers[0] and raw.headers[0].copy()


def _watched(task: Any) -> Order:
    """Return a list that will hold what the task takes."""
    order: Order = []
    group = task.group
    done = group.done

    def watched_done(queue: Any, count: int) -> None:
        head = queue.peek()
        offsets = head.chunk.offsets[head.position : head.position + count]
        order.extend((queue.topic, offset) for offset in offsets)
        done(queue, count)

    group.done = watched_done
    return order
