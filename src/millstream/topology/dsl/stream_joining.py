"""Addition of a join of two streams to the graph, with Kafka's names in Kafka's order."""

from __future__ import annotations

from dataclasses import replace

from millstream.core.windows import JoinWindows
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.join_stores import (
    AnyStreamJoined,
    check_names_differ,
    side_store,
    unmatched_store,
)
from millstream.topology.dsl.options import Named
from millstream.topology.graph.joins import StoredSide, StreamJoin
from millstream.topology.operators.joiners import Joiner
from millstream.topology.operators.table_join import JoinKind

_THIS = dict.fromkeys(JoinKind, ("-this-join", "KSTREAM-JOINTHIS-")) | {
    JoinKind.OUTER: ("-outer-this-join", "KSTREAM-OUTERTHIS-"),
}
_OTHER = dict.fromkeys(JoinKind, ("-outer-other-join", "KSTREAM-OUTEROTHER-")) | {
    JoinKind.INNER: ("-other-join", "KSTREAM-JOINOTHER-"),
}
"""Suffixes and prefixes of the names of both sides."""


def join_streams(
    kind: JoinKind,
    left: Flow,
    right: Flow,
    joiner: Joiner,
    windows: JoinWindows,
    joined: AnyStreamJoined,
) -> Flow:
    """Join two streams that are partitioned alike.

    The join takes the numbers of all names, also of those that the user gave.

    Raises:
        StreamsException: The user's own stores do not fit the join.
    """
    graph, name, base = left.graph, joined.name, joined.store_name
    left_suffix, left_prefix = _THIS[kind]
    right_suffix, right_prefix = _OTHER[kind]
    take = graph.names
    left_stored = take.suffixed("KSTREAM-WINDOWED-", name, "-this-windowed")
    right_stored = take.suffixed("KSTREAM-WINDOWED-", name, "-other-windowed")
    left_number, right_number = take.operator(left_prefix), take.operator(right_prefix)
    left_name = left_number if name is None else Named.as_(name + left_suffix).name
    right_name = right_number if name is None else Named.as_(name + right_suffix).name
    result = take.suffixed("KSTREAM-MERGE-", name, "-merge")
    check_names_differ(joined)
    suppliers = joined.dsl_store_suppliers
    if suppliers is None and graph.settings is not None:
        suppliers = graph.settings.resolveDslStoreSuppliers()
    stored = replace(joined, dsl_store_suppliers=suppliers)
    this, other = joined.this_store_supplier, joined.other_store_supplier
    left_base = left_number if base is None else base + left_suffix
    right_base = right_number if base is None else base + right_suffix
    left_store = side_store(left_base, windows, stored, this, joined.value_serde)
    right_store = side_store(right_base, windows, stored, other, joined.other_value_serde)
    left_side = StoredSide(name=left_stored, store=left_store)
    right_side = StoredSide(name=right_stored, store=right_store)
    graph.add(left_side, left.node)
    graph.add(right_side, right.node)
    outer, unmatched = kind is JoinKind.OUTER, None
    if kind is not JoinKind.INNER:
        number = left_number.removeprefix(left_prefix)
        unmatched = unmatched_store(number, joined, suppliers, outer=outer)
    node = StreamJoin(
        name=result,
        left=left_side,
        right=right_side,
        left_name=left_name,
        right_name=right_name,
        windows=windows,
        joiner=joiner,
        left_unmatched=kind is not JoinKind.INNER,
        right_unmatched=outer,
        unmatched=unmatched,
        names_given=base is not None,
    )
    return replace(
        left,
        node=graph.add(node, left.node, right.node),
        name=result,
        key_serde=joined.key_serde,
        value_serde=None,
        repartition_required=False,
    )
