"""``KGroupedTable``: the rows of a table, grouped by new keys for an aggregation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Generic

from millstream.core.serdes import Serdes
from millstream.topology.callables import ADDED, NOTHING, REDUCED
from millstream.topology.dsl.aggregation import Adds, Reduces, Starts
from millstream.topology.dsl.arguments import ABSENT, name_and_store
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.functions import plain
from millstream.topology.dsl.materialize import ResolvedMaterialized, resolve_materialized
from millstream.topology.dsl.options import Grouped, Materialized, Named
from millstream.topology.dsl.tables import add_table
from millstream.topology.dsl.type_vars import A, K, V
from millstream.topology.graph.changed import ChangeSerde
from millstream.topology.graph.internal_topics import TableRepartition
from millstream.topology.graph.nodes import TableRole
from millstream.topology.graph.repartition import SUFFIX
from millstream.topology.operators.folding import (
    ReduceCombine,
    count_combine,
    count_initial,
    reduce_initial,
)
from millstream.topology.operators.table_aggregate import TableAggregate, count_subtract

if TYPE_CHECKING:
    from millstream.topology.dsl.ktable import KTable


_AGGREGATE = "KTABLE-AGGREGATE-"
_REDUCE = "KTABLE-REDUCE-"


class KGroupedTable(Generic[K, V]):
    """Rows grouped by a new key; made by ``KTable.groupBy``.

    An aggregation follows the table: when a row changes, its old value is subtracted and its new
    one added, each in its own group. The time of a result is the largest of its updates.

    Source: ``kstream.KGroupedTable``.
    """

    __slots__ = ("_flow", "_grouped", "_repartition")

    def __init__(self, flow: Flow, grouped: Grouped[K, V]) -> None:
        self._flow = flow
        self._grouped = grouped
        self._repartition: Flow | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._flow.name!r})"

    def count(
        self,
        named: Named | Materialized[K, int, Any] = ABSENT,
        materialized: Materialized[K, int, Any] = ABSENT,
    ) -> KTable[K, int]:
        """Count rows: ``count([named][, materialized])``; serde ``Long`` unless given."""
        name, how = name_and_store("count", named, materialized)
        functions = count_initial, count_combine, count_subtract
        return self._table(_AGGREGATE, name, how, Serdes.Long(), *functions)

    def reduce(
        self,
        adder: Reduces[V],
        subtractor: Reduces[V],
        named: Named | Materialized[K, V, Any] = ABSENT,
        materialized: Materialized[K, V, Any] = ABSENT,
    ) -> KTable[K, V]:
        """Combine values: ``reduce(adder, subtractor[, named][, materialized])``.

        Both are given the value so far first. One that returns None empties the group.
        """
        add = ReduceCombine(plain(adder, "apply", "adder", REDUCED))
        subtract = ReduceCombine(plain(subtractor, "apply", "subtractor", REDUCED))
        name, how = name_and_store("reduce", named, materialized)
        serde = self._grouped.value_serde
        return self._table(_REDUCE, name, how, serde, reduce_initial, add, subtract)

    def aggregate(
        self,
        initializer: Starts[A],
        adder: Adds[K, V, A],
        subtractor: Adds[K, V, A],
        named: Named | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, A]:
        """Add and subtract: ``aggregate(init, adder, subtractor[, named][, materialized])``.

        The aggregate's value serde is the application's default unless ``materialized`` has one.
        A function that returns None empties the group.
        """
        initial = plain(initializer, "apply", "initializer", NOTHING)
        add = plain(adder, "apply", "adder", ADDED)
        subtract = plain(subtractor, "apply", "subtractor", ADDED)
        name, how = name_and_store("aggregate", named, materialized)
        return self._table(_AGGREGATE, name, how, None, initial, add, subtract)

    def _table(
        self,
        prefix: str,
        name: str | None,
        materialized: Materialized[Any, Any, Any] | None,
        value_serde: Any,
        *functions: Callable[..., Any],
    ) -> KTable[K, Any]:
        """Add the aggregation with its initializer, adder and subtractor; return its table."""
        kept = resolve_materialized(
            self._flow.graph,
            materialized,
            _AGGREGATE,  # of every store's name, the reducer's as well
            key_serde=self._grouped.key_serde,
            value_serde=value_serde,
        )
        names = self._flow.graph.names
        sink_name = names.suffixed("KSTREAM-SINK-", name, "-sink")
        source_name = names.suffixed("KSTREAM-SOURCE-", name, "-source")
        node_name = names.operator(prefix, name)
        flow = self._repartitioned(kept, sink_name, source_name)
        processor = partial(TableAggregate, *functions)
        return add_table(flow, kept, node_name, processor, TableRole.AGGREGATE)

    def _repartitioned(self, kept: ResolvedMaterialized, sink_name: str, source_name: str) -> Flow:
        """Return the flow that the aggregation reads: below a topic of the grouping or the store.

        Only a named grouping shares its topic.
        """
        flow, grouped = self._flow, self._grouped
        if self._repartition is not None and grouped.name is not None:
            flow.graph.use_again(self._repartition.node)
            return self._repartition
        node = TableRepartition(
            name=source_name,
            sink_name=sink_name,
            topic=(kept.name if grouped.name is None else grouped.name) + SUFFIX,
            key_serde=grouped.key_serde,
            value_serde=ChangeSerde(grouped.value_serde),
            named=kept.queryable or grouped.name is not None,
        )
        self._repartition = flow.then(
            node, sources=frozenset({node.name}), repartition_required=False
        )
        return self._repartition
