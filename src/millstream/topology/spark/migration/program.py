"""The program of an application that moves: its topology, compiled for the topics as they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.plan import Plan, StoreNode
from millstream.core.state.changelog_format import ChangelogFormat
from millstream.topology.spark.changelogs.formats import format_of, retention_of
from millstream.topology.spark.changelogs.topics import plan_stores
from millstream.topology.spark.checkpoint.descriptor import Checkpoint, new_checkpoint
from millstream.topology.spark.checkpoint.store_notes import StoreNote, notes_of
from millstream.topology.spark.compile import Layout, compile_plan
from millstream.topology.spark.driver.brokers import Brokers
from millstream.topology.spark.driver.patterns import without_patterns
from millstream.topology.spark.driver.probe import needs_wall_clock
from millstream.topology.spark.evolution.words import words_of
from millstream.topology.spark.partition_counts import partition_counts
from millstream.topology.topology import Topology


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingProgram:
    """A program, and the topics of its broker."""

    application_id: str
    plan: Plan
    layout: Layout
    description: Checkpoint
    """As a checkpoint of the program has it."""
    configs: Mapping[str, Any] = field(repr=False)
    sizes: Mapping[str, int]
    """All topics of the broker, with their partition counts."""
    sources: Mapping[str, int]
    """Those that the program reads from the broker."""

    @property
    def notes(self) -> Mapping[str, StoreNote]:
        """Notes of all stores."""
        return self.description.stores

    def stores(self) -> dict[str, StoreNode]:
        """Return the stores of tasks by name; global ones are not among them."""
        return plan_stores(self.plan)

    def format_of(self, store: str) -> ChangelogFormat:
        """Return the changelog format of a store.

        Raises:
            StreamsException: It is not known.
        """
        return format_of(self.stores()[store], self.notes[store], self.configs)

    def retention_of(self, store: str) -> int | None:
        """Return how long windows, sessions or versions are kept, in ms; None for other stores."""
        return retention_of(self.stores()[store], self.configs)


def moving_program(
    topology: Topology, config: StreamsConfig, over_broker: Collection[str] = ()
) -> MovingProgram:
    """Compile a program.

    Args:
        topology: The program.
        config: Its configuration.
        over_broker: Repartition topics with records that are not processed yet.

    Raises:
        BrokerNotFoundException: No broker answers.
        MissingSourceTopicException: A topic that it reads does not exist.
    """
    brokers = Brokers(config)
    name = config.getString("application.id")
    sizes = brokers.topic_sizes(topology.plan())
    plan, matched = without_patterns(topology.plan(), sizes)
    sources = brokers.source_sizes(plan, sizes)
    layout = compile_plan(plan, name, sources, over_broker)
    description = new_checkpoint(
        str(topology.describe()),
        layout.tasks(),
        matched,
        config.getString("dsl.store.format"),
        notes_of(plan, config),
        partition_counts(plan, sources),
        words=words_of(config).texts(),
        ticks=needs_wall_clock(plan, config),
        over_broker=sorted(over_broker),
        application=name,
    )
    return MovingProgram(
        application_id=name,
        plan=plan,
        layout=layout,
        description=description,
        configs=config.merged(),
        sizes=sizes,
        sources=sources,
    )
