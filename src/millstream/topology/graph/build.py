"""Build of a topology from the logical graph: the passes, then each node writes itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.errors import ClassCastException, TopologyException
from millstream.core.wording import a_kind
from millstream.topology.builder import TopologyBuilder
from millstream.topology.graph.explicit_names import check_explicit_names
from millstream.topology.graph.graph import Build, Graph, GraphBuilder
from millstream.topology.graph.joins import join_with_itself, relax_null_keys
from millstream.topology.graph.merge_repartitions import merge_repartitions
from millstream.topology.graph.merge_sources import merge_sources
from millstream.topology.graph.nodes import Node, NodeInputs
from millstream.topology.graph.reuse_topics import reuse_source_topics
from millstream.topology.graph.tables import table_settings
from millstream.topology.operators.table_settings import TableSettings
from millstream.topology.topology import Topology

PASSES: tuple[Callable[[Graph, Build], Graph], ...] = (
    merge_sources,
    reuse_source_topics,
    merge_repartitions,
    join_with_itself,
    relax_null_keys,
)
"""Rewrites of the graph, in order; each returns a changed copy."""


Written = tuple[Node, tuple[str, ...], TableSettings]
"""A node as it was written: itself, the names of its parents, what the graph demanded of it."""


class TopologyWriter:
    """Writes a graph that may grow to one topology, again at each ``build``."""

    def __init__(self, builder: GraphBuilder) -> None:
        settings = builder.settings
        self.topology = Topology() if settings is None else Topology(settings)
        self._graph = builder
        self._written: dict[int, Written] = {}
        self._left = self.topology.builder
        self.topology.frames = builder.frames
        builder.frames.build = self.write

    def write(self, props: Any) -> Topology:
        """Return the topology with everything that has been added to the graph.

        What was written before stays as it is, also what the user has added to the topology. If
        later additions change how an earlier node has to be written, all is written anew.

        Raises:
            TopologyException: Names clash, sources overlap, a generated name is forbidden, joined
                topics are to have different numbers of partitions, or a node would have to change
                below nodes that the user has added to the topology.
            ConfigException: ``topology.optimization`` names something unknown.
        """
        rewritten = self._rewritten(props)
        settings = table_settings(rewritten)
        check_explicit_names(rewritten, self._graph.settings)
        nodes = {
            number: (rewritten.nodes[number], _names_above(rewritten, number), settings[number])
            for number in rewritten.in_order()
        }
        written = self._written.items()
        unchanged = {number: node for number, node in written if nodes.get(number) == node}
        builder = self.topology.builder.copy()
        if len(unchanged) < len(self._written):
            self._check_untouched()
            unchanged, builder = {}, TopologyBuilder(wrap=builder.wrap)
        for number, (node, parents, needed) in nodes.items():
            if number not in unchanged:
                node.write(NodeInputs(topology=builder, parents=parents, settings=needed))
        builder.copartition(sorted(sources) for sources in rewritten.copartitioned)
        builder.check_copartitioned()
        self.topology.builder, self._left, self._written = builder, builder.copy(), nodes
        return self.topology

    def _rewritten(self, props: Any) -> Graph:
        graph = self._graph.freeze()
        self.topology.optimizations = _optimizations(props)
        build = Build(
            names=self._graph.names,
            merged=self._graph.merged,
            optimizations=self.topology.optimizations,
        )
        for rewrite in PASSES:
            graph = rewrite(graph, build)
        return graph

    def _check_untouched(self) -> None:
        if not self.topology.builder.has_same_nodes(self._left):
            raise TopologyException(
                "what was added since the last build() changes nodes that are in the topology",
                detail="The topology has been changed by addProcessor() or its like, too, so it "
                "cannot be written anew.",
                hint="Call build() once, after everything has been added to the StreamsBuilder.",
            )


def _names_above(graph: Graph, number: int) -> tuple[str, ...]:
    return tuple(graph.nodes[parent].name for parent in dict.fromkeys(graph.parents[number]))


def _entries(props: Any) -> Mapping[str, Any]:
    if isinstance(props, Mapping | None):
        return props or {}
    raise ClassCastException(
        f"props cannot be {a_kind(props)}",
        hint="Give the application's configuration, a mapping or a StreamsConfig; or nothing.",
    )


def _optimizations(props: Any) -> frozenset[str]:
    given = props.originals() if isinstance(props, StreamsConfig) else _entries(props)
    setting = given.get(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG)
    if setting is None:
        return frozenset()
    return frozenset(StreamsConfig.verifyTopologyOptimizationConfigs(setting))
