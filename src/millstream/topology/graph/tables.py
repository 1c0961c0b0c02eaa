"""Pass: which tables are kept in a store, and which tell what a value was before."""

from __future__ import annotations

from millstream.topology.graph.graph import Graph
from millstream.topology.graph.nodes import Node, OldValues, Operation, TableOperation, TableRole
from millstream.topology.operators.table_settings import TableSettings


def table_settings(graph: Graph) -> dict[int, TableSettings]:
    """Return the settings of every node's processor.

    Demands are taken in order of creation, as Kafka Streams does: a filter that was made before
    a join forced its source into a store does not learn of that store.
    """
    needs = _Needs(graph)
    for number in sorted(graph.nodes):
        wanted = _old_values(graph.nodes[number])
        for parent in graph.parents[number]:
            if wanted is not OldValues.UNUSED and needs.send_old(
                parent, force=wanted is OldValues.NEEDED
            ):
                needs.sends_old.add(number)
    return {number: needs.settings(number) for number in graph.nodes}


class _Needs:
    """What the demands so far have switched on."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.sends_old: set[int] = set()
        self.kept = {
            number
            for number, node in graph.nodes.items()
            if isinstance(node, TableOperation)
            and (node.queryable or node.role is TableRole.AGGREGATE)
        }

    def send_old(self, number: int, *, force: bool) -> bool:
        """Make a table tell old values; False if it would need a store that is not forced."""
        node = self.graph.nodes[number]
        if number in self.sends_old:
            return True
        if not isinstance(node, TableOperation):
            return False
        if number not in self.kept:
            if node.role is TableRole.TOPIC:
                if not force:
                    return False
                self.kept.add(number)
            else:
                told = [self.send_old(parent, force=force) for parent in self.graph.parents[number]]
                if not all(told):
                    return False
        self.sends_old.add(number)
        return True

    def settings(self, number: int) -> TableSettings:
        node = self.graph.nodes[number]
        kept = isinstance(node, TableOperation) and number in self.kept
        return TableSettings(
            sends_old=number in self.sends_old,
            store=node.store.name() if kept else None,  # type: ignore[attr-defined]
            versioned_input=any(
                outputs_versioned(self.graph, parent) for parent in self.graph.parents[number]
            ),
        )


def outputs_versioned(graph: Graph, number: int) -> bool:
    """Tell whether a table's updates carry the history of a versioned store above it."""
    node = graph.nodes[number]
    own = node.outputs_versioned if isinstance(node, TableOperation) else None
    if own is not None:
        return own
    parents = graph.parents[number]
    return bool(parents) and all(outputs_versioned(graph, parent) for parent in parents)


def _old_values(node: Node) -> OldValues:
    return node.old_values if isinstance(node, Operation | TableOperation) else OldValues.UNUSED
