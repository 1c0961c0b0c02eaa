"""Addition of tables that have a store to the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.materialize import (
    KeyValueTableBuilder,
    ResolvedMaterialized,
    TableStoreBuilder,
)
from millstream.topology.graph.nodes import TableOperation, TableRole

if TYPE_CHECKING:
    from millstream.topology.dsl.ktable import KTable


def stored_operation(
    kept: ResolvedMaterialized,
    name: str,
    processor: Callable[..., Any],
    role: TableRole,
    store: TableStoreBuilder | None = None,
) -> TableOperation:
    """Return the node of a processor whose output is a table.

    Args:
        kept: The table's ``Materialized``.
        name: Of the node.
        processor: Given the table's settings, makes the processor.
        role: Where the table's values come from.
        store: The builder of the store; that of a key-value store if left out.
    """
    return TableOperation(
        name=name,
        processor=processor,
        role=role,
        store=KeyValueTableBuilder(kept) if store is None else store,
        queryable=kept.queryable,
        outputs_versioned=kept.versioned,
    )


def serdes_of(kept: ResolvedMaterialized) -> dict[str, Any]:
    """Return the serdes of a table's store, as changes of a flow."""
    chosen = kept.materialized
    return {"key_serde": chosen.key_serde, "value_serde": chosen.value_serde}


def table_at(flow: Flow, kept: ResolvedMaterialized) -> KTable[Any, Any]:
    """Return the table whose node is the end of ``flow``, with the serdes of its store."""
    from millstream.topology.dsl.ktable import KTable

    return KTable(flow, kept.name if kept.queryable else None)


def add_table(
    flow: Flow,
    kept: ResolvedMaterialized,
    name: str,
    processor: Callable[..., Any],
    role: TableRole,
    store: TableStoreBuilder | None = None,
    **changes: Any,
) -> KTable[Any, Any]:
    """Add a processor below ``flow`` and return its table; see ``stored_operation``.

    ``changes`` are those of the flow; the serdes are those of the store unless they say otherwise.
    """
    node = stored_operation(kept, name, processor, role, store)
    return table_at(flow.then(node, **serdes_of(kept) | changes), kept)
