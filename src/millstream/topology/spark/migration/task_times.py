"""Snapshots of tasks, from what Kafka Streams keeps of their times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from millstream.core.engine import snapshots
from millstream.core.plan import Plan, ProcessorNode, SubTopology
from millstream.topology.operators.windowed import WindowedAggregate
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.migration.offset_metadata import UNKNOWN_TIME, OffsetMetadata

Place = tuple[str, int]
Summaries = Mapping[tuple[str, int], bytes]
"""Store and partition -> the summary of its changelog."""


def task_snapshots(
    plan: Plan,
    layout: Layout,
    application_id: str,
    metadata: Mapping[Place, OffsetMetadata],
    summaries: Summaries,
) -> dict[str, bytes]:
    """Return the snapshot of each task, by its name.

    A task knows what one of Kafka Streams knows after a restart: the times of its partitions, the
    windows that it has emitted, and the times in the buffers that it restores. Processors begin
    without a stream time of their own, as they do there.
    """
    found = {}
    for stage in layout.stages:
        part = plan.subtopology(stage.subtopology)
        topics = [plan.internal_name(topic, application_id) for topic in part.source_topics]
        for partition in range(stage.tasks):
            known = {
                (topic, partition): metadata[topic, partition]
                for topic in topics
                if (topic, partition) in metadata
            }
            times = {
                place: each.partition_time
                for place, each in known.items()
                if each.partition_time != UNKNOWN_TIME
            }
            emitted: dict[str, int] = {}
            for each in known.values():
                for store, time in each.processors.items():
                    emitted[store] = max(time, emitted.get(store, time))
            found[f"{stage.subtopology}_{partition}"] = snapshots.encode(
                stream_time=max(times.values(), default=UNKNOWN_TIME),
                partition_times=times,
                stream_punctuations=[],
                clock_punctuations=[],
                processors=dict(_saved(part, partition, emitted, summaries)),
            )
    return found


def _saved(
    part: SubTopology, partition: int, emitted: Mapping[str, int], summaries: Summaries
) -> Iterator[tuple[str, bytes]]:
    for node in part.nodes:
        if not isinstance(node, ProcessorNode) or not node.stores:
            continue
        processor = node.supplier()
        if isinstance(processor, WindowedAggregate):
            times = [emitted[store] for store in node.stores if store in emitted]
            if times:
                yield node.name, processor.saved_after(max(times))
            continue
        store = getattr(processor, "saves_times_of", None)
        summary = summaries.get((store, partition)) if store is not None else None
        if summary:
            yield node.name, summary


def emitted_of(part: SubTopology, snapshot: snapshots.Snapshot) -> dict[str, int]:
    """Return the close time up to which windows were emitted, by store, from a task's snapshot."""
    found = {}
    for node in part.nodes:
        saved = snapshot.processors.get(node.name)
        if saved is None or not isinstance(node, ProcessorNode):
            continue
        processor = node.supplier()
        if isinstance(processor, WindowedAggregate):
            with snapshots.part_of(node.name):
                processor.restore(saved)
            time, store = processor.emitted_until, processor.store_name
            if time != UNKNOWN_TIME and store in node.stores:
                found[store] = time
    return found
