"""Numbers of tasks that a topology has with other numbers of partitions."""

from __future__ import annotations

from collections.abc import Mapping

from millstream.core.partitioning import default_partition
from millstream.core.plan import Plan
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.savepoints.placing import left_parts
from millstream.topology.savepoints.rescale import Rescaling
from millstream.topology.savepoints.store_counts import store_counts
from millstream.topology.savepoints.subscriptions import LeftTable, PartitionOf
from millstream.topology.spark.compile import Layout, compile_plan
from millstream.topology.spark.driver.patterns import without_patterns
from millstream.topology.spark.partition_counts import partition_counts


def known_sizes(plan: Plan, manifest: SavepointManifest) -> dict[str, int]:
    """Return how many partitions the source topics had when a savepoint's program started.

    Positions say more of a topic that has grown while it ran.
    """
    sizes = {topic: len(numbers) for topic, numbers in manifest.positions.items()}
    for part in plan.subtopologies:
        most = manifest.tasks.get(part.id, 1)
        for topic in part.source_topics:
            if topic not in plan.repartition_topics:
                sizes[topic] = min(sizes.get(topic, most), most)
    return sizes | {t: n for t, n in manifest.partitions.items() if t in sizes}


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
    layout = _layout(plan, application_id, sizes)
    tasks = {stage.subtopology: stage.tasks for stage in layout.stages}
    changed = {part: n for part, n in tasks.items() if manifest.tasks.get(part) != n}
    before = _described(plan, known_sizes(plan, manifest))
    return Rescaling(
        tasks=changed,
        places=places,
        topics={**sizes, **layout.feedback},
        stores=store_counts(manifest, before, _described(plan, sizes)),
        lefts=_lefts(plan, manifest, changed, places),
    )


def tasks_with(plan: Plan, application_id: str, sizes: Mapping[str, int]) -> dict[int, int]:
    """Return the number of tasks of each sub-topology if the topics have these partitions.

    Raises:
        TopologyException: Topics that are joined have different numbers of partitions.
    """
    stages = _layout(plan, application_id, sizes).stages
    return {stage.subtopology: stage.tasks for stage in stages}


def topics_matched(plan: Plan, sizes: Mapping[str, int]) -> set[str]:
    """Return the topics that the patterns of a plan match, of some topics.

    Raises:
        MissingSourceTopicException: A pattern matches none.
    """
    _, matched = without_patterns(plan, sizes)
    return {topic for topics in matched.values() for topic in topics}


def _layout(plan: Plan, application_id: str, sizes: Mapping[str, int]) -> Layout:
    resolved, _ = without_patterns(plan, sizes)
    return compile_plan(resolved, application_id, sizes)


def _described(plan: Plan, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the partitions of all topics that are read, by their names in the description."""
    resolved, _ = without_patterns(plan, sizes)
    return partition_counts(resolved, sizes)


def _lefts(
    plan: Plan,
    manifest: SavepointManifest,
    changed: Mapping[int, int],
    places: Mapping[str, PartitionOf],
) -> dict[str, LeftTable]:
    """Return the left tables of foreign-key joins that get another number of tasks."""
    found = {}
    for store, part in left_parts(plan).items():
        if store in manifest.stores and part in changed:
            own = (n for n, each in manifest.stores.items() if each.subtopology == part)
            given = [places[name] for name in own if name in places]
            found[store] = LeftTable(changed[part], given[0] if given else default_partition)
    return found
