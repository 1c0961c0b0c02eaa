"""Compiled program: stages for the topics as they are, and the description of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping

from millstream.core.config import StreamsConfig
from millstream.core.plan import Plan
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.checkpoint.descriptor import Checkpoint, new_checkpoint
from millstream.topology.spark.checkpoint.store_notes import notes_of
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.driver.brokers import Brokers
from millstream.topology.spark.driver.patterns import without_patterns
from millstream.topology.spark.driver.probe import needs_wall_clock
from millstream.topology.spark.evolution.words import words_of
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.moving import Compiled, described
from millstream.topology.spark.partition_counts import partition_counts


def compiled_for(
    plan: Plan,
    description: str,
    config: StreamsConfig,
    brokers: Brokers,
    sizes: Mapping[str, int],
    generations: Generations | None = None,
) -> Compiled:
    """Compile a program for the topics as they are now.

    Args:
        plan: The topology.
        description: Text of its ``describe()``.
        config: The application's configuration.
        brokers: The cluster.
        sizes: The partition counts of all topics.
        generations: Those of the checkpoint; None if they are not known yet.

    Raises:
        MissingSourceTopicException: A topic that the program reads does not exist.
        TopologyException: Topics that are joined have different numbers of partitions.
    """
    resolved, matched = without_patterns(plan, sizes)
    source_sizes = brokers.source_sizes(resolved, sizes)
    global_sizes = brokers.global_sizes(resolved, sizes)
    found = None if generations is None else described(generations)
    over = [] if found is None else _over_broker(found, plan, description, config, sizes)
    layout = compile_plan(resolved, config.getString("application.id"), source_sizes, over)
    wanted = new_checkpoint(
        description,
        layout.tasks(),
        matched,
        config.getString("dsl.store.format"),
        notes_of(resolved, config),
        partition_counts(resolved, source_sizes),
        words=words_of(config).texts(),
        ticks=needs_wall_clock(resolved, config),
        over_broker=sorted(over),
        application=config.getString("application.id"),
    )
    return Compiled(resolved, layout, wanted, source_sizes | dict(layout.feedback), global_sizes)


def _over_broker(
    found: Checkpoint,
    plan: Plan,
    description: str,
    config: StreamsConfig,
    sizes: Mapping[str, int],
) -> list[str]:
    """Return the repartition topics that an adoption has left on the broker, and that stay there.

    Each does until the program changes after all its records have been read: what Spark reads in
    one checkpoint stays the same.

    Args:
        found: Description of the checkpoint.
        plan: The topology.
        description: Text of its ``describe()``.
        config: The application's configuration.
        sizes: The partition counts of all topics.
    """
    name = config.getString("application.id")
    own = {plan.internal_name(topic, name) for topic in plan.repartition_topics}
    over = [topic for topic in found.over_broker if topic in own]
    if found.topology == description or not over:
        return over
    group = Group(config)
    places = [(topic, n) for topic in over for n in range(sizes.get(topic, 0))]
    state, ends = group.state(places, 0, settle=False), group.ends(places)
    begins = {place: at.offset for place, at in state.offsets.items()}
    ranges = {at: (begins.get(at, 0), ends[at]) for at in places if begins.get(at, 0) < ends[at]}
    unread = {topic for topic, _ in group.with_records(ranges)}
    return [topic for topic in over if topic in unread]
