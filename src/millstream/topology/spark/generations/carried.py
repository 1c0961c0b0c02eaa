"""Snapshots of tasks, carried over to the tasks of another program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from millstream.core.engine import snapshots
from millstream.core.engine.snapshots import Schedule, Snapshot


def carried(
    saved: Sequence[bytes],
    nodes: Mapping[str, str],
    topics: AbstractSet[str],
    renamed: Mapping[str, str],
) -> bytes:
    """Return the snapshot of a new task from those of the old tasks that it goes on with.

    Args:
        saved: The old snapshots; at least one.
        nodes: New node -> old node.
        topics: The topics that the new task reads.
        renamed: Old topic -> new topic, for repartition topics with another name.
    """
    decoded = [snapshots.decode(each) for each in saved]
    times: dict[tuple[str, int], int] = {}
    for each in decoded:
        for (topic, partition), time in each.partition_times.items():
            place = renamed.get(topic, topic), partition
            if place[0] in topics:
                times[place] = max(time, times.get(place, -1))
    return snapshots.encode(
        stream_time=max(each.stream_time for each in decoded),
        partition_times=times,
        stream_punctuations=_schedules(nodes, [e.stream_punctuations for e in decoded]),
        clock_punctuations=_schedules(nodes, [e.clock_punctuations for e in decoded]),
        processors=_processors(nodes, decoded),
    )


def _schedules(nodes: Mapping[str, str], saved: Sequence[list[Schedule]]) -> list[Schedule]:
    found: dict[str, list[Schedule]] = {}
    for schedules in saved:
        for schedule in schedules:
            found.setdefault(schedule[0], []).append(schedule)
    return [
        (new, ordinal, next_ms, cancelled)
        for new, old in nodes.items()
        for _, ordinal, next_ms, cancelled in found.get(old, ())
    ]


def _processors(nodes: Mapping[str, str], saved: Sequence[Snapshot]) -> dict[str, bytes]:
    found = {name: data for each in saved for name, data in each.processors.items()}
    return {new: found[old] for new, old in nodes.items() if old in found}
