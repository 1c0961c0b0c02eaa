"""``KTable``: the latest value of each key, and the stream of its updates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

from millstream.core.errors import ClassCastException
from millstream.topology.arguments import ABSENT, sort_options
from millstream.topology.builder import Supplied
from millstream.topology.flow import Flow
from millstream.topology.functions import plain, with_key
from millstream.topology.graph.nodes import OldValues, Operation, TableOperation, TableRole
from millstream.topology.kstream import Accepts, KStream, MapsPair, MapsValue
from millstream.topology.materialize import KeyValueTableBuilder, resolved
from millstream.topology.operators.table import FilterTable, MapTableValues, ToStream
from millstream.topology.options import Materialized, Named

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")

_FILTER = "KTABLE-FILTER-"
_MAP_VALUES = "KTABLE-MAPVALUES-"


class KTable(Generic[K, V]):
    """Rows by key; made by ``StreamsBuilder.table``, by aggregations and by other tables.

    Every method adds an operation and leaves this table as it is. A table computed from another
    one is kept in a store, for queries, only if ``materialized`` names it.

    Source: ``kstream.KTable``.
    """

    __slots__ = ("_flow", "_store_name")

    def __init__(self, flow: Flow, store_name: str | None) -> None:
        self._flow = flow
        self._store_name = store_name

    def queryableStoreName(self) -> str | None:
        """Return the name under which the table can be queried; None if it has no named store."""
        return self._store_name

    def filter(
        self,
        predicate: Accepts[K, V],
        named: Named | Materialized[K, V, Any] = ABSENT,
        materialized: Materialized[K, V, Any] = ABSENT,
    ) -> KTable[K, V]:
        """Keep the rows that the predicate accepts: ``filter(predicate[, named][, materialized])``.

        A row that no longer passes is deleted.
        """
        return self._filtered("filter", predicate, named, materialized, negate=False)

    def filterNot(
        self,
        predicate: Accepts[K, V],
        named: Named | Materialized[K, V, Any] = ABSENT,
        materialized: Materialized[K, V, Any] = ABSENT,
    ) -> KTable[K, V]:
        """Keep the rows that the predicate does not accept; otherwise like ``filter``."""
        return self._filtered("filterNot", predicate, named, materialized, negate=True)

    def mapValues(
        self,
        mapper: MapsValue[K, V, V2],
        named: Named | Materialized[K, V2, Any] = ABSENT,
        materialized: Materialized[K, V2, Any] = ABSENT,
    ) -> KTable[K, V2]:
        """Compute each row's value anew: ``mapValues(mapper[, named][, materialized])``.

        A mapper with two parameters is given key and value. Deleted rows stay deleted.
        """
        function, keyed = with_key(mapper, "mapper")
        chosen, how = sort_options(
            "mapValues", {"named": named, "materialized": materialized}, Named, Materialized
        )
        processor = partial(MapTableValues, function, with_key=keyed)
        return self._derived(_MAP_VALUES, chosen, how, processor, value_serde=None)

    def toStream(
        self,
        mapper: Named | MapsPair[K, V, K2] = ABSENT,
        named: Named = ABSENT,
    ) -> KStream[Any, V]:
        """Read the updates as records: ``toStream([mapper][, named])``.

        Deleted rows are records without a value. The mapper makes new keys, as ``selectKey``.
        """
        selector: Any = mapper
        if isinstance(mapper, Named):
            if named is not ABSENT:
                raise ClassCastException("toStream() takes one name")
            selector, named = ABSENT, mapper
        (chosen,) = sort_options("toStream", {"named": named}, Named)
        name = self._flow.graph.names.operator(
            "KTABLE-TOSTREAM-", None if chosen is None else chosen.name
        )
        node = Operation(name=name, supplier=Supplied(ToStream))
        stream: KStream[K, V] = KStream(self._flow.then(node))
        return stream if selector is ABSENT else stream.selectKey(selector)

    def _filtered(
        self,
        method: str,
        predicate: Accepts[K, V],
        named: Any,
        materialized: Any,
        *,
        negate: bool,
    ) -> KTable[K, V]:
        test = plain(predicate, "test", "predicate")
        chosen, how = sort_options(
            method, {"named": named, "materialized": materialized}, Named, Materialized
        )
        return self._derived(
            _FILTER,
            chosen,
            how,
            partial(FilterTable, test, negate=negate),
            value_serde=self._flow.value_serde,
            old_values=OldValues.IF_KEPT,
        )

    def _derived(
        self,
        prefix: str,
        named: Named | None,
        materialized: Materialized[Any, Any, Any] | None,
        processor: Callable[..., Any],
        *,
        value_serde: Any,
        old_values: OldValues = OldValues.UNUSED,
    ) -> KTable[K, Any]:
        """Add a table that is computed from this one and kept only where it is named."""
        flow, kept = self._flow, None
        if materialized is not None:
            # Without a name the number is taken all the same, and there is no store.
            kept = resolved(
                flow.graph,
                materialized,
                prefix,
                key_serde=flow.key_serde,
                value_serde=value_serde,
            )
        stored = kept if kept is not None and kept.queryable else None
        name = flow.graph.names.operator(prefix, None if named is None else named.name)
        node = TableOperation(
            name=name,
            processor=processor,
            role=TableRole.DERIVED,
            store=None if stored is None else KeyValueTableBuilder(stored),
            queryable=stored is not None,
            outputs_versioned=None if kept is None else kept.versioned,
            old_values=old_values,
        )
        if kept is None:
            return KTable(flow.then(node, value_serde=value_serde), None)
        chosen = kept.materialized
        below = flow.then(node, key_serde=chosen.key_serde, value_serde=chosen.value_serde)
        return KTable(below, None if stored is None else stored.name)
