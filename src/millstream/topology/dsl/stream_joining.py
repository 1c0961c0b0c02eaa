"""Adds the nodes of a join of two streams to the graph, with Kafka's names in Kafka's order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from millstream.core.windows import JoinWindows
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.join_stores import (
    AnyStreamJoined,
    check_names_differ,
    side_store,
    unmatched_store,
)
from millstream.topology.dsl.options import Named
from millstream.topology.graph.graph import GraphBuilder
from millstream.topology.graph.joins import KeptSide, StreamJoin
from millstream.topology.operators.joiners import Joiner
from millstream.topology.operators.table_join import JoinKind


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinNames:
    """The names of a join's nodes and stores."""

    left_kept: str
    right_kept: str
    left: str
    right: str
    result: str
    left_store: str
    right_store: str
    number: str


def join_streams(
    kind: JoinKind,
    left: Flow,
    right: Flow,
    joiner: Joiner,
    windows: JoinWindows,
    joined: AnyStreamJoined,
) -> Flow:
    """Join two streams that are partitioned alike.

    Raises:
        StreamsException: The user's own stores do not fit the join.
    """
    graph, own_suppliers = left.graph, joined.dsl_store_suppliers
    names = _take_names(graph, kind, joined)
    check_names_differ(joined)
    if own_suppliers is None and graph.settings is not None:
        suppliers = graph.settings.resolveDslStoreSuppliers()
    else:
        suppliers = own_suppliers
    stored = replace(joined, dsl_store_suppliers=suppliers)
    this, other = joined.this_store_supplier, joined.other_store_supplier
    left_store = side_store(names.left_store, windows, stored, this, joined.value_serde)
    right_store = side_store(names.right_store, windows, stored, other, joined.other_value_serde)
    left_side = KeptSide(name=names.left_kept, store=left_store)
    right_side = KeptSide(name=names.right_kept, store=right_store)
    graph.add(left_side, left.node)
    graph.add(right_side, right.node)
    outer = kind is JoinKind.OUTER
    unmatched = None
    if kind is not JoinKind.INNER:
        unmatched = unmatched_store(names.number, joined, suppliers, outer=outer)
    node = StreamJoin(
        name=names.result,
        left=left_side,
        right=right_side,
        left_name=names.left,
        right_name=names.right,
        windows=windows,
        joiner=joiner,
        left_unmatched=kind is not JoinKind.INNER,
        right_unmatched=outer,
        unmatched=unmatched,
        names_given=joined.store_name is not None,
    )
    return replace(
        left,
        node=graph.add(node, left.node, right.node),
        name=names.result,
        key_serde=joined.key_serde,
        value_serde=None,
        repartition_required=False,
    )


def _take_names(graph: GraphBuilder, kind: JoinKind, joined: AnyStreamJoined) -> JoinNames:
    """Take the join's numbers, those of names given by the user too."""
    left_suffix, left_prefix = "-this-join", "KSTREAM-JOINTHIS-"
    right_suffix, right_prefix = "-outer-other-join", "KSTREAM-OUTEROTHER-"
    if kind is JoinKind.OUTER:
        left_suffix, left_prefix = "-outer-this-join", "KSTREAM-OUTERTHIS-"
    elif kind is JoinKind.INNER:
        right_suffix, right_prefix = "-other-join", "KSTREAM-JOINOTHER-"
    take, name, base = graph.names, joined.name, joined.store_name
    left_kept = take.suffixed("KSTREAM-WINDOWED-", name, "-this-windowed")
    right_kept = take.suffixed("KSTREAM-WINDOWED-", name, "-other-windowed")
    left, right = take.operator(left_prefix), take.operator(right_prefix)
    return JoinNames(
        left_kept=left_kept,
        right_kept=right_kept,
        left=left if name is None else Named.as_(name + left_suffix).name,
        right=right if name is None else Named.as_(name + right_suffix).name,
        result=take.suffixed("KSTREAM-MERGE-", name, "-merge"),
        left_store=left if base is None else base + left_suffix,
        right_store=right if base is None else base + right_suffix,
        number=left.removeprefix(left_prefix),
    )
