"""Check: no internal topic or store has a generated name, where the configuration forbids it."""

from __future__ import annotations

from typing import Any

from millstream.core.errors import TopologyException
from millstream.topology.graph.endpoints import Repartition
from millstream.topology.graph.graph import Graph
from millstream.topology.graph.nodes import TableOperation
from millstream.topology.operators.table_settings import TableSettings


def check_explicit_names(graph: Graph, settings: dict[int, TableSettings], config: Any) -> None:
    """Refuse generated names if ``ensure.explicit.internal.resource.naming`` is set.

    They change when an operation is added before them, and then the state is lost.

    Raises:
        TopologyException: There are some; it lists them.
    """
    if config is None or not config.ensureExplicitInternalResourceNaming:
        return
    stores, changelogs, repartitions = [], [], []
    for number, node in sorted(graph.nodes.items()):
        if isinstance(node, Repartition) and not node.named:
            repartitions.append(node.topic)
        if isinstance(node, TableOperation) and not node.queryable:
            store = settings[number].store
            if store is not None:
                stores.append(store)
                if node.store.loggingEnabled():
                    changelogs.append(f"{store}-changelog")
    if stores or changelogs or repartitions:
        found = {"changelog topics": changelogs, "stores": stores, "topics": repartitions}
        raise TopologyException(
            "generated names are forbidden by ensure.explicit.internal.resource.naming",
            detail="; ".join(
                f"{kind}: {', '.join(names)}" for kind, names in found.items() if names
            )
            + ".",
            hint="Name them with Materialized.as_, Grouped.as_ and Repartitioned.as_.",
        )
