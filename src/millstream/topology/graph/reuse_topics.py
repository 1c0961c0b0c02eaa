"""Pass: a table's topic serves as its store's changelog, if the optimiser is on."""

from __future__ import annotations

from dataclasses import replace

from millstream.core.config import StreamsConfig
from millstream.topology.graph.endpoints import TopicTable
from millstream.topology.graph.graph import Build, Graph


def reuse_source_topics(graph: Graph, build: Build) -> Graph:
    """Save every table of a topic a changelog that would repeat the topic."""
    if StreamsConfig.REUSE_KTABLE_SOURCE_TOPICS not in build.optimizations:
        return graph
    nodes = {
        number: replace(node, reuses_topic=True) if isinstance(node, TopicTable) else node
        for number, node in graph.nodes.items()
    }
    return replace(graph, nodes=nodes)
