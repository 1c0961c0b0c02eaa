"""Topics that attempts at the tasks of a running batch have failed for: they do not exist.

A topic extractor may name any topic, so the driver does not know it before. Spark tries a task
again and tells nobody why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_NO_TOPIC = re.compile(r'topic "([^"\n]+)" to write to does not exist')
_MOST_TASKS = 1000


def missing_topics(query: Any) -> list[str]:
    """Return the topics that failed attempts of a query's running stages name.

    Args:
        query: The streaming query; None if none runs.
    """
    if query is None:
        return []
    return sorted({name for text in _errors(query) for name in _NO_TOPIC.findall(text)})


def _errors(query: Any) -> Iterator[str]:
    context = query._jsq.sparkSession().sparkContext()
    tracker, store = context.statusTracker(), context.statusStore()
    of_query: set[int] = set()
    for job in set(tracker.getJobIdsForGroup(str(query.runId))) & set(tracker.getActiveJobIds()):
        found = tracker.getJobInfo(job)
        of_query |= set(found.get().stageIds()) if found.isDefined() else set()
    for stage in of_query & set(tracker.getActiveStageIds()):
        found = tracker.getStageInfo(stage)
        if found.isEmpty() or not found.get().numFailedTasks():
            continue
        tasks = store.taskList(stage, found.get().currentAttemptId(), _MOST_TASKS)
        for at in range(tasks.size()):
            error = tasks.apply(at).errorMessage()
            if error.isDefined():
                yield str(error.get())
