"""Logical graph of the operations that the DSL's calls asked for."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from millstream.topology.graph.frames import Frames
from millstream.topology.graph.names import Names
from millstream.topology.graph.nodes import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Nodes by id and the ids of each node's parents; ids grow with creation.

    Inert: passes return changed copies.
    """

    nodes: Mapping[int, Node]
    parents: Mapping[int, tuple[int, ...]]
    ranks: Mapping[int, int]
    """Decides which of several nodes, whose parents are written, is written first."""
    copartitioned: tuple[frozenset[str], ...] = ()
    """Groups of source nodes whose topics must have equally many partitions."""

    def children(self) -> dict[int, list[int]]:
        """Return the children of each node, in order of creation."""
        below: dict[int, list[int]] = {number: [] for number in self.nodes}
        for number in sorted(self.nodes):
            for parent in dict.fromkeys(self.parents[number]):
                below[parent].append(number)
        return below

    def in_order(self) -> Iterator[int]:
        """Yield every id in the order in which Kafka Streams writes its nodes.

        A queue by rank, filled from the roots down; a node that comes up before its last parent
        waits until that parent offers it again.
        """
        below, written = self.children(), set[int]()
        queue = [(self.ranks[number], number) for number in self.nodes if not self.parents[number]]
        heapq.heapify(queue)
        while queue:
            _, number = heapq.heappop(queue)
            if number in written or not written.issuperset(self.parents[number]):
                continue
            written.add(number)
            yield number
            for child in below[number]:
                heapq.heappush(queue, (self.ranks[child], child))

    def without(self, removed: int, *, instead: int) -> Graph:
        """Return the graph with the children of ``removed`` below ``instead``.

        It is the last of their parents, as in Kafka: the order shows in ``describe()``.
        """
        parents = {number: above for number, above in self.parents.items() if number != removed}
        for number, above in parents.items():
            if removed in above:
                kept = tuple(parent for parent in above if parent != removed)
                parents[number] = kept if instead in kept else (*kept, instead)
        return replace(
            self,
            nodes={number: node for number, node in self.nodes.items() if number != removed},
            parents=parents,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What passes may need besides the graph."""

    names: Names
    merged: set[int]
    """Operations whose repartition nodes an earlier build has merged and numbered."""
    optimizations: frozenset[str] = frozenset()
    """What ``topology.optimization`` switches on, by Kafka's names."""


@dataclass(slots=True)
class GraphBuilder:
    """Grows the graph call by call, and hands out names."""

    settings: Any = None
    """The ``TopologyConfig`` given to the ``StreamsBuilder``, if any."""
    names: Names = field(default_factory=Names)
    copartitioned: list[frozenset[str]] = field(default_factory=list)
    """Groups of source nodes whose topics must have equally many partitions."""
    merged: set[int] = field(default_factory=set)
    """``Build.merged`` of the builds so far."""
    frames: Frames = field(default_factory=Frames)
    """DataFrames that stand for topics."""
    _nodes: dict[int, Node] = field(default_factory=dict)
    _parents: dict[int, tuple[int, ...]] = field(default_factory=dict)
    _ranks: dict[int, int] = field(default_factory=dict)
    _next_rank: int = 0

    def add(self, node: Node, *parents: int) -> int:
        """Put a node below its parents (none: a root) and return its id."""
        number = len(self._nodes)
        self._nodes[number] = node
        self._parents[number] = parents
        self.use_again(number)
        return number

    def node(self, number: int) -> Node:
        """Return a node by its id."""
        return self._nodes[number]

    def size(self) -> int:
        """Return the number of nodes."""
        return len(self._nodes)

    def use_again(self, number: int) -> None:
        """Rank a node as if it had been added now: a second aggregation shares it."""
        self._ranks[number] = self._next_rank
        self._next_rank += 1

    def freeze(self) -> Graph:
        """Return the graph as it is now."""
        return Graph(
            nodes=dict(self._nodes),
            parents=dict(self._parents),
            ranks=dict(self._ranks),
            copartitioned=tuple(self.copartitioned),
        )
