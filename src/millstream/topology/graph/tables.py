"""Pass: which tables have a store, forward old values, and are read by others."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

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
        self.versioned = outputs_versioned(graph)
        self.sends_old: set[int] = set()
        self.stored = {
            number
            for number, node in graph.nodes.items()
            if isinstance(node, TableOperation)
            and (node.queryable or node.role is TableRole.AGGREGATE)
        }

    def send_old(self, number: int, *, force: bool) -> bool:
        """Make a table forward old values; False if it would need a store that is not forced."""
        # A loop, as a program may have more operators in a row than Python has room for calls.
        asked, answer = [self._sends_old(number, force)], None
        while asked:
            try:
                asked.append(self._sends_old(*asked[-1].send(answer)))
                answer = None
            except StopIteration as done:
                asked.pop()
                answer = done.value
        return bool(answer)

    def _sends_old(self, number: int, force: bool) -> Generator[tuple[int, bool], Any, bool]:
        """Yield what is asked about parents, and be sent each answer; return the own one."""
        node = self.graph.nodes[number]
        if number in self.sends_old:
            return True
        if not isinstance(node, TableOperation):
            return False
        parents = self.graph.parents[number]
        if node.role is TableRole.JOINED:
            # Its own store is not asked for the old result: that is joined of old values.
            for parent in parents:
                yield parent, True
        elif number not in self.stored:
            if node.role is TableRole.TOPIC:
                if not force:
                    return False
                self.stored.add(number)
            else:
                for parent in parents:
                    if not (yield parent, force):
                        return False
        self.sends_old.add(number)
        return True

    def make_readable(self, number: int) -> None:
        """Make sure that a table's values can be read: from its store, or computed from others."""
        waiting = [number]
        while waiting:
            at = waiting.pop()
            node = self.graph.nodes[at]
            if not isinstance(node, TableOperation) or at in self.stored:
                continue
            if node.role is TableRole.TOPIC:
                self.stored.add(at)
            else:
                waiting.extend(self.graph.parents[at])

    def view(self, number: int) -> View:
        """Return the view of a table that has been made readable."""
        found: dict[int, View] = {}
        path = [number]
        while path:
            node = self.graph.nodes[path[-1]]
            assert isinstance(node, TableOperation)
            if path[-1] in self.stored:
                found[path.pop()] = StoreView(node.store.name())
                continue
            parents = self.graph.parents[path[-1]]
            if waiting := [each for each in parents if each not in found]:
                path.extend(waiting)
                continue
            assert node.view is not None
            found[path.pop()] = node.view(*(found[each] for each in parents))
        return found[number]

    def settings(self, number: int) -> TableSettings:
        """Return the settings that the whole graph demands of one node."""
        node = self.graph.nodes[number]
        stored = isinstance(node, TableOperation) and number in self.stored
        versioned = tuple(self.versioned[parent] for parent in self.graph.parents[number])
        return TableSettings(
            sends_old=number in self.sends_old,
            store=node.store.name() if stored else None,  # type: ignore[attr-defined]
            versioned_input=any(versioned),
            versioned_inputs=versioned,
            reads=tuple(map(self.view, node.reads)),
        )


def outputs_versioned(graph: Graph) -> dict[int, bool]:
    """Return for each node whether its updates carry the history of a versioned store above it."""
    found: dict[int, bool] = {}
    for number in graph.nodes:
        path = [number]
        while path:
            parents = graph.parents[path[-1]]
            node = graph.nodes[path[-1]]
            own = node.outputs_versioned if isinstance(node, TableOperation) else None
            waiting = [each for each in parents if each not in found] if own is None else []
            if waiting:
                path.extend(waiting)
                continue
            above = bool(parents) and all(found[each] for each in parents if own is None)
            found[path.pop()] = above if own is None else own
    return found


def _old_values(graph: Graph, number: int) -> tuple[OldValues, ...]:
    """Return the use that a node makes of the old values of each of its parents."""
    node, parents = graph.nodes[number], graph.parents[number]
    wanted = OldValues.UNUSED
    if isinstance(node, Operation | TableOperation):
        if isinstance(node.old_values, tuple):
            return node.old_values
        wanted = node.old_values
    return (wanted,) * len(parents)
