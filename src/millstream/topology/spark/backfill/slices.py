"""Batches of history, cut by time: no batch has a record that belongs before an earlier batch's.

A task of Kafka Streams takes the record of the partition whose next record is the oldest. If a
batch ends in every partition before the first record at or after one time, then everything in it
comes, in that order, before everything behind it. So batches together have the order that one
batch of everything would have, for each task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Place = tuple[str, int]
"""A topic and a partition."""
Cut = Mapping[Place, int]
"""Place -> offset after the last record of a batch."""
Find = Callable[[int], Cut]
"""Returns each place's first offset at or after a time in epoch milliseconds; its end if none."""

FIRST_WIDTH_MS = 1 << 40
_GROWTH = 4
_AIM, _ENOUGH = 0.9, 0.75
"""Shares of the limit: what a guess aims at, and what a batch has at least where it can."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The end of a batch."""

    cut: Cut
    time_ms: int = 0
    """All records before this time are in this batch or an earlier one."""
    width_ms: int = FIRST_WIDTH_MS
    """Time between the last two cuts: the first guess for the next one."""


def next_slice(last: Slice, ends: Cut, limit: int, find: Find) -> Slice:
    """Return the end of the next batch.

    Args:
        last: The end of the last batch.
        ends: Where the run ends.
        limit: The largest number of offsets in a batch.
        find: Looks offsets up by time.
    """
    if size(last.cut, ends) <= limit:
        return Slice(ends, last.time_ms, last.width_ms)
    low, low_count, low_cut = last.time_ms, 0, last.cut
    high: int | None = None
    high_count, high_cut, step = 0, ends, max(1, last.width_ms)
    bisects = False
    while high is None or high - low > 1:
        if high is None:
            probe = low + step
        elif bisects:
            probe = (low + high) // 2
        else:
            part = (limit * _AIM - low_count) / (high_count - low_count)
            probe = low + min(max(1, int((high - low) * part)), high - low - 1)
        found = between(last.cut, find(probe), ends)
        count = size(last.cut, found)
        if count > limit:
            # Where records are not evenly spread over time, every other guess is the middle.
            high, high_count, high_cut, bisects = probe, count, found, not bisects
            continue
        low, low_count, low_cut, bisects = probe, count, found, not bisects
        if count >= limit * _ENOUGH:
            break
        step *= _GROWTH
    if not low_count:
        return Slice(_share(last.cut, high_cut, limit), low, last.width_ms)
    return Slice(low_cut, low, max(1, low - last.time_ms))


def size(start: Cut, end: Cut) -> int:
    """Return how many offsets are between two cuts."""
    return sum(max(0, stop - start.get(place, stop)) for place, stop in end.items())


def between(low: Cut, found: Cut, high: Cut) -> dict[Place, int]:
    """Return offsets that are moved to be within two cuts."""
    return {
        place: max(low.get(place, 0), min(stop, found.get(place, stop)))
        for place, stop in high.items()
    }


def _share(start: Cut, end: Cut, limit: int) -> dict[Place, int]:
    """Return a cut for records that cannot be told apart by time, with at most ``limit`` of them.

    They are the records of one millisecond, and late ones behind them. Each task has its share. Of
    a task's partitions, one is read after the other: late records come directly after the record
    that is before them, as they would without a limit.
    """
    total = size(start, end)
    tasks: dict[int, list[Place]] = {}
    for place in sorted(end):
        if end[place] > start[place]:
            tasks.setdefault(place[1], []).append(place)
    found, given = {place: start[place] for place in end}, 0
    for number, places in sorted(tasks.items()):
        room = size(start, {place: end[place] for place in places}) * limit // total
        if number == max(tasks) and not given:
            room = max(1, room)
        given += room
        for place in places:
            taken = min(room, end[place] - start[place])
            found[place] += taken
            room -= taken
    return found
