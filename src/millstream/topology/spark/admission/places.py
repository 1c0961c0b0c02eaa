"""Positions of source partitions: in the checkpoint, the group and the topics."""

from __future__ import annotations

import time
from collections.abc import Sequence

from millstream.topology.spark.admission.decision import Place
from millstream.topology.spark.admission.group import At, Group, GroupState
from millstream.topology.spark.admission.topic_ids import recreated_topics
from millstream.topology.spark.checkpoint.files import Files
from millstream.topology.spark.checkpoint.log import CheckpointLog, Progress, flat

_LATELY_MS = 24 * 3600 * 1000


def places_of(
    files: Files,
    location: str,
    group: Group,
    state: GroupState,
    progress: Progress,
    places: Sequence[At],
) -> list[Place]:
    """Return the positions of source partitions.

    Args:
        files: The checkpoint.
        location: Its location.
        group: The application's group.
        state: The group's committed offsets.
        progress: The checkpoint's progress.
        places: The partitions.
    """
    asked = list(places)
    ends, recreated = group.ends(asked), recreated_topics(files, group, location)
    done, planned = flat(progress.done_to), flat(progress.planned_to)
    lost = [at for at in asked if at not in state.offsets and done.get(at, 0) > 0]
    lately = _read_lately(CheckpointLog(files, location), progress, lost) if lost else {}
    return [
        Place(
            topic=at[0],
            partition=at[1],
            position=done.get(at, planned.get(at, 0)),
            planned=planned.get(at, done.get(at, 0)),
            committed=state.offsets.get(at),
            end=ends[at],
            recreated=at[0] in recreated,
            before=lately.get(at),
        )
        for at in asked
    ]


def _read_lately(history: CheckpointLog, progress: Progress, places: Sequence[At]) -> dict[At, int]:
    """Return the start offset of the last batch, within 24 hours, that read each place."""
    found = dict[At, int]()
    since = time.time() * 1000 - _LATELY_MS
    after = flat(progress.done_to)
    for batch in reversed([n for n in history.batches() if n <= progress.done]):
        try:
            if history.time_ms(batch) < since:
                break
            earlier = history.consumed(batch - 1) if batch else history.beginning()
        except (ValueError, KeyError, IndexError, OSError):
            break
        before = flat(earlier)
        for at in places:
            if at not in found and before.get(at, 0) < after.get(at, 0):
                found[at] = before.get(at, 0)
        after = before
    return found
