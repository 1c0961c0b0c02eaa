"""Facts about programs of tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream import Serdes, StreamsConfig, Topology
from millstream.topology.spark.checkpoint.store_notes import notes_of
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.evolution.facts import Facts
from millstream.topology.spark.evolution.outcome import Comparison, Fate
from millstream.topology.spark.evolution.reading import facts_of
from millstream.topology.spark.partition_counts import partition_counts

TEXT, LONG, DOUBLE = Serdes.String(), Serdes.Long(), Serdes.Double()
BASE = {
    "application.id": "app",
    "bootstrap.servers": "nowhere:1",
    "default.key.serde": TEXT,
    "default.value.serde": TEXT,
}


def facts(
    topology: Topology,
    partitions: Mapping[str, int] | int = 2,
    *,
    counted: bool = True,
    **entries: Any,
) -> Facts:
    """Facts about a program whose topics have so many partitions.

    ``counted``: the partitions of topics are noted, as new checkpoints have them.
    """
    config = StreamsConfig(BASE | {name.replace("_", "."): v for name, v in entries.items()})
    plan = topology.plan()
    outside = {
        topic
        for part in plan.subtopologies
        for topic in part.source_topics
        if topic not in plan.repartition_topics
    }
    known = (
        dict.fromkeys(outside, partitions)
        if isinstance(partitions, int)
        else {topic: count for topic, count in partitions.items() if topic in outside}
    )
    patterns = [node.name for part in plan.subtopologies for node in part.sources if node.pattern]
    tasks: dict[int, int] = {}
    counts: dict[str, int] = {}
    if not patterns:
        layout = compile_plan(plan, "app", known)
        tasks = {stage.subtopology: stage.tasks for stage in layout.stages}
        counts = partition_counts(plan, known)
    return facts_of(
        str(topology.describe()),
        application_id="app",
        tasks=tasks,
        notes=notes_of(plan, config),
        topics={name: [] for name in patterns},
        store_format=config.getString("dsl.store.format"),
        partitions=counts if counted else {},
    )


def fates(comparison: Comparison, kind: str = "store") -> dict[str, Fate]:
    """What becomes of each store; ``former NAME`` where both programs have one of a name."""
    found: dict[str, Fate] = {}
    for each in comparison.outcomes:
        if each.kind == kind:
            found[f"former {each.name}" if each.name in found else each.name] = each.fate
    return found
