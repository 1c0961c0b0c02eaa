"""Records that a batch has left unread, by topic and by task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream.topology.spark.compile import Stage

Lags = Mapping[tuple[str, int], int]


def lags_of(progress: Mapping[str, Any] | None) -> dict[tuple[str, int], int]:
    """Return the number of unread records of each partition of the topics that Spark reads."""
    found: dict[tuple[str, int], int] = {}
    for source in (progress or {}).get("sources") or ():
        read, ends = source.get("endOffset"), source.get("latestOffset")
        if not isinstance(read, Mapping) or not isinstance(ends, Mapping):
            continue
        for topic, partitions in read.items():
            own: Mapping[str, int] = ends.get(topic) or {}
            for number, offset in partitions.items() if isinstance(partitions, Mapping) else ():
                found[topic, int(number)] = max(0, own.get(number, offset) - offset)
    return found


def of_topic(lags: Lags, topic: str) -> int | None:
    """Return a topic's unread records; None if Spark does not read it, or has not yet."""
    own = [lag for (name, _), lag in lags.items() if name == topic]
    return sum(own) if own else None


def of_task(lags: Lags, stage: Stage, partition: int) -> int | None:
    """Return a task's unread records on the broker; None if that is not known."""
    own = [lags[topic, partition] for topic in stage.topics if (topic, partition) in lags]
    return sum(own) if own else None
