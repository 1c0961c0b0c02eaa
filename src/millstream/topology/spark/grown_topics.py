"""Error for a topic that has got more partitions while the query runs: from a worker or the JVM."""

from __future__ import annotations

import re

from millstream.core.errors import StreamsException

_REPORT = re.compile(
    r'millstream: a record has come from partition (\d+) of topic "([\w.-]+)", '
    r"for which there are (\d+) tasks"
)


def grown_topic(topic: str, partition: int, tasks: int) -> StreamsException:
    """Return the error for a record of a partition that has no task."""
    many = "1 task" if tasks == 1 else f"{tasks} tasks"
    return StreamsException(
        f'topic "{topic}" has got more partitions while the application runs',
        detail=f"A record has come from partition {partition}, and since its start the application "
        f"has {many} for the topic. Nothing of this batch has been written.",
        hint="Start the application again: it reads the new partitions. If it has stores, that "
        "start says how their entries get to the partitions where their keys belong now.",
    )


def grown_topic_from(text: str) -> StreamsException | None:
    """Return that error from the text of a query's failure; None if it has no word of it."""
    found = _REPORT.search(text)
    return None if found is None else grown_topic(found[2], int(found[1]), int(found[3]))
