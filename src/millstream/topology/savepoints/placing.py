"""Stores that cannot be rescaled by the keys of records, as the topology tells, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from millstream.core.chunk_processor import ChunkProcessor
from millstream.core.engine.user_processor import adapted
from millstream.core.errors import UnsupportedOperationException
from millstream.core.plan import Plan, ProcessorNode, SinkNode, SubTopology
from millstream.topology.graph.windowed_partitioner import WindowedPartitioner
from millstream.topology.operators.foreign_key_right import StoreSubscription
from millstream.topology.operators.subscriptions import AnswerPartitioner
from millstream.topology.savepoints.manifest import SavepointManifest


def unplaced(plan: Plan, manifest: SavepointManifest, parts: Collection[int]) -> dict[str, str]:
    """Return the stores whose keys do not decide the partition, each with the reason.

    Args:
        plan: The topology.
        manifest: The state.
        parts: The sub-topologies that get another number of tasks.
    """
    found = {}
    chosen = _topics_with_partitioners(plan.subtopologies)
    for part in plan.subtopologies:
        if part.id not in parts:
            continue
        topics = [topic for topic in part.source_topics if topic in chosen]
        for name, users in _users(part).items():
            own = [node.name for node in users if not _processor(node).keys_by_record]
            if topics:
                found[name] = f'the records of "{topics[0]}" have a partitioner of their own'
            elif own:
                found[name] = f'"{own[0]}" may write other keys than those of its records'
    return found


def left_parts(plan: Plan) -> dict[str, int]:
    """Return the store of each foreign-key join's subscriptions -> sub-topology of the left table.

    A subscription names the partition of the left table to which it is answered.
    """
    found: dict[str, int] = {}
    for part in plan.subtopologies:
        for node in part.nodes:
            processor = _processor(node) if isinstance(node, ProcessorNode) else None
            if isinstance(processor, StoreSubscription):
                topic = processor.join.topic
                lefts = [each.id for each in plan.subtopologies if _writes(each, topic)]
                found[processor.join.store] = lefts[0]
    return found


def _writes(part: SubTopology, topic: str) -> bool:
    return any(isinstance(node, SinkNode) and node.topic == topic for node in part.nodes)


def combiner(plan: Plan) -> Callable[[str, Sequence[bytes]], bytes]:
    """Return what joins the state that a processor has saved in several tasks.

    It raises ``UnsupportedOperationException`` for a processor that cannot go on with it.
    """
    nodes = {
        node.name: node
        for part in (*plan.subtopologies, *(each.as_subtopology() for each in plan.globals))
        for node in part.nodes
        if isinstance(node, ProcessorNode)
    }

    def combine(name: str, saved: Sequence[bytes]) -> bytes:
        if name not in nodes:
            return saved[0]
        try:
            return _processor(nodes[name]).combine(saved)
        except UnsupportedOperationException as error:
            raise UnsupportedOperationException(
                f'processor "{name}" cannot go on with the state of several tasks',
                detail=f"{error.problem}. {error.detail}",
                hint=error.hint,
            ) from error

    return combine


def _processor(node: ProcessorNode) -> ChunkProcessor:
    return adapted(node.supplier(), fixed_key=node.fixed_key)


def _users(part: SubTopology) -> dict[str, list[ProcessorNode]]:
    found: dict[str, list[ProcessorNode]] = {store.name: [] for store in part.stores}
    for node in part.nodes:
        if isinstance(node, ProcessorNode):
            for store in node.stores:
                found[store].append(node)
    return found


def _topics_with_partitioners(parts: Iterable[SubTopology]) -> set[str]:
    """Return the topics that are written with a partitioner of the user's."""
    return {
        node.topic
        for part in parts
        for node in part.nodes
        if isinstance(node, SinkNode)
        and node.topic is not None
        and node.partitioner is not None
        and not isinstance(node.partitioner, WindowedPartitioner)
        # Answers go back to the partitions of the left table's rows.
        and not isinstance(node.partitioner, AnswerPartitioner)
    }
