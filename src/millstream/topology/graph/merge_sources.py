"""Pass: streams of the same topics share one source node."""

from __future__ import annotations

from dataclasses import replace

from millstream.core.errors import TopologyException
from millstream.topology.graph.endpoints import StreamSource
from millstream.topology.graph.graph import Build, Graph


def merge_sources(graph: Graph, build: Build) -> Graph:
    """Put everything below the first of several sources with equal topics, or an equal pattern.

    Raises:
        TopologyException: Two sources share some topics but not all, or differ in where a new
            consumer group starts to read.
    """
    first: dict[object, int] = {}
    merged = graph
    for number, node in sorted(graph.nodes.items()):
        if not isinstance(node, StreamSource):
            continue
        for claim in _claims(node):
            owner = first.setdefault(claim, number)
            if owner == number or number not in merged.nodes:
                continue
            _check_mergeable(graph.nodes[owner], node)
            merged = merged.without(number, instead=owner)
            merged = _renamed(merged, node.name, graph.nodes[owner].name)
    return merged


def _renamed(graph: Graph, name: str, instead: str) -> Graph:
    """Return the graph with one source in place of another where partitions have to agree."""
    groups = (
        frozenset(instead if source == name else source for source in group)
        for group in graph.copartitioned
    )
    return replace(graph, copartitioned=tuple(groups))


def _claims(node: StreamSource) -> list[object]:
    if node.pattern is not None:
        return [(node.pattern.pattern, node.pattern.flags)]
    return list(node.topics)


def _check_mergeable(first: object, second: StreamSource) -> None:
    assert isinstance(first, StreamSource)
    if set(first.topics) != set(second.topics):
        raise TopologyException(
            "Two source nodes are subscribed to overlapping but not equal input topics",
            detail=f"They read {_listed(first)} and {_listed(second)}.",
            hint="Read the common topics once, and merge() them with the others.",
        )
    if first.consumed.offset_reset != second.consumed.offset_reset:
        raise TopologyException(
            "Can't configure different offset reset policies on the same input topic(s)",
            detail=f"They read {_listed(first)}.",
            hint="Give every stream of the same topics the same policy.",
        )


def _listed(node: StreamSource) -> str:
    if node.pattern is not None:
        return f"/{node.pattern.pattern}/"
    return ", ".join(f'"{topic}"' for topic in node.topics)
