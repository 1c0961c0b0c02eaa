"""Partition counts of repartition topics."""

from __future__ import annotations

from collections.abc import Mapping

from millstream.core.errors import TopologyException
from millstream.core.plan import Plan


def partition_counts(plan: Plan, partitions: Mapping[str, int]) -> dict[str, int]:
    """Return the partition counts of all topics that a plan reads, by their names in the plan.

    A repartition topic has the number that the program sets, else the largest of its writers'
    sources; joined topics have the same number.

    Args:
        plan: The topology.
        partitions: Partition counts of the topics on the broker.

    Raises:
        TopologyException: Topics that are joined have different numbers, or a topic's number cannot
            be derived.
    """
    counts = dict(partitions)
    counts.update({topic: n for topic, n in plan.repartition_topics.items() if n is not None})
    open_topics = [topic for topic in plan.repartition_topics if topic not in counts]
    while open_topics:
        known = [topic for topic in open_topics if _writers_count(plan, topic, counts)]
        # In a cycle a writer may read a topic without a number yet; its other sources decide.
        known = known or [t for t in open_topics if _writers_count(plan, t, counts, partly=True)]
        if not known:
            raise TopologyException(
                f'nothing says how many partitions the repartition topic "{open_topics[0]}" has',
                hint="Give its number with Repartitioned.numberOfPartitions.",
            )
        found = {topic: _writers_count(plan, topic, counts, partly=True) for topic in known}
        counts.update(found)
        open_topics = [topic for topic in open_topics if topic not in found]
        _copartition(plan, counts, known)
    _copartition(plan, counts, [])
    return counts


def _writers_count(
    plan: Plan, topic: str, counts: Mapping[str, int], *, partly: bool = False
) -> int:
    """Return the largest partition count of a writer's sources; 0 while one is not known."""
    most = 0
    for part in plan.subtopologies:
        if topic not in part.sink_topics:
            continue
        known = [counts[source] for source in part.source_topics if source in counts]
        if len(known) < len(part.source_topics) and not partly:
            return 0
        most = max(most, *known, 0)
    return most


def _copartition(plan: Plan, counts: dict[str, int], movable: list[str]) -> None:
    """Give repartition topics the number of the topics they are joined with; check the others."""
    for group in plan.copartitioned:
        known = sorted(topic for topic in group if topic in counts)
        fixed = {topic: counts[topic] for topic in known if topic not in movable}
        if len(set(fixed.values())) > 1:
            listed = ", ".join(f'"{topic}" has {count}' for topic, count in fixed.items())
            raise TopologyException(
                "topics that are joined have different numbers of partitions",
                detail=f"{listed}.",
                hint="Repartition one of the streams before the join.",
            )
        number = max(fixed.values() or (counts[topic] for topic in known), default=0)
        for topic in known:
            counts[topic] = number
