"""``CogroupedKStream`` and its windowed forms: grouped streams with a common aggregate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, overload

from millstream.core.errors import ClassCastException
from millstream.core.windows import SessionWindows, SlidingWindows, Windowed, Windows
from millstream.core.wording import a_kind
from millstream.topology.callables import ADDED, MERGED, NOTHING
from millstream.topology.checks import not_none
from millstream.topology.dsl.aggregation import Adds, Grouping, Reducing, Starts
from millstream.topology.dsl.arguments import ABSENT, name_and_store
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.functions import plain
from millstream.topology.dsl.materialize import ResolvedMaterialized, resolve_materialized
from millstream.topology.dsl.options import Materialized, Named
from millstream.topology.dsl.tables import stored_operation, table_at
from millstream.topology.dsl.type_vars import TK, A, K
from millstream.topology.graph.nodes import TableOperation, TableRole
from millstream.topology.operators.folding import Merge
from millstream.topology.operators.getters import View
from millstream.topology.operators.stateless import PassThrough

if TYPE_CHECKING:
    from millstream.topology.dsl.grouped import KGroupedStream, Merges
    from millstream.topology.dsl.ktable import KTable


_AGGREGATE = "COGROUPKSTREAM-AGGREGATE-"
_MERGE = "COGROUPKSTREAM-MERGE-"


@dataclass(frozen=True, slots=True)
class _Input:
    """A grouped stream and the aggregator of its values."""

    grouped: KGroupedStream[Any, Any]
    combine: Callable[..., Any]


class _Cogrouped(Generic[TK, K, A]):
    """Aggregates several grouped streams into one table."""

    def __init__(
        self, inputs: list[_Input], grouped: Reducing[TK, K, Any], below: dict[Grouping, Flow]
    ) -> None:
        """Take the inputs, the first of them in the form that is aggregated, and ``below``."""
        self._inputs = inputs
        self._grouped = grouped
        self._below = below
        """Flows below repartition topics, which all aggregates of the cogrouped stream share."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({[entry.grouped for entry in self._inputs]!r})"

    def _aggregate(
        self, initializer: Starts[A], named: Any, materialized: Any, merge: Merge | None = None
    ) -> KTable[TK, A]:
        initial = plain(initializer, "apply", "initializer", NOTHING)
        name, how = name_and_store("aggregate", named, materialized)
        groupings = [entry.grouped.grouping for entry in self._inputs]
        graph, shape = groupings[0].flow.graph, self._grouped.shape()
        # As in Kafka, the table does not take over the serdes of the streams.
        kept = resolve_materialized(graph, how, _AGGREGATE)
        store = shape.store(kept)
        flows = [self._repartitioned(grouping, kept) for grouping in groupings]
        sources = frozenset[str]().union(*(grouping.flow.sources for grouping in groupings))
        if len(flows) > 1:
            graph.copartitioned.append(sources)
        numbers = []
        for index, (entry, flow) in enumerate(zip(self._inputs, flows, strict=True)):
            node_name = graph.names.suffixed(_AGGREGATE, name, f"-cogroup-agg-{index}")
            processor = shape.with_functions(initial, entry.combine, merge)
            node = stored_operation(kept, node_name, processor, TableRole.AGGREGATE, store)
            numbers.append(flow.add(node))
        merged = _merge_node(graph.names.suffixed(_MERGE, name, "-cogroup-merge"))
        table = Flow(
            graph=graph,
            node=graph.add(merged, *numbers),
            name=merged.name,
            key_serde=shape.key_serde(kept.materialized.key_serde),
            value_serde=kept.materialized.value_serde,
            sources=frozenset[str]().union(*(flow.sources for flow in flows)),
        )
        return table_at(table, kept)

    def _repartitioned(self, grouping: Grouping, kept: ResolvedMaterialized) -> Flow:
        if not grouping.flow.repartition_required:
            return grouping.flow
        # As in Kafka, the first aggregate names the topic, and the others use up names as well.
        node = grouping.topic_below(kept)
        if grouping not in self._below:
            self._below[grouping] = grouping.below(grouping.flow.add(node), node.name)
        return self._below[grouping]


class CogroupedKStream(_Cogrouped[K, K, A]):
    """Several grouped streams that share one aggregate; made by ``KGroupedStream.cogroup``.

    Source: ``kstream.CogroupedKStream`` (KIP-150).
    """

    def cogroup(
        self, groupedStream: KGroupedStream[K, Any], aggregator: Adds[K, Any, A]
    ) -> CogroupedKStream[K, A]:
        """Add another stream, whose values ``aggregator`` adds; returns this object, changed.

        Raises:
            ClassCastException: It is no grouped stream.
            TopologyException: It is of another builder.
        """
        from millstream.topology.dsl.grouped import KGroupedStream

        if not isinstance(not_none(groupedStream, "groupedStream"), KGroupedStream):
            raise ClassCastException(
                f"groupedStream cannot be {a_kind(groupedStream)}",
                hint="Give the result of groupByKey() or groupBy() of a stream.",
            )
        # Nothing would read a stream of another builder, and no word would be said.
        self._inputs[0].grouped.grouping.flow.meeting(groupedStream.grouping.flow)
        added = _Input(groupedStream, plain(aggregator, "apply", "aggregator", ADDED))
        for index, entry in enumerate(self._inputs):
            if entry.grouped is groupedStream:
                self._inputs[index] = added
                return self
        self._inputs.append(added)
        return self

    @overload
    def windowedBy(
        self, windows: Windows[Any] | SlidingWindows
    ) -> TimeWindowedCogroupedKStream[K, A]: ...
    @overload
    def windowedBy(self, windows: SessionWindows) -> SessionWindowedCogroupedKStream[K, A]: ...
    def windowedBy(
        self, windows: Windows[Any] | SlidingWindows | SessionWindows
    ) -> TimeWindowedCogroupedKStream[K, A] | SessionWindowedCogroupedKStream[K, A]:
        """Aggregate by window as well; what is late depends on each stream's own stream time."""
        first: Any = self._inputs[0].grouped.windowedBy(windows)
        if isinstance(windows, SessionWindows):
            return SessionWindowedCogroupedKStream[K, A](self._inputs, first, self._below)
        return TimeWindowedCogroupedKStream[K, A](self._inputs, first, self._below)

    def aggregate(
        self,
        initializer: Starts[A],
        named: Named | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, A]:
        """Return the table of aggregates: ``aggregate(init[, named][, materialized])``."""
        return self._aggregate(initializer, named, materialized)


class TimeWindowedCogroupedKStream(_Cogrouped[Windowed[K], K, A]):
    """Several grouped streams that share one aggregate per window.

    Source: ``kstream.TimeWindowedCogroupedKStream``.
    """

    def aggregate(
        self,
        initializer: Starts[A],
        named: Named | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[Windowed[K], A]:
        """Return the table of aggregates: ``aggregate(init[, named][, materialized])``."""
        return self._aggregate(initializer, named, materialized)


class SessionWindowedCogroupedKStream(_Cogrouped[Windowed[K], K, A]):
    """Several grouped streams that share one aggregate per session.

    Source: ``kstream.SessionWindowedCogroupedKStream``.
    """

    def aggregate(
        self,
        initializer: Starts[A],
        sessionMerger: Merges[K, A],
        named: Named | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[Windowed[K], A]:
        """Return the table of aggregates: ``aggregate(init, merge[, named][, materialized])``."""
        merge = plain(sessionMerger, "apply", "sessionMerger", MERGED)
        return self._aggregate(initializer, named, materialized, merge)


def cogrouped(first: KGroupedStream[K, Any], aggregator: Adds[K, Any, A]) -> CogroupedKStream[K, A]:
    """Return a grouped stream as the first of several."""
    added = _Input(first, plain(aggregator, "apply", "aggregator", ADDED))
    return CogroupedKStream([added], first, {})


def _merge_node(name: str) -> TableOperation:
    return TableOperation(
        name=name, processor=_pass_through, role=TableRole.DERIVED, view=_first, store=None
    )


def _pass_through(*, settings: Any) -> PassThrough:
    return PassThrough()


def _first(view: View, *others: View) -> View:
    """Return the view of the aggregations, which all have the same store."""
    return view
