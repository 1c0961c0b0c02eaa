"""Place of a stream or table in the graph, with its serdes and sources."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from millstream.core.errors import TopologyException
from millstream.topology.graph.graph import GraphBuilder
from millstream.topology.graph.nodes import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """One end of the graph, to which the next operation is added.

    A serde of None stands for the application's default.
    """

    graph: GraphBuilder
    node: int
    name: str
    key_serde: Any = None
    value_serde: Any = None
    sources: frozenset[str]
    """Names of the source nodes above, within the same sub-topology."""
    repartition_required: bool = False
    """The key has changed, and equal keys may be in different tasks."""

    def add(self, node: Node) -> int:
        """Put a node below this one and return its id."""
        return self.graph.add(node, self.node)

    def meeting(self, other: Flow) -> Flow:
        """Return where another stream or table stands that this one is combined with.

        Raises:
            TopologyException: It is of another builder, whose graph has other nodes.
        """
        if other.graph is not self.graph:
            raise TopologyException(
                f'"{self.name}" cannot be combined with "{other.name}" of another StreamsBuilder',
                hint="Make all streams and tables of a topology with one StreamsBuilder.",
            )
        return other

    def then(self, node: Node, **changes: Any) -> Flow:
        """Put a node below this one and return the flow that ends there."""
        return replace(self, node=self.add(node), name=node.name, **changes)
