"""What every task of a continuous application needs, found out once in the driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from millstream import Topology
from millstream.core.config import StreamsConfig
from millstream.core.errors import UnsupportedOperationException
from millstream.core.plan import Plan
from millstream.core.processor import TaskId
from millstream.topology.spark.changelogs.kept import create_missing, kept_changelogs
from millstream.topology.spark.checkpoint.store_notes import notes_of
from millstream.topology.spark.clients.settings import consumer_settings, producer_settings
from millstream.topology.spark.compile import Layout, compile_plan
from millstream.topology.spark.driver.brokers import Brokers
from millstream.topology.spark.logged_store import LoggedStore

OffsetsMode = Literal["transaction", "early", "late"]
"""Where offsets are committed; anything but `transaction` breaks the promise on purpose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinuousJob:
    """A program, its tasks and its settings."""

    plan: Plan
    config: StreamsConfig
    layout: Layout
    sizes: Mapping[str, int]
    """Partition counts of all topics."""
    changelogs: Mapping[str, LoggedStore]
    offsets: OffsetsMode = "transaction"
    producer: Mapping[str, Any] = field(repr=False)
    consumer: Mapping[str, Any] = field(repr=False)

    @property
    def application_id(self) -> str:
        """The application's id: the group, and the start of every internal name."""
        return str(self.config.getString("application.id"))

    @property
    def tasks(self) -> int:
        """The number of tasks."""
        return self.layout.stages[0].tasks

    @property
    def commit_s(self) -> float:
        """Seconds from one commit to the next."""
        return float(self.config.getLong("commit.interval.ms")) / 1000

    def task_id(self, partition: int) -> TaskId:
        """Return the name of a partition's task."""
        return TaskId(self.layout.stages[0].subtopology, partition)

    def directory(self, partition: int) -> Path:
        """Return the directory of a task's local stores."""
        root = Path(self.config.getString("state.dir")) / self.application_id / "continuous"
        return root / repr(self.task_id(partition))

    @property
    def journal(self) -> Path:
        """The file to which each start of a task adds a line."""
        return Path(self.config.getString("state.dir")) / "starts.jsonl"


def job_of(
    topology: Topology, config: StreamsConfig, offsets: OffsetsMode = "transaction"
) -> ContinuousJob:
    """Return the job of a program; its changelog topics exist then.

    Raises:
        UnsupportedOperationException: The prototype cannot run the topology.
        StreamsException: The broker refuses or does not answer.
    """
    plan = topology.plan()
    if len(plan.subtopologies) != 1 or plan.globals:
        raise UnsupportedOperationException(
            "the prototype runs one sub-topology without global stores",
            detail=f"There are {len(plan.subtopologies)}, and {len(plan.globals)} global stores.",
            hint="Run it with KafkaStreams.",
        )
    sizes = Brokers(config).topic_sizes(plan)
    sources = {topic: sizes[topic] for topic in plan.subtopologies[0].source_topics}
    application_id = config.getString("application.id")
    layout = compile_plan(plan, application_id, sources)
    notes = notes_of(plan, config)
    kept = kept_changelogs(plan, layout, notes, sizes, config)
    stores = {store.name for store in plan.subtopologies[0].stores}
    if other := sorted(stores - kept.stores().keys()):
        raise UnsupportedOperationException(
            f'the prototype cannot restore store "{other[0]}"',
            detail="It has no changelog topic of its own.",
            hint="Run the topology with KafkaStreams.",
        )
    create_missing(kept, plan, notes, config)
    return ContinuousJob(
        plan=plan,
        config=config,
        layout=layout,
        sizes=sizes,
        changelogs=kept.stores(),
        offsets=offsets,
        producer=producer_settings(config),
        consumer=consumer_settings(config, application_id),
    )
