"""Where a stream or a table stands in the graph, and what is known of its data."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from millstream.topology.graph.endpoints import Repartition
from millstream.topology.graph.graph import GraphBuilder
from millstream.topology.graph.nodes import Node

SUFFIX = "-repartition"
_GENERATED = re.compile(r"KSTREAM.*-[0-9]{10}")


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

    def then(self, node: Node, **changes: Any) -> Flow:
        """Put a node below this one and return where it stands."""
        return replace(self, node=self.add(node), name=node.name, **changes)


def repartition_node(
    graph: GraphBuilder, prefix: str, *, key_serde: Any, value_serde: Any, **options: Any
) -> Repartition:
    """Return a node for a repartition topic whose name begins with ``prefix``.

    Takes the numbers of its three nodes whether it uses them or not: only a generated prefix gets
    generated names.
    """
    topic = prefix if prefix.endswith(SUFFIX) else prefix + SUFFIX
    sink, null_filter, source = (
        graph.names.operator(kind)
        for kind in ("KSTREAM-SINK-", "KSTREAM-FILTER-", "KSTREAM-SOURCE-")
    )
    if not _GENERATED.fullmatch(prefix):
        sink, null_filter, source = f"{topic}-sink", f"{topic}-filter", f"{topic}-source"
    return Repartition(
        name=source,
        topic=topic,
        sink_name=sink,
        filter_name=null_filter,
        key_serde=key_serde,
        value_serde=value_serde,
        **options,
    )
