"""Records read by each task, from Spark's progress report of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream.core.processor import TaskId
from millstream.topology.spark.compile import Layout


def processed_records(layout: Layout, progress: Mapping[str, Any]) -> dict[TaskId, int]:
    """Return the number of records each task has read since its topics began.

    Spark does not count the records between stages: a task that reads only repartition topics gets
    an equal share of all records.

    Args:
        layout: The stages.
        progress: Spark's progress of a batch.
    """
    ends: dict[tuple[str, int], int] = {}
    for source in progress.get("sources") or ():
        offsets = source.get("endOffset")
        for topic, partitions in offsets.items() if isinstance(offsets, Mapping) else ():
            for number, end in partitions.items() if isinstance(partitions, Mapping) else ():
                ends[topic, int(number)] = int(end)
    total = sum(ends.values())
    return {
        TaskId(stage.subtopology, number): (
            sum(ends.get((topic, number), 0) for topic in stage.topics)
            if stage.topics
            else total // stage.tasks
        )
        for stage in layout.stages
        for number in range(stage.tasks)
    }
