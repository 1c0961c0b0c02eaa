"""Compiler from a plan to the line of stages: one stage for each sub-topology, in order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from millstream.core.chunk_processor import reads_globals
from millstream.core.plan import Plan, ProcessorNode, SubTopology
from millstream.core.processor import TaskId
from millstream.topology.spark.order import feedback_topics, ordered
from millstream.topology.spark.partition_counts import partition_counts
from millstream.topology.spark.surrogate import surrogate_keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One sub-topology on the line."""

    index: int
    subtopology: int
    tasks: int
    topics: tuple[str, ...]
    """Topics read from the broker, feedback topics included."""
    internal: tuple[str, ...]
    """Repartition topics read from earlier stages, by their names on the broker."""
    has_globals: bool = False
    """Whether its tasks have copies of the global stores."""

    def task_ids(self) -> list[TaskId]:
        """Return its tasks, by partition."""
        return [TaskId(self.subtopology, number) for number in range(self.tasks)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The stages, and the routes of repartition topics between them."""

    stages: tuple[Stage, ...]
    routes: Mapping[str, tuple[int, int]]
    """Repartition topic -> (stage that reads it, number of partitions)."""
    keys: tuple[int, ...]
    """Group key of each task number; as many as Spark has shuffle partitions."""
    feedback: Mapping[str, int] = field(default_factory=dict)
    """Feedback topic (a repartition topic on the broker) -> number of partitions."""

    def tasks(self) -> dict[str, int]:
        """Return the number of tasks of each sub-topology, as a checkpoint describes them."""
        return {str(stage.subtopology): stage.tasks for stage in self.stages}

    def reads_at_several_places(self) -> bool:
        """Return whether several stages read from the broker."""
        return sum(1 for stage in self.stages if stage.topics) > 1


def compile_plan(
    plan: Plan,
    application_id: str,
    partitions: Mapping[str, int],
    over_broker: Collection[str] = (),
    frames: Collection[str] = (),
) -> Layout:
    """Return the line for a plan.

    Args:
        plan: The topology; source patterns are already resolved to topics.
        application_id: Prefix of internal topics.
        partitions: Partition counts of the source topics on the broker.
        over_broker: Repartition topics, by their names on the broker, that are feedback topics
            although they lead to a later stage: they have records that are not processed yet.
        frames: Source topics that DataFrames stand for; ``partitions`` has their counts. Their
            records arrive as those of repartition topics do.

    Raises:
        TopologyException: Topics that are joined have different numbers of partitions.
    """
    counts = partition_counts(plan, partitions)
    order = ordered(plan)
    own = {topic: plan.internal_name(topic, application_id) for topic in plan.repartition_topics}
    back = set(feedback_topics(plan, order))
    back |= {topic for topic, name in own.items() if name in over_broker}
    shuffled = (own.keys() - back) | set(frames)
    keepers = _keepers(plan, order)

    def named(topics: Sequence[str], *, inside: bool) -> tuple[str, ...]:
        chosen = (topic for topic in topics if (topic in shuffled) is inside)
        return tuple(plan.internal_name(topic, application_id) for topic in chosen)

    stages = tuple(
        Stage(
            index=index,
            subtopology=part.id,
            tasks=max(counts[topic] for topic in part.source_topics),
            topics=named(part.source_topics, inside=False),
            internal=named(part.source_topics, inside=True),
            has_globals=part.id in keepers,
        )
        for index, part in enumerate(order)
    )
    if not stages:
        stages = (_only_globals(plan),)
    sizes = {plan.internal_name(topic, application_id): n for topic, n in counts.items()}
    return Layout(
        stages=stages,
        routes={topic: (stage.index, sizes[topic]) for stage in stages for topic in stage.internal},
        keys=surrogate_keys(max(stage.tasks for stage in stages)),
        feedback={name: sizes[name] for topic, name in own.items() if topic in back},
    )


def _keepers(plan: Plan, order: Sequence[SubTopology]) -> set[int]:
    """Return the sub-topologies whose tasks have the global stores; by default the first one."""
    if not plan.globals:
        return set()
    asking = {part.id for part in order if _may_ask_for_globals(part)}
    return asking or {part.id for part in order[:1]}


def _may_ask_for_globals(part: SubTopology) -> bool:
    """Return whether a sub-topology has a processor that may read a global store.

    A user's processor may, without being connected to it; only a few of the DSL's do.
    """
    return any(
        reads_globals(node.supplier()) for node in part.nodes if isinstance(node, ProcessorNode)
    )


def _only_globals(plan: Plan) -> Stage:
    """Return the one stage of a topology that only fills global stores, for queries."""
    number = plan.globals[0].subtopology
    return Stage(index=0, subtopology=number, tasks=1, topics=(), internal=(), has_globals=True)
