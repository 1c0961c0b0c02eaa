"""From a plan to the line: one stage per sub-topology, in an order in which records only go on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from millstream.core.errors import TopologyException
from millstream.core.plan import Plan, SubTopology
from millstream.topology.spark.surrogate import surrogate_keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One sub-topology on the line."""

    index: int
    subtopology: int
    tasks: int
    topics: tuple[str, ...]
    """Topics that it reads from the broker."""
    internal: tuple[str, ...]
    """Repartition topics that it reads from earlier stages, by their names on the broker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The stages and what joins them."""

    stages: tuple[Stage, ...]
    routes: Mapping[str, tuple[int, int]]
    """Repartition topic -> (stage that reads it, number of partitions)."""
    keys: tuple[int, ...]
    """Group key of each task number; as many as Spark has shuffle partitions."""


def compile_plan(plan: Plan, application_id: str, partitions: Mapping[str, int]) -> Layout:
    """Return the line for a plan.

    Args:
        plan: The topology; no source has a pattern any more.
        application_id: Prefix of internal topics.
        partitions: Partition counts of the source topics on the broker.

    Raises:
        TopologyException: Sub-topologies write to each other in a circle, or topics that are joined
            have different numbers of partitions.
    """
    counts = _partition_counts(plan, partitions)
    ordered = _ordered(plan)
    stages = tuple(
        Stage(
            index=index,
            subtopology=part.id,
            tasks=max(counts[topic] for topic in part.source_topics),
            topics=tuple(t for t in part.source_topics if t not in plan.repartition_topics),
            internal=tuple(
                plan.internal_name(topic, application_id)
                for topic in part.source_topics
                if topic in plan.repartition_topics
            ),
        )
        for index, part in enumerate(ordered)
    )
    internal_counts = {
        plan.internal_name(topic, application_id): counts[topic]
        for topic in plan.repartition_topics
        if topic in counts
    }
    return Layout(
        stages=stages,
        routes={
            topic: (stage.index, internal_counts[topic])
            for stage in stages
            for topic in stage.internal
        },
        keys=surrogate_keys(max(stage.tasks for stage in stages)),
    )


def _ordered(plan: Plan) -> list[SubTopology]:
    """Return the sub-topologies so that each comes after those it reads from."""
    waiting = sorted(plan.subtopologies, key=lambda part: part.id)
    ordered: list[SubTopology] = []
    while waiting:
        ready = next((part for part in waiting if not _upstream(plan, part, waiting)), None)
        if ready is None:
            numbers = ", ".join(str(part.id) for part in waiting)
            raise TopologyException(
                "sub-topologies write to each other in a circle",
                detail=f"They are {numbers}, joined by repartition topics.",
                hint="Send the records back through a topic of your own.",
            )
        waiting.remove(ready)
        ordered.append(ready)
    return ordered


def _upstream(plan: Plan, part: SubTopology, among: Iterable[SubTopology]) -> list[SubTopology]:
    read = set(part.source_topics) & plan.repartition_topics.keys()
    return [other for other in among if read & set(other.sink_topics)]


def _partition_counts(plan: Plan, partitions: Mapping[str, int]) -> dict[str, int]:
    counts = dict(partitions)
    counts.update({topic: n for topic, n in plan.repartition_topics.items() if n is not None})
    open_topics = [topic for topic in plan.repartition_topics if topic not in counts]
    while open_topics:
        known = [topic for topic in open_topics if _writers_count(plan, topic, counts)]
        if not known:
            raise TopologyException(
                f'nothing says how many partitions the repartition topic "{open_topics[0]}" has',
                hint="Give its number with Repartitioned.numberOfPartitions.",
            )
        for topic in known:
            counts[topic] = _writers_count(plan, topic, counts)
            open_topics.remove(topic)
        _copartition(plan, counts, known)
    _copartition(plan, counts, [])
    return counts


def _writers_count(plan: Plan, topic: str, counts: Mapping[str, int]) -> int:
    """Return the most partitions of any source of a writer; 0 while one is not known."""
    most = 0
    for part in plan.subtopologies:
        if topic not in part.sink_topics:
            continue
        if any(source not in counts for source in part.source_topics):
            return 0
        most = max(most, *(counts[source] for source in part.source_topics))
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
