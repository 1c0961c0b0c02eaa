"""Compiled program: stages for the topics as they are, and the description of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping

from millstream.core.config import StreamsConfig
from millstream.core.plan import Plan
from millstream.topology.spark.checkpoint.descriptor import new_checkpoint
from millstream.topology.spark.checkpoint.store_notes import notes_of
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.driver.brokers import Brokers
from millstream.topology.spark.driver.patterns import without_patterns
from millstream.topology.spark.driver.probe import needs_wall_clock
from millstream.topology.spark.generations.moving import Compiled
from millstream.topology.spark.partition_counts import partition_counts


def compiled_for(
    plan: Plan, description: str, config: StreamsConfig, brokers: Brokers, sizes: Mapping[str, int]
) -> Compiled:
    """Compile a program for the topics as they are now.

    Args:
        plan: The topology.
        description: Text of its ``describe()``.
        config: The application's configuration.
        brokers: The cluster.
        sizes: The partition counts of all topics.

    Raises:
        MissingSourceTopicException: A topic that the program reads does not exist.
        TopologyException: Topics that are joined have different numbers of partitions.
    """
    resolved, matched = without_patterns(plan, sizes)
    source_sizes = brokers.source_sizes(resolved, sizes)
    global_sizes = brokers.global_sizes(resolved, sizes)
    layout = compile_plan(resolved, config.getString("application.id"), source_sizes)
    wanted = new_checkpoint(
        description,
        layout.tasks(),
        matched,
        config.getString("dsl.store.format"),
        notes_of(resolved, config),
        partition_counts(resolved, source_sizes),
        ticks=needs_wall_clock(resolved, config),
    )
    return Compiled(resolved, layout, wanted, source_sizes | dict(layout.feedback), global_sizes)
