"""Pass: one repartition topic below a changed key, instead of one before each use of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from millstream.core.config import StreamsConfig
from millstream.core.errors import StreamsException
from millstream.topology.graph.graph import Build, Graph
from millstream.topology.graph.internal_topics import Repartition
from millstream.topology.graph.names import Names
from millstream.topology.graph.nodes import Node, Operation
from millstream.topology.graph.repartition import repartition_node


def merge_repartitions(graph: Graph, build: Build) -> Graph:
    """Move repartition topics up to the operation that changed the key, and merge them there.

    The merged topic has the name of the first. Values are written as they are right below that
    operation, so a topic stays where it is if an operation in between changes values.

    Raises:
        StreamsException: The graph has a shape that Kafka Streams cannot merge either.
    """
    if StreamsConfig.MERGE_REPARTITION_TOPICS not in build.optimizations:
        return graph
    work = _MergeWork(graph, build)
    for changer, repartitions in work.by_key_change().items():
        if repartitions:
            work.merge(changer, repartitions)
    return work.graph()


class _MergeWork:
    """The graph while its edges move."""

    def __init__(self, graph: Graph, build: Build) -> None:
        self._graph = graph
        self._build = build
        self._nodes = dict(graph.nodes)
        self._ranks = dict(graph.ranks)
        self._parents = {number: list(above) for number, above in graph.parents.items()}
        self._copartitioned = list(graph.copartitioned)

    def graph(self) -> Graph:
        return replace(
            self._graph,
            nodes=self._nodes,
            parents={number: tuple(above) for number, above in self._parents.items()},
            ranks=self._ranks,
            copartitioned=tuple(self._copartitioned),
        )

    def by_key_change(self) -> dict[int, list[int]]:
        """Return the repartition nodes that depend on each operation that changes keys.

        If they depend on several through a merge of streams, they belong to the merge.
        """
        found: dict[int, list[int]] = {}
        for number in sorted(self._nodes):
            node = self._nodes[number]
            if _changes_key(node):
                found[number] = []
            elif isinstance(node, Repartition) and node.movable:
                changer = self._upward(number, lambda above: _changes_key(self._nodes[above]))
                nearest = self._upward(number, lambda above: _changes_data(self._nodes[above]))
                if changer is not None and changer == nearest:
                    found[changer].append(number)
        self._group_by_merges(found)
        return found

    def _group_by_merges(self, found: dict[int, list[int]]) -> None:
        groups: dict[int, list[int]] = {}
        for merge, node in self._nodes.items():
            if not (isinstance(node, Operation) and node.merges):
                continue
            groups[merge] = [
                changer
                for changer, repartitions in found.items()
                if all(self._below(merge, number) is not None for number in repartitions)
                and self._below(changer, merge) is not None
            ]
        for merge, changers in groups.items():
            merged = (number for changer in changers for number in found[changer])
            found[merge] = list(dict.fromkeys(merged))
        for changers in groups.values():
            for changer in changers:
                found.pop(changer, None)

    def merge(self, changer: int, repartitions: list[int]) -> None:
        """Put one repartition node below ``changer`` in place of several further down."""
        replaced = [self._repartition(number) for number in repartitions]
        # A second build() must not take numbers again.
        names = Names() if changer in self._build.merged else self._build.names
        self._build.merged.add(changer)
        merged = repartition_node(
            names,
            replaced[0].topic,
            key_serde=_first(node.key_serde for node in replaced),
            value_serde=_first(node.value_serde for node in replaced),
            drops_null_keys=all(node.drops_null_keys for node in replaced),
            named=replaced[0].named,
        )
        new = max(self._nodes) + 1
        self._nodes[new], self._ranks[new], self._parents[new] = merged, self._ranks[changer], []
        for number, node in zip(repartitions, replaced, strict=True):
            child = self._below(changer, number)
            if child is None:
                raise _no_way(node, merged.topic)
            # A stream merged with itself is below the operation twice.
            kept = (parent for parent in self._parents[child] if parent not in (changer, new))
            self._parents[child] = [*kept, new]
            self._take_out(number)
            self._copartitioned = [
                frozenset(merged.name if name == node.name else name for name in group)
                for group in self._copartitioned
            ]
        self._parents[new].append(changer)

    def _take_out(self, number: int) -> None:
        """Remove a node and let its parents take over its children."""
        above = self._parents.pop(number)
        del self._nodes[number], self._ranks[number]
        for parents in self._parents.values():
            if number in parents:
                # A stream joined with itself is above the join twice.
                parents[:] = [parent for parent in parents if parent != number]
                parents.extend(parent for parent in above if parent not in parents)

    def _repartition(self, number: int) -> Repartition:
        node = self._graph.nodes[number]
        assert isinstance(node, Repartition)
        if number not in self._nodes:  # two merges are above it, and it is merged below the other
            raise _no_way(node, node.topic)
        return node

    def _below(self, top: int, number: int) -> int | None:
        """Return ``number``, or the first node above it, whose parent is ``top``."""
        return self._upward(number, lambda above: top in self._parents[above])

    def _upward(self, number: int, matches: Callable[[int], bool]) -> int | None:
        """Search a node and those above it as Kafka Streams does, one branch after the other."""
        if matches(number):
            return number
        for parent in self._parents[number]:
            found = self._upward(parent, matches)
            if found is not None:
                return found
        return None


def _no_way(node: Repartition, topic: str) -> StreamsException:
    return StreamsException(
        f'cannot merge repartition topic "{node.topic}" with "{topic}"',
        hint="Switch merge.repartition.topics off in topology.optimization.",
    )


def _changes_key(node: Node) -> bool:
    return isinstance(node, Operation) and node.changes_key


def _changes_data(node: Node) -> bool:
    return isinstance(node, Operation) and (node.changes_key or node.changes_value)


def _first(values: Iterable[object]) -> object:
    return next((value for value in values if value is not None), None)
