"""Base of the aggregations of grouped streams: repartition topic, store, node and table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic

from millstream.core.serdes import Serdes
from millstream.topology.callables import ADDED, NOTHING, REDUCED
from millstream.topology.dsl.arguments import ABSENT, name_and_store
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.functions import Aggregator, Initializer, Reducer, plain
from millstream.topology.dsl.materialize import (
    ResolvedMaterialized,
    TableStoreBuilder,
    resolve_materialized,
    store_name,
)
from millstream.topology.dsl.options import Grouped, Materialized, Named
from millstream.topology.dsl.tables import add_table
from millstream.topology.dsl.type_vars import TK, A, K, V
from millstream.topology.graph.internal_topics import Repartition
from millstream.topology.graph.nodes import TableRole
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
        """Return the flow that an aggregation stored in ``kept`` reads, below a topic if needed.

        The topic is named after the grouping, and then shared, or after the store.
        """
        flow = self.flow
        if not flow.repartition_required:
            return flow
        node = self.topic_below(kept)
        if self._repartition is None or self._topic is None:
            self._repartition = flow.add(node)
        else:
            flow.graph.use_again(self._repartition)
        return self.below(self._repartition, node.name)

    def topic_below(self, kept: ResolvedMaterialized) -> Repartition:
        """Return the node of a repartition topic, not added yet; it takes the next names."""
        return repartition_node(
            self.flow.graph.names,
            kept.name if self._topic is None else self._topic,
            key_serde=self.key_serde,
            value_serde=self.value_serde,
            named=kept.queryable or self._topic is not None,
        )

    def below(self, number: int, name: str) -> Flow:
        """Return the flow below a node of a repartition topic."""
        return Flow(graph=self.flow.graph, node=number, name=name, sources=frozenset({name}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What is particular to aggregations by key, by window or by session."""

    processor: Callable[..., Any]
    """Called with the functions and ``settings``, returns the processor."""
    store: Callable[[ResolvedMaterialized], TableStoreBuilder]
    """Returns the builder of the store."""
    key_serde: Callable[[Any], Any]
    """Returns the serde of the table's keys, given that of the stream's."""
    merges: bool = False
    """The processor takes a merger as well."""
    count_wastes_number: bool = True
    """Kafka's ``count`` takes a number for a name that it does not use."""

    def with_functions(
        self, initial: Initial, combine: Combine, merge: Merge | None
    ) -> Callable[..., Any]:
        """Return what makes the processor, given the table's settings."""
        functions = (initial, combine, merge) if self.merges else (initial, combine)
        return partial(self.processor, *functions)


class Reducing(ABC, Generic[TK, K, V]):
    """``count`` and ``reduce``, by key or by key and window."""

    def __init__(self, grouping: Grouping) -> None:
        self.grouping = grouping

    def __repr__(self) -> str:
        windows = getattr(self, "_windows", None)
        own = "" if windows is None else f", {windows!r}"
        return f"{type(self).__name__}({self.grouping.flow.name!r}{own})"

    @abstractmethod
    def shape(self) -> Shape:
        """Return what is particular to this kind of aggregation."""

    def count(
        self,
        named: Named | Materialized[K, int, Any] = ABSENT,
        materialized: Materialized[K, int, Any] = ABSENT,
    ) -> KTable[TK, int]:
        """Count records: ``count([named][, materialized])``; serde ``Long`` unless given."""
        name, how = name_and_store("count", named, materialized)
        shape = self.shape()
        if how is not None and store_name(how) is None and shape.count_wastes_number:
            self.grouping.flow.graph.names.store(_AGGREGATE)
        processor = shape.with_functions(count_initial, count_combine, count_merge)
        return self.table(_AGGREGATE, name, how, Serdes.Long(), processor)

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
        name, how = name_and_store("reduce", named, materialized)
        functions = reduce_initial, ReduceCombine(function), ReduceMerge(function)
        processor = self.shape().with_functions(*functions)
        return self.table(_REDUCE, name, how, self.grouping.value_serde, processor)

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
        name, how = name_and_store("aggregate", named, materialized)
        processor = self.shape().with_functions(initial, combine, merge)
        return self.table(_AGGREGATE, name, how, None, processor)

    def table(
        self,
        prefix: str,
        named: str | None,
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
        grouping, shape = self.grouping, self.shape()
        graph = grouping.flow.graph
        serdes = {"key_serde": grouping.key_serde, "value_serde": value_serde}
        kept = resolve_materialized(graph, materialized, prefix, **serdes)
        name = graph.names.operator(prefix, named)
        store = shape.store(kept)
        return add_table(
            grouping.repartitioned(kept),
            kept,
            name,
            processor,
            TableRole.AGGREGATE,
            store,
            key_serde=shape.key_serde(kept.materialized.key_serde),
            repartition_required=False,
        )


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
