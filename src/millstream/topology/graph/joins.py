"""Graph nodes of joins that have a stream on their left, and the passes over them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.errors import IllegalArgumentException
from millstream.core.windows import JoinWindows
from millstream.topology.builder import TopologyBuilder
from millstream.topology.graph.graph import Build, Graph
from millstream.topology.graph.internal_topics import Repartition
from millstream.topology.graph.nodes import Node, NodeInputs, Operation, TableReader
from millstream.topology.operators.joiners import Joiner
from millstream.topology.operators.stateless import PassThrough
from millstream.topology.operators.stream_join import JoinStreams, JoinWithItself, StoreForJoin
from millstream.topology.supplied import Supplied


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSide(Node):
    """A processor below one stream of a join that stores its records."""

    store: Any
    """The builder of the store."""

    def write(self, given: NodeInputs) -> None:
        supplier = Supplied(partial(StoreForJoin, self.store.name()))
        given.topology.add_processor(self.name, supplier, given.parents, stores=[self.store])


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamJoin(Node):
    """A join of two streams; it stands below both, and its processors below the stored sides."""

    left: StoredSide
    right: StoredSide
    left_name: str
    right_name: str
    """Names of the processors that find partners; ``name`` is that of their common result."""
    windows: JoinWindows
    joiner: Joiner
    left_unmatched: bool
    """Left records without partner are results."""
    right_unmatched: bool
    unmatched: Any = None
    """The builder of the store of unmatched records, of left and outer joins."""
    names_given: bool = False
    """The user named the stores."""
    with_itself: bool = False
    """The optimiser found left and right to be the same."""

    @property
    def relaxes_null_keys(self) -> bool:
        """A record without key is a result of its own, so it must get here."""
        return self.left_unmatched or self.right_unmatched

    @property
    def stores(self) -> tuple[Any, ...]:
        """The builders of all the stores."""
        both = (self.left.store, self.right.store)
        return both if self.unmatched is None else (*both, self.unmatched)

    def write(self, given: NodeInputs) -> None:
        if self.with_itself:
            store = self.left.store
            alone = partial(JoinWithItself, self.windows, self.joiner, store=store.name())
            given.topology.add_processor(
                self.name, Supplied(alone), [self.left.name], stores=[store]
            )
            return
        self._add_side(given.topology, self.left_name, self.left, self.right, self.left_unmatched)
        self._add_side(given.topology, self.right_name, self.right, self.left, self.right_unmatched)
        names = [self.left_name, self.right_name]
        given.topology.add_processor(self.name, Supplied(PassThrough), names)

    def _add_side(
        self, topology: TopologyBuilder, name: str, this: StoredSide, other: StoredSide, alone: bool
    ) -> None:
        unmatched = self.unmatched if self.windows.spurious_results_fix else None
        processor = partial(
            JoinStreams,
            self.windows,
            self.joiner,
            is_left=this is self.left,
            unmatched_result=alone,
            outer=self.left_unmatched and self.right_unmatched,
            other_store=other.store.name(),
            unmatched_store=None if unmatched is None else unmatched.name(),
        )
        stores = [other.store] if unmatched is None else [other.store, unmatched]
        topology.add_processor(name, Supplied(processor), [this.name], stores=stores)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamTableJoin(TableReader):
    """A join of a stream, above it, with a table, which it reads."""

    relaxes_null_keys: bool
    named: bool = False
    """The user gave the name, and so that of the buffer in ``stores``, if there is one."""

    def write(self, given: NodeInputs) -> None:
        TableReader.write(self, given)
        for buffer in self.stores:
            for store in (store for view in given.settings.reads for store in view.stores):
                _check_past(self.name, store, given.topology.store_builder(store), buffer)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamGlobalJoin(Operation):
    """A join of a stream with a global table, which needs no connection."""

    relaxes_null_keys: bool


def join_with_itself(graph: Graph, build: Build) -> Graph:
    """Give joins of a stream with itself one store instead of two, if the optimiser is on."""
    if StreamsConfig.SINGLE_STORE_SELF_JOIN not in build.optimizations:
        return graph
    nodes, parents = dict(graph.nodes), dict(graph.parents)
    for number, node in graph.nodes.items():
        if not isinstance(node, StreamJoin) or len(set(graph.parents[number])) != 1:
            continue
        (spare,) = (other for other, found in graph.nodes.items() if found is node.right)
        del nodes[spare], parents[spare]
        nodes[number] = replace(node, with_itself=True)
    return replace(graph, nodes=nodes, parents=parents)


def relax_null_keys(graph: Graph, build: Build) -> Graph:
    """Let records without key through to the left and outer joins that make results of them.

    Source: KIP-962.
    """
    del build
    reached: set[int] = set()
    rising = [number for number, node in graph.nodes.items() if _relaxes(node)]
    while rising:
        above = set(graph.parents[rising.pop()]) - reached
        reached |= above
        rising.extend(above)
    nodes = dict(graph.nodes)
    for number in reached:
        node = nodes[number]
        if isinstance(node, Repartition):
            nodes[number] = replace(node, drops_null_keys=False)
    return replace(graph, nodes=nodes)


def _check_past(join: str, store: str, table: Any, buffer: Any) -> None:
    """Refuse a table without the history that records of the grace period need."""
    retention_of = getattr(table, "historyRetention", None)
    retention_ms = None if retention_of is None else retention_of()
    if retention_ms is None:
        raise IllegalArgumentException(
            "KTable must be versioned to use a grace period in a stream table join.",
            detail=f'Join "{join}": store "{store}" keeps only the latest value of each key.',
            hint="Materialize the table in Stores.persistentVersionedKeyValueStore(...).",
        )
    if retention_ms < buffer.grace_ms:
        raise IllegalArgumentException(
            "History retention must be at least grace period.",
            detail=f'Join "{join}" has a grace period of {buffer.grace_ms} ms, store "{store}" a '
            f"history of {retention_ms} ms.",
        )


def _relaxes(node: Node) -> bool:
    return (
        isinstance(node, StreamJoin | StreamTableJoin | StreamGlobalJoin) and node.relaxes_null_keys
    )
