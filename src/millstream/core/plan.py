"""Plan: the built, frozen topology, from which hosts create tasks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from millstream.core.errors import UnknownTopologyException


@dataclass(frozen=True, kw_only=True)
class SourceNode:
    """A source node; deserializers of None are the application's defaults."""

    name: str
    topics: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    key_deserializer: Any = None
    value_deserializer: Any = None
    timestamp_extractor: Any = None
    offset_reset: Any = None

    parents: tuple[str, ...] = ()

    def reads(self, topic: str) -> bool:
        """Tell whether this node reads ``topic``."""
        return topic in self.topics or bool(self.pattern and self.pattern.fullmatch(topic))


@dataclass(frozen=True, kw_only=True)
class ProcessorNode:
    """A processor and the stores it is connected to."""

    name: str
    parents: tuple[str, ...]
    supplier: Callable[[], Any]
    """Returns a fresh processor."""
    stores: tuple[str, ...] = ()
    fixed_key: bool = False
    """The processor cannot change keys; the task passes records as ``FixedKeyRecord``."""


class Repeats(Protocol):
    """Filter of records that a sink has already sent since the last commit."""

    def __call__(self, key: bytes | None, value: bytes | None, unserialized: Any, /) -> bool:
        """Tell whether a record need not be sent; note a record that must be sent."""

    def committed(self) -> None:
        """Forget the sent records."""


@dataclass(frozen=True, kw_only=True)
class SinkNode:
    """A sink node; it writes to ``topic``, or to the topic that ``extractor`` returns."""

    name: str
    parents: tuple[str, ...]
    topic: str | None = None
    extractor: Any = None
    key_serializer: Any = None
    value_serializer: Any = None
    partitioner: Any = None
    repeats: Callable[[], Repeats] | None = None
    """Creates a filter of repeated records for each task; None: all are sent."""


Node = SourceNode | ProcessorNode | SinkNode


@dataclass(frozen=True, kw_only=True)
class StoreNode:
    """A store, the processors that use it, and its changelog."""

    name: str
    builder: Any
    users: tuple[str, ...] = ()
    source_topic: str | None = None
    """The source topic that is the changelog, if the optimisation reuses one."""


@dataclass(frozen=True, kw_only=True)
class GlobalStore:
    """A store with all partitions for every task, and the sub-topology that fills it."""

    subtopology: int
    store: StoreNode
    source: SourceNode
    processor: ProcessorNode

    def as_subtopology(self) -> SubTopology:
        """Return the sub-topology that fills the store."""
        return SubTopology(
            id=self.subtopology, nodes=(self.source, self.processor), stores=(self.store,)
        )


@dataclass(frozen=True, kw_only=True)
class SubTopology:
    """Nodes that must share a task because edges or stores connect them."""

    id: int
    nodes: tuple[Node, ...]
    """In the order in which they were added."""
    stores: tuple[StoreNode, ...]
    """In the order in which a commit flushes them."""

    @cached_property
    def sources(self) -> tuple[SourceNode, ...]:
        """The source nodes, in order."""
        return tuple(node for node in self.nodes if isinstance(node, SourceNode))

    @cached_property
    def source_topics(self) -> tuple[str, ...]:
        """Every topic named by a source, in order."""
        return tuple(topic for source in self.sources for topic in source.topics)

    @cached_property
    def sink_topics(self) -> tuple[str, ...]:
        """Every topic named by a sink, in order, each once."""
        topics = (node.topic for node in self.nodes if isinstance(node, SinkNode))
        return tuple(dict.fromkeys(topic for topic in topics if topic is not None))

    def children(self) -> dict[str, list[Node]]:
        """Return the nodes right below each node, in the order in which they were added."""
        below: dict[str, list[Node]] = {node.name: [] for node in self.nodes}
        for node in self.nodes:
            for parent in dict.fromkeys(node.parents):
                below[parent].append(node)
        return below


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A whole topology. Names of internal topics lack the application's prefix here."""

    subtopologies: tuple[SubTopology, ...]
    globals: tuple[GlobalStore, ...] = ()
    repartition_topics: dict[str, int | None] = field(default_factory=dict)
    """Internal topic -> the number of partitions asked for, None for the writers' maximum."""
    copartitioned: tuple[frozenset[str], ...] = ()
    """Groups of topics that must have equally many partitions."""

    def subtopology(self, id: int) -> SubTopology:
        """Return the sub-topology numbered ``id``."""
        for candidate in self.subtopologies:
            if candidate.id == id:
                return candidate
        raise UnknownTopologyException(f"the topology has no sub-topology {id}")

    def internal_name(self, topic: str, application_id: str) -> str:
        """Return the name on the broker: a repartition topic begins with the application id."""
        return f"{application_id}-{topic}" if topic in self.repartition_topics else topic
