"""The graph's nodes of joins that have a stream on their left, and the passes that concern them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.errors import IllegalArgumentException
from millstream.core.windows import JoinWindows
from millstream.topology.builder import Supplied, TopologyBuilder
from millstream.topology.graph.endpoints import Repartition
from millstream.topology.graph.graph import Build, Graph
from millstream.topology.graph.nodes import Node, Operation, TableReader, connect_views
from millstream.topology.operators.joiners import Joiner
from millstream.topology.operators.stateless import PassThrough
from millstream.topology.operators.stream_join import JoinStreams, JoinWithItself, KeepForJoin
from millstream.topology.operators.table_settings import TableSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSide(Node):
    """Where one stream of a join is kept in a store; it stands below that stream."""

    store: Any
    """The builder of the store."""

    def write(
        self, topology: TopologyBuilder, parents: Sequence[str], settings: TableSettings
    ) -> None:
        supplier = Supplied(partial(KeepForJoin, self.store.name()))
        topology.add_processor(self.name, supplier, parents, stores=[self.store])


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamJoin(Node):
    """A join of two streams; it stands below both, and its processors below the kept sides."""

    left: KeptSide
    right: KeptSide
    left_name: str
    right_name: str
    """Of the processors that look for partners; ``name`` is that of their common result."""
    windows: JoinWindows
    joiner: Joiner
    left_unmatched: bool
    """Left records without partner are results."""
    right_unmatched: bool
    unmatched: Any = None
    """The builder of the store for records that wait for a partner, of left and outer joins."""
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

    def write(
        self, topology: TopologyBuilder, parents: Sequence[str], settings: TableSettings
    ) -> None:
        if self.with_itself:
            store = self.left.store
            alone = partial(JoinWithItself, self.windows, self.joiner, store=store.name())
            topology.add_processor(self.name, Supplied(alone), [self.left.name], stores=[store])
            return
        self._add_side(topology, self.left_name, self.left, self.right, self.left_unmatched)
        self._add_side(topology, self.right_name, self.right, self.left, self.right_unmatched)
        names = [self.left_name, self.right_name]
        topology.add_processor(self.name, Supplied(PassThrough), names)

    def _add_side(
        self, topology: TopologyBuilder, name: str, this: KeptSide, other: KeptSide, keeps: bool
    ) -> None:
        waits = self.unmatched if self.windows.spurious_results_fix else None
        processor = partial(
            JoinStreams,
            self.windows,
            self.joiner,
            is_left=this is self.left,
            keeps_unmatched=keeps,
            other_store=other.store.name(),
            unmatched_store=None if waits is None else waits.name(),
        )
        stores = [other.store] if waits is None else [other.store, waits]
        topology.add_processor(name, Supplied(processor), [this.name], stores=stores)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamTableJoin(TableReader):
    """A join of a stream, above it, with a table, which it reads."""

    relaxes_null_keys: bool
    buffer: Any = None
    """The builder of the store in which records wait, if they do."""
    named: bool = False
    """The user gave the name, and so the buffer's."""

    def write(
        self, topology: TopologyBuilder, parents: Sequence[str], settings: TableSettings
    ) -> None:
        supplier = Supplied(partial(self.supplier, settings=settings))
        stores = () if self.buffer is None else (self.buffer,)
        topology.add_processor(self.name, supplier, parents, stores=stores)
        connect_views(topology, self.name, settings.reads)
        if self.buffer is not None:
            for store in (store for view in settings.reads for store in view.stores):
                _check_past(self.name, store, topology.store_builder(store), self.buffer)


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
    """Refuse a table that does not remember what records of the grace period need."""
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
