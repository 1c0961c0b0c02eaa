"""Check that no internal topic or store has a generated name, where that is forbidden."""

from __future__ import annotations

from typing import Any

from millstream.core.errors import TopologyException
from millstream.topology.graph.endpoints import GlobalStoreAddition
from millstream.topology.graph.graph import Graph
from millstream.topology.graph.internal_topics import TableRepartition
from millstream.topology.graph.joins import StreamJoin, StreamTableJoin
from millstream.topology.graph.nodes import Node, PluggedOperation, TableOperation
from millstream.topology.graph.suppressed import SuppressedTable


def check_explicit_names(graph: Graph, config: Any) -> None:
    """Refuse generated names if ``ensure.explicit.internal.resource.naming`` is set.

    They change when an operation is added before them, and then the state is lost.

    Raises:
        TopologyException: There are some; it lists them.
    """
    if config is None or not config.ensureExplicitInternalResourceNaming:
        return
    stores, changelogs, repartitions = [], [], []
    for _, node in sorted(graph.nodes.items()):
        if isinstance(node, TableRepartition) and not node.named:
            repartitions.append(node.topic)
        if isinstance(node, GlobalStoreAddition) and not node.named:
            stores.append(node.builder.name())
        if isinstance(node, SuppressedTable) and not node.named and node.buffer.loggingEnabled():
            changelogs.append(f"{node.buffer.name()}-changelog")
        for builder in _unnamed_stores(node):
            stores.append(builder.name())
            if builder.loggingEnabled():
                changelogs.append(f"{builder.name()}-changelog")
    if stores or changelogs or repartitions:
        found = {
            "changelog topic(s)": changelogs,
            "state store(s)": stores,
            "repartition topic(s)": repartitions,
        }
        raise TopologyException(
            "\n".join(
                f"Following {kind} has not been named: {', '.join(names)}"
                for kind, names in found.items()
                if names
            ),
            detail="Generated names are forbidden by ensure.explicit.internal.resource.naming.",
            hint="Name them with Materialized.as_, Grouped.as_ and Repartitioned.as_.",
        )


def _unnamed_stores(node: Node) -> tuple[Any, ...]:
    """Return the builders of a node's stores whose names were generated.

    A table counts with or without a store. A buffer of ``suppress`` is told by its changelog alone,
    and the topics of foreign-key joins never are.
    """
    if isinstance(node, PluggedOperation):
        return node.unnamed_stores()
    if isinstance(node, TableOperation) and node.store is not None:
        return () if node.store.resolved.queryable else (node.store,)
    if isinstance(node, StreamJoin) and not node.names_given:
        return node.stores
    if isinstance(node, StreamTableJoin) and not node.named:
        return node.stores
    return ()
