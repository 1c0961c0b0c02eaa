"""Pass: which tables have a store, forward old values, and are read by others."""

from __future__ import annotations

from millstream.topology.graph.graph import Graph
from millstream.topology.graph.nodes import (
    OldValues,
    Operation,
    TableOperation,
    TableRole,
)
from millstream.topology.operators.getters import StoreView, View
from millstream.topology.operators.table_settings import TableSettings


def table_settings(graph: Graph) -> dict[int, TableSettings]:
    """Return the settings of every node's processor.

    Demands are taken in order of creation, as Kafka Streams does: a filter that was made before
    a join forced its source into a store does not learn of that store.
    """
    needs = _Needs(graph)
    for number in sorted(graph.nodes):
        for parent, wanted in zip(graph.parents[number], _old_values(graph, number), strict=True):
            if wanted is OldValues.NEEDED:
                needs.send_old(parent, force=True)
            elif wanted is OldValues.IF_STORED and needs.send_old(parent, force=False):
                needs.sends_old.add(number)
        for table in graph.nodes[number].reads:
            needs.make_readable(table)
    return {number: needs.settings(number) for number in graph.nodes}


class _Needs:
    """Demands on the tables so far."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.sends_old: set[int] = set()
        self.stored = {
            number
            for number, node in graph.nodes.items()
            if isinstance(node, TableOperation)
            and (node.queryable or node.role is TableRole.AGGREGATE)
        }

    def send_old(self, number: int, *, force: bool) -> bool:
        """Make a table forward old values; False if it would need a store that is not forced."""
        node = self.graph.nodes[number]
        if number in self.sends_old:
            return True
        if not isinstance(node, TableOperation):
            return False
        parents = self.graph.parents[number]
        if node.role is TableRole.JOINED:
            # Its own store is not asked for the old result: that is joined of old values.
            for parent in parents:
                self.send_old(parent, force=True)
        elif number not in self.stored:
            if node.role is TableRole.TOPIC:
                if not force:
                    return False
                self.stored.add(number)
            elif not all(self.send_old(parent, force=force) for parent in parents):
                return False
        self.sends_old.add(number)
        return True

    def make_readable(self, number: int) -> None:
        """Make sure that a table's values can be read: from its store, or computed from others."""
        node = self.graph.nodes[number]
        if not isinstance(node, TableOperation) or number in self.stored:
            return
        if node.role is TableRole.TOPIC:
            self.stored.add(number)
        else:
            for parent in self.graph.parents[number]:
                self.make_readable(parent)

    def view(self, number: int) -> View:
        """Return the view of a table that has been made readable."""
        node = self.graph.nodes[number]
        assert isinstance(node, TableOperation)
        if number in self.stored:
            return StoreView(node.store.name())
        assert node.view is not None
        return node.view(*map(self.view, self.graph.parents[number]))

    def settings(self, number: int) -> TableSettings:
        """Return the settings that the whole graph demands of one node."""
        node = self.graph.nodes[number]
        stored = isinstance(node, TableOperation) and number in self.stored
        versioned = tuple(
            outputs_versioned(self.graph, parent) for parent in self.graph.parents[number]
        )
        return TableSettings(
            sends_old=number in self.sends_old,
            store=node.store.name() if stored else None,  # type: ignore[attr-defined]
            versioned_input=any(versioned),
            versioned_inputs=versioned,
            reads=tuple(map(self.view, node.reads)),
        )


def outputs_versioned(graph: Graph, number: int) -> bool:
    """Return whether a table's updates carry the history of a versioned store above it."""
    node = graph.nodes[number]
    own = node.outputs_versioned if isinstance(node, TableOperation) else None
    if own is not None:
        return own
    parents = graph.parents[number]
    return bool(parents) and all(outputs_versioned(graph, parent) for parent in parents)


def _old_values(graph: Graph, number: int) -> tuple[OldValues, ...]:
    """Return the use that a node makes of the old values of each of its parents."""
    node, parents = graph.nodes[number], graph.parents[number]
    wanted = OldValues.UNUSED
    if isinstance(node, Operation | TableOperation):
        if isinstance(node.old_values, tuple):
            return node.old_values
        wanted = node.old_values
    return (wanted,) * len(parents)
