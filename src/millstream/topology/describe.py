"""Description of a topology, byte for byte the text of Kafka Streams."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from millstream.core.java_collections import TreeSet, copied_hash_order, hash_order
from millstream.core.plan import GlobalStore, Plan, ProcessorNode, SinkNode, SourceNode, SubTopology
from millstream.core.plan import Node as PlanNode


class DescribedNode:
    """One node of a description; see ``TopologyDescription.Node``."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._size = 1
        self._predecessors: TreeSet[DescribedNode] = TreeSet(_compare)
        self._successors: TreeSet[DescribedNode] = TreeSet(_compare)

    def name(self) -> str:
        """Return the node's name."""
        return self._name

    def predecessors(self) -> list[DescribedNode]:
        """Return the nodes above, in Kafka's order."""
        return self._predecessors.items()

    def successors(self) -> list[DescribedNode]:
        """Return the nodes below, in Kafka's order."""
        return self._successors.items()

    def _grow(self, delta: int) -> None:
        # Kafka adds to a node above once for each path that leads there. Each merge of what was
        # branched doubles their number, so a node gets the sum of its paths at once.
        added: dict[DescribedNode, int] = {self: delta}
        for node in _upwards(self):
            node._size += added[node]
            for above in node.predecessors():
                added[above] = added.get(above, 0) + added[node]


class DescribedSource(DescribedNode):
    """A source of a description; see ``TopologyDescription.Source``."""

    def __init__(self, node: SourceNode) -> None:
        super().__init__(node.name)
        self._node = node

    def topicSet(self) -> set[str] | None:
        """Return the topics; None for a source by pattern."""
        return set(self._node.topics) or None

    def topicPattern(self) -> re.Pattern[str] | None:
        """Return the pattern; None for a source of named topics."""
        return self._node.pattern

    def __str__(self) -> str:
        pattern = self._node.pattern
        topics = pattern.pattern if pattern else _java_set(copied_hash_order(self._node.topics))
        return f"Source: {self._name} (topics: {topics})\n      --> {_names(self.successors())}"


class DescribedProcessor(DescribedNode):
    """A processor of a description; see ``TopologyDescription.Processor``."""

    def __init__(self, node: ProcessorNode) -> None:
        super().__init__(node.name)
        self._stores = copied_hash_order(hash_order(node.stores))

    def stores(self) -> set[str]:
        """Return the names of the connected stores."""
        return set(self._stores)

    def __str__(self) -> str:
        return (
            f"Processor: {self._name} (stores: {_java_set(self._stores)})\n"
            f"      --> {_names(self.successors())}\n      <-- {_names(self.predecessors())}"
        )


class DescribedSink(DescribedNode):
    """A sink of a description; see ``TopologyDescription.Sink``."""

    def __init__(self, node: SinkNode) -> None:
        super().__init__(node.name)
        self._node = node

    def topic(self) -> str | None:
        """Return the topic; None where an extractor decides."""
        return self._node.topic

    def topicNameExtractor(self) -> Any:
        """Return the extractor; None for a fixed topic."""
        return self._node.extractor

    def __str__(self) -> str:
        node = self._node
        target = f"extractor class: {node.extractor}" if node.extractor else f"topic: {node.topic}"
        return f"Sink: {self._name} ({target})\n      <-- {_names(self.predecessors())}"


class DescribedSubtopology:
    """Nodes that share tasks; see ``TopologyDescription.Subtopology``."""

    def __init__(self, number: int, nodes: list[DescribedNode]) -> None:
        self._number = number
        self._nodes: TreeSet[DescribedNode] = TreeSet(_compare)
        for node in nodes:
            self._nodes.add(node)

    def id(self) -> int:
        """Return the sub-topology's number."""
        return self._number

    def nodes(self) -> list[DescribedNode]:
        """Return the nodes in Kafka's order: larger sub-trees first, then by name."""
        return self._nodes.items()

    def __str__(self) -> str:
        nodes = "".join(f"    {node}\n" for node in self.nodes())
        return f"Sub-topology: {self._number}\n{nodes}\n"


class DescribedGlobalStore:
    """A global store; see ``TopologyDescription.GlobalStore``."""

    def __init__(self, store: GlobalStore) -> None:
        self._number = store.subtopology
        self._source = DescribedSource(store.source)
        self._processor = DescribedProcessor(store.processor)
        self._source._successors.add(self._processor)
        self._processor._predecessors.add(self._source)

    def id(self) -> int:
        """Return the number it takes among the sub-topologies."""
        return self._number

    def source(self) -> DescribedSource:
        """Return its source."""
        return self._source

    def processor(self) -> DescribedProcessor:
        """Return the processor that fills it."""
        return self._processor

    def __str__(self) -> str:
        return (
            f"Sub-topology: {self._number} for global store (will not generate tasks)\n"
            f"    {self._source}\n    {self._processor}\n"
        )


class TopologyDescription:
    """What ``Topology.describe()`` returns; ``str()`` gives Kafka's text.

    Source: ``TopologyDescription``.
    """

    Node = DescribedNode
    Source = DescribedSource
    Processor = DescribedProcessor
    Sink = DescribedSink
    Subtopology = DescribedSubtopology
    GlobalStore = DescribedGlobalStore

    def __init__(self, plan: Plan, topologyName: str | None = None) -> None:
        self._name = topologyName
        self._subtopologies = [_describe(part) for part in plan.subtopologies]
        self._global_stores = [DescribedGlobalStore(store) for store in plan.globals]

    def subtopologies(self) -> list[DescribedSubtopology]:
        """Return the sub-topologies by number."""
        return list(self._subtopologies)

    def globalStores(self) -> list[DescribedGlobalStore]:
        """Return the global stores by number."""
        return list(self._global_stores)

    def __str__(self) -> str:
        title = "Topologies:" if self._name is None else f"Topology: {self._name}:"
        return title + self._parts()

    def _parts(self) -> str:
        parts: list[DescribedSubtopology | DescribedGlobalStore] = [
            *self._subtopologies,
            *self._global_stores,
        ]
        parts.sort(key=lambda part: part.id())
        return "\n " + "".join(f"  {part}" for part in parts)

    def _repr_svg_(self) -> str:
        """Return the drawing that a notebook shows."""
        # The drawing reads descriptions, and so stands above this module.
        from millstream.topology.drawing.svg import to_svg

        return to_svg(self)

    # In a prompt or a notebook the text is what the caller wants to see.
    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TopologyDescription) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())


def _describe(part: SubTopology) -> DescribedSubtopology:
    nodes: dict[str, DescribedNode] = {node.name: _described(node) for node in part.nodes}
    plan_nodes = {node.name: node for node in part.nodes}
    # Kafka fills one hash table from another, then links in its order; a node's place among its
    # siblings depends on how much of the tree had been linked by then.
    for name in hash_order(hash_order(nodes)):
        node = nodes[name]
        for parent in plan_nodes[name].parents:
            above = nodes[parent]
            node._predecessors.add(above)
            above._successors.add(node)
            above._grow(node._size)
    return DescribedSubtopology(part.id, [nodes[name] for name in hash_order(nodes)])


def _described(node: PlanNode) -> DescribedNode:
    if isinstance(node, SourceNode):
        return DescribedSource(node)
    return DescribedSink(node) if isinstance(node, SinkNode) else DescribedProcessor(node)


def _compare(one: DescribedNode, other: DescribedNode) -> int:
    if one is other:
        return 0
    if one._size != other._size:
        return other._size - one._size
    return (one._name > other._name) - (one._name < other._name)


def _upwards(lowest: DescribedNode) -> list[DescribedNode]:
    """Return a node and all above it, each before those above it."""
    found: list[DescribedNode] = []
    seen = {lowest}
    # A loop, as a chain may be longer than Python has room for calls.
    waiting = [(lowest, iter(lowest.predecessors()))]
    while waiting:
        _, above = waiting[-1]
        following = next((each for each in above if each not in seen), None)
        if following is None:
            found.append(waiting.pop()[0])
            continue
        seen.add(following)
        waiting.append((following, iter(following.predecessors())))
    return found[::-1]


def _names(nodes: Iterable[DescribedNode]) -> str:
    return ", ".join(node.name() for node in nodes) or "none"


def _java_set(names: list[str]) -> str:
    return f"[{', '.join(names)}]"
