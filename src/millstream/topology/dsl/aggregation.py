"""What all aggregations of grouped streams share: repartition, store, node, table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from millstream.core.serdes import Serdes
from millstream.topology.dsl.arguments import ABSENT, sort_options
from millstream.topology.dsl.callables import ADDED, NOTHING, REDUCED
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.functions import Aggregator, Initializer, Reducer, plain
from millstream.topology.dsl.materialize import (
    ResolvedMaterialized,
    TableStoreBuilder,
    resolve_materialized,
    store_name,
)
from millstream.topology.dsl.options import Grouped, Materialized, Named
from millstream.topology.graph.nodes import TableOperation, TableRole
from millstream.topology.graph.repartition import repartition_node
from millstream.topology.operators.folding import (
    Combine,
    Initial,
    Merge,
    ReduceCombine,
    ReduceMerge,
    count_combine,
    count_initial,
    count_merge,
    reduce_initial,
)

if TYPE_CHECKING:
    from millstream.topology.dsl.ktable import KTable

TK = TypeVar("TK")
K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")

Reduces = Reducer[V] | Callable[[V, V], V | None]
Starts = Initializer[A] | Callable[[], A]
Adds = Aggregator[K, V, A] | Callable[[K, V, A], A | None]

_AGGREGATE = "KSTREAM-AGGREGATE-"
_REDUCE = "KSTREAM-REDUCE-"


class Grouping:
    """A stream grouped by key; the aggregations on it may share one repartition topic."""

    def __init__(self, flow: Flow, grouped: Grouped[Any, Any]) -> None:
        self.flow = flow
        self.key_serde = grouped.key_serde
        self.value_serde = grouped.value_serde
        self._topic = grouped.name
        self._repartition: int | None = None

    def repartitioned(self, kept: ResolvedMaterialized) -> Flow:
        """Return where an aggregation stored in ``kept`` goes: below a new topic, if needed.

        The topic is named after the grouping, and then shared, or after the store.
        """
        flow = self.flow
        if not flow.repartition_required:
            return flow
        node = repartition_node(
            flow.graph.names,
            kept.name if self._topic is None else self._topic,
            key_serde=self.key_serde,
            value_serde=self.value_serde,
            named=kept.queryable or self._topic is not None,
        )
        if self._repartition is None or self._topic is None:
            self._repartition = flow.add(node)
        else:
            flow.graph.use_again(self._repartition)
        return Flow(
            graph=flow.graph,
            node=self._repartition,
            name=node.name,
            sources=frozenset({node.name}),
        )


class Reducing(ABC, Generic[TK, K, V]):
    """``count`` and ``reduce``, by key or by key and window."""

    def __init__(self, grouping: Grouping) -> None:
        self.grouping = grouping

    def count(
        self,
        named: Named | Materialized[K, int, Any] = ABSENT,
        materialized: Materialized[K, int, Any] = ABSENT,
    ) -> KTable[TK, int]:
        """Count records: ``count([named][, materialized])``; serde ``Long`` unless given."""
        chosen, how = sort_options(
            "count", {"named": named, "materialized": materialized}, Named, Materialized
        )
        if how is not None and store_name(how) is None and self.wastes_number():
            self.grouping.flow.graph.names.store(_AGGREGATE)
        processor = self.processor(count_initial, count_combine, count_merge)
        return self.table(_AGGREGATE, chosen, how, Serdes.Long(), processor)

    def reduce(
        self,
        reducer: Reduces[V],
        named: Named | Materialized[K, V, Any] = ABSENT,
        materialized: Materialized[K, V, Any] = ABSENT,
    ) -> KTable[TK, V]:
        """Combine values, the first being the start: ``reduce(reducer[, named][, materialized])``.

        A reducer that returns None deletes the row.
        """
        function = plain(reducer, "apply", "reducer", REDUCED)
        chosen, how = sort_options(
            "reduce", {"named": named, "materialized": materialized}, Named, Materialized
        )
        serde = self.grouping.value_serde
        processor = self.processor(reduce_initial, ReduceCombine(function), ReduceMerge(function))
        return self.table(_REDUCE, chosen, how, serde, processor)

    def wastes_number(self) -> bool:
        """Tell whether Kafka's ``count`` takes a number for a name that it does not use."""
        return True

    @abstractmethod
    def store(self, kept: ResolvedMaterialized) -> TableStoreBuilder:
        """Return the builder of the store."""

    @abstractmethod
    def processor(
        self, initial: Initial, combine: Combine, merge: Merge | None
    ) -> Callable[..., Any]:
        """Return what makes the processor, given the table's settings."""

    @abstractmethod
    def table_key_serde(self, key_serde: Any) -> Any:
        """Return the serde of the table's keys, given that of the stream's."""

    def _aggregate(
        self,
        initializer: Starts[A],
        aggregator: Adds[K, V, A],
        named: Any,
        materialized: Any,
        merge: Merge | None = None,
    ) -> KTable[TK, A]:
        initial = plain(initializer, "apply", "initializer", NOTHING)
        combine = plain(aggregator, "apply", "aggregator", ADDED)
        chosen, how = sort_options(
            "aggregate", {"named": named, "materialized": materialized}, Named, Materialized
        )
        return self.table(_AGGREGATE, chosen, how, None, self.processor(initial, combine, merge))

    def table(
        self,
        prefix: str,
        named: Named | None,
        materialized: Materialized[Any, Any, Any] | None,
        value_serde: Any,
        processor: Callable[..., Any],
    ) -> KTable[TK, Any]:
        """Return the table that a processor makes, below a repartition topic if need be.

        Args:
            prefix: Of generated names.
            named: The user's name for the node.
            materialized: The user's choice of store.
            value_serde: Of the table's values, unless ``materialized`` has one.
            processor: Given the table's settings, makes the processor.
        """
        from millstream.topology.dsl.ktable import KTable

        graph = self.grouping.flow.graph
        kept = resolve_materialized(
            graph,
            materialized,
            prefix,
            key_serde=self.grouping.key_serde,
            value_serde=value_serde,
        )
        name = graph.names.operator(prefix, None if named is None else named.name)
        store = self.store(kept)
        flow = self.grouping.repartitioned(kept)
        node = TableOperation(
            name=name,
            processor=processor,
            role=TableRole.AGGREGATE,
            store=store,
            queryable=kept.queryable,
            outputs_versioned=kept.versioned,
        )
        table = flow.then(
            node,
            key_serde=self.table_key_serde(kept.materialized.key_serde),
            value_serde=kept.materialized.value_serde,
            repartition_required=False,
        )
        return KTable(table, kept.name if kept.queryable else None)


class Aggregating(Reducing[TK, K, V]):
    """The same and ``aggregate``."""

    def aggregate(
        self,
        initializer: Starts[A],
        aggregator: Adds[K, V, A],
        named: Named | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[TK, A]:
        """Add values to an aggregate: ``aggregate(init, add[, named][, materialized])``.

        The aggregate's value serde is the application's default unless ``materialized`` has one.
        An aggregator that returns None deletes the row.
        """
        return self._aggregate(initializer, aggregator, named, materialized)
