"""From the logical graph to the topology: passes, then every node writes itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.topology.graph.explicit_names import check_explicit_names
from millstream.topology.graph.graph import Build, Graph, GraphBuilder
from millstream.topology.graph.joins import join_with_itself, relax_null_keys
from millstream.topology.graph.merge_repartitions import merge_repartitions
from millstream.topology.graph.merge_sources import merge_sources
from millstream.topology.graph.reuse_topics import reuse_source_topics
from millstream.topology.graph.tables import table_settings
from millstream.topology.topology import Topology

PASSES: tuple[Callable[[Graph, Build], Graph], ...] = (
    merge_sources,
    reuse_source_topics,
    merge_repartitions,
    join_with_itself,
    relax_null_keys,
)
"""Rewrites of the graph, in order; each returns a changed copy."""


def build_topology(builder: GraphBuilder, props: Any) -> Topology:
    """Return the topology of everything that has been added to the graph.

    Raises:
        TopologyException: Names clash, sources overlap, or a generated name is forbidden.
        ConfigException: ``topology.optimization`` names something unknown.
    """
    graph = builder.freeze()
    build = Build(names=builder.names, optimizations=_optimizations(props))
    for rewrite in PASSES:
        graph = rewrite(graph, build)
    settings = table_settings(graph)
    check_explicit_names(graph, builder.settings)
    topology = Topology(builder.settings)
    for number in graph.in_order():
        parents = [graph.nodes[parent].name for parent in dict.fromkeys(graph.parents[number])]
        graph.nodes[number].write(topology.builder, parents, settings[number])
    for sources in graph.copartitioned:
        topology.builder.copartition(sorted(sources))
    return topology


def _optimizations(props: Any) -> frozenset[str]:
    given = props.originals() if isinstance(props, StreamsConfig) else dict(props or {})
    setting = given.get(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG)
    if setting is None:
        return frozenset()
    return frozenset(StreamsConfig.verifyTopologyOptimizationConfigs(setting))
