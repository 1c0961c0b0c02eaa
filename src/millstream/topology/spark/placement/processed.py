"""Records read by each task, from Spark's progress report of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream.core.processor import TaskId
from millstream.topology.spark.checkpoint.log import flat, source_positions
from millstream.topology.spark.compile import Layout


def processed_records(layout: Layout, progress: Mapping[str, Any]) -> dict[TaskId, int]:
    """Return the number of records each task has read since its topics began.

    Spark does not count the records between stages: a task that reads only repartition topics gets
    an equal share of all records.

    Args:
        layout: The stages.
        progress: Spark's progress of a batch.
    """
    sources = progress.get("sources") or ()
    ends = flat(source_positions(source.get("endOffset") for source in sources))
    total = sum(ends.values())
    return {
        task: (
            sum(ends.get((topic, task.partition()), 0) for topic in stage.topics)
            if stage.topics
            else total // stage.tasks
        )
        for stage in layout.stages
        for task in stage.task_ids()
    }
