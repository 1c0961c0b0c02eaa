"""Numbers of tasks that a topology has with other numbers of partitions."""

from __future__ import annotations

from collections.abc import Mapping

from millstream.core.plan import Plan
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.savepoints.rehash import PartitionOf
from millstream.topology.savepoints.rescale import Rescaling
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.driver.patterns import without_patterns


def known_sizes(plan: Plan, manifest: SavepointManifest) -> dict[str, int]:
    """Return how many partitions the source topics of a savepoint's program had."""
    sizes = {topic: len(numbers) for topic, numbers in manifest.positions.items()}
    for part in plan.subtopologies:
        for topic in part.source_topics:
            if topic not in plan.repartition_topics:
                sizes.setdefault(topic, manifest.tasks.get(part.id, 1))
    return sizes


def rescaling_for(
    plan: Plan,
    application_id: str,
    manifest: SavepointManifest,
    sizes: Mapping[str, int],
    places: Mapping[str, PartitionOf],
) -> Rescaling:
    """Return what changes if the topics have other numbers of partitions.

    Args:
        plan: The savepoint's topology.
        application_id: Prefix of internal topics.
        manifest: The savepoint's manifest.
        sizes: Topic -> its number of partitions.
        places: Stores whose keys are not placed by Kafka's default partitioner.

    Raises:
        TopologyException: Topics that are joined have different numbers of partitions.
    """
    resolved, _ = without_patterns(plan, sizes)
    layout = compile_plan(resolved, application_id, sizes)
    return Rescaling(
        tasks={
            stage.subtopology: stage.tasks
            for stage in layout.stages
            if manifest.tasks.get(stage.subtopology) != stage.tasks
        },
        places=places,
        topics={**sizes, **layout.feedback},
    )
