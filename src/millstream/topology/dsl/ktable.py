"""``KTable``: the latest value of each key, and the stream of its updates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, overload

from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.wording import a_kind
from millstream.topology.callables import KEY_VALUE
from millstream.topology.checks import not_none
from millstream.topology.dsl.arguments import ABSENT, given_name, name_and_store, sort_options
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.functions import plain, with_key
from millstream.topology.dsl.grouped_table import KGroupedTable
from millstream.topology.dsl.kstream import (
    Accepts,
    KStream,
    MapsBoth,
    MapsOne,
    MapsPair,
    MapsValue,
    Pair,
)
from millstream.topology.dsl.ktable_joins import TableJoins
from millstream.topology.dsl.materialize import (
    KeyValueTableBuilder,
    ResolvedMaterialized,
    resolve_materialized,
    store_name,
)
from millstream.topology.dsl.options import Grouped, Materialized, Named, Suppressed
from millstream.topology.dsl.plugged import plugged
from millstream.topology.dsl.suppress import add_suppression
from millstream.topology.dsl.tables import serdes_of, table_at
from millstream.topology.dsl.type_vars import K2, V2, K, V
from millstream.topology.graph.nodes import (
    OldValues,
    Operation,
    TableOperation,
    TableReader,
    TableRole,
)
from millstream.topology.operators.getters import DerivedView, View
from millstream.topology.operators.regroup import Regroup
from millstream.topology.operators.table import FilterTable, MapTableValues, ToStream
from millstream.topology.operators.table_settings import TableSettings
from millstream.topology.operators.transform_values import TransformTableValues, TransformView
from millstream.topology.supplied import Supplied, check_supplier

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FILTER = "KTABLE-FILTER-"
_MAP_VALUES = "KTABLE-MAPVALUES-"
_TRANSFORM = "KTABLE-TRANSFORMVALUES-"


class KTable(TableJoins[K, V]):
    """Rows by key; made by ``StreamsBuilder.table``, by aggregations and by other tables.

    Every method adds an operation and leaves this table as it is. A table computed from another
    one has a store, for queries, only if ``materialized`` names it.

    Source: ``kstream.KTable``.
    """

    __slots__ = ("_flow", "_store_name")

    def __init__(self, flow: Flow, store_name: str | None) -> None:
        self._flow = flow
        self._store_name = store_name

    def __repr__(self) -> str:
        store = "" if self._store_name is None else f", store={self._store_name!r}"
        return f"KTable({self._flow.name!r}{store})"

    if not TYPE_CHECKING:
        # Hidden from type checkers, for which any name would then be a method.
        def __getattr__(self, name: str) -> Any:
            """Return an operator that a plugin offers under this name."""
            return plugged(self, name, KStream)

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

    @overload
    def mapValues(
        self,
        mapper: MapsOne[V, V2],
        named: Named | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, V2]: ...
    @overload
    def mapValues(
        self,
        mapper: MapsBoth[K, V, V2],
        named: Named | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, V2]: ...
    def mapValues(
        self,
        mapper: MapsValue[K, V, V2],
        named: Named | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, V2]:
        """Compute each row's value anew: ``mapValues(mapper[, named][, materialized])``.

        A mapper with two parameters is given key and value. Deleted rows stay deleted.
        """
        function, keyed = with_key(mapper, "mapper")
        options = name_and_store("mapValues", named, materialized)
        processor = partial(MapTableValues, function, with_key=keyed)
        return self._derived(_MAP_VALUES, *options, processor, _computed_by(processor))

    def transformValues(
        self,
        transformerSupplier: Any,
        *arguments: Named | Materialized[K, Any, Any] | str,
        named: Named = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, Any]:
        """Compute each row's value with an object that may use stores.

        ``transformValues(supplier[, materialized][, named], storeName, ...)``. Deleted rows are
        transformed as well.

        Args:
            transformerSupplier: A ``ValueTransformerWithKeySupplier``, a transformer class, or a
                callable that returns a new transformer each time.
            arguments: Options, then the names of stores, added before, to connect.
            named: The name of the operation.
            materialized: The table's store.

        Raises:
            IllegalArgumentException: ``transformerSupplier`` is no supplier.
            ClassCastException: It needs arguments; an option is given twice; a store's name is no
                text.
        """
        supplier = Supplied(not_none(transformerSupplier, "transformerSupplier"))
        check_supplier(transformerSupplier, "of transformValues()", "a transformer class")
        stores = [not_none(item, "stateStoreNames") for item in arguments]
        options: dict[str, Any] = {"named": named, "materialized": materialized}
        while stores and isinstance(stores[0], Named | Materialized):
            option: Any = stores.pop(0)
            kind = "named" if isinstance(option, Named) else "materialized"
            if options[kind] is not ABSENT:
                raise ClassCastException(
                    f"transformValues() does not take {a_kind(option)} twice",
                    detail="It takes Named and Materialized, each at most once.",
                )
            options[kind] = option
        wrong = [store for store in stores if not isinstance(store, str)]
        if wrong:
            raise ClassCastException(
                f"transformValues() does not take {a_kind(wrong[0])} as a store's name"
            )
        return self._derived(
            _TRANSFORM,
            *name_and_store("transformValues", **options),
            partial(TransformTableValues, supplier),
            lambda above: TransformView(above=above, supplier=supplier),
            connected=tuple(map(str, stores)),
            own_stores=tuple(supplier.stores()),
        )

    def groupBy(
        self, selector: MapsPair[K, V, Pair[K2, V2]], grouped: Grouped[K2, V2] = ABSENT
    ) -> KGroupedTable[K2, V2]:
        """Give each row a new key and value, and bring equal keys together, to be aggregated.

        Rows for which the new key or value is None are left out. Serdes are the application's
        defaults unless ``grouped`` has others.
        """
        (how,) = sort_options("groupBy", {"grouped": grouped}, Grouped)
        how = how or Grouped()
        function = plain(selector, "apply", "selector", KEY_VALUE)
        node = TableReader(
            name=self._flow.graph.names.operator("KTABLE-SELECT-", how.name),
            supplier=partial(Regroup, function),
            old_values=OldValues.NEEDED,
        )
        return KGroupedTable(self._flow.then(node), how)

    def suppress(
        self, suppressed: Suppressed[K], materialized: Materialized[K, V, Any] = ABSENT
    ) -> KTable[K, V]:
        """Buffer updates, and forward only the last one of each key.

        Args:
            suppressed: How long, and how much, updates are buffered; see ``Suppressed``.
            materialized: A store of the rows that were forwarded, for queries; it has no cache.
                (Kafka does not have it.)

        Raises:
            TopologyException: It says ``untilWindowCloses`` and the rows are not by window; or the
                table is versioned (found when the topology is built, where a table further up
                is what makes it so).

        Source: KIP-328.
        """
        if not isinstance(not_none(suppressed, "suppressed"), Suppressed):
            raise IllegalArgumentException(
                f"suppress() does not take {a_kind(suppressed)}",
                hint="Use Suppressed.untilWindowCloses() or Suppressed.untilTimeLimit().",
            )
        (how,) = sort_options("suppress", {"materialized": materialized}, Materialized)
        shown: KTable[K, V] = KTable(add_suppression(self._flow, suppressed), None)
        if how is None:
            return shown
        how = how.withCachingDisabled()
        if suppressed.name is None:
            return shown.filter(_everything, how)
        return shown.filter(_everything, Named.as_(f"{suppressed.name}-view"), how)

    @overload
    def toStream(self, mapper: Named = ABSENT, named: Named = ABSENT) -> KStream[K, V]: ...
    @overload
    def toStream(self, mapper: MapsPair[K, V, K2], named: Named = ABSENT) -> KStream[K2, V]: ...
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
        given = given_name("toStream", named)
        name = self._flow.graph.names.operator("KTABLE-TOSTREAM-", given)
        node = Operation(name=name, supplier=Supplied(ToStream))
        stream: KStream[K, V] = KStream(self._flow.then(node))
        return stream if selector is ABSENT else stream.selectKey(selector)

    def toDataFrame(self, *arguments: Any, **options: Any) -> DataFrame:
        """Return the updates as a DataFrame; deleted rows are rows without a value.

        See ``KStream.toDataFrame`` for arguments and errors.
        """
        streams = self._flow.graph.frames.streams
        if self._flow.node not in streams:
            streams[self._flow.node] = self.toStream()
        frame: DataFrame = streams[self._flow.node].toDataFrame(*arguments, **options)
        return frame

    def _filtered(
        self,
        method: str,
        predicate: Accepts[K, V],
        named: Any,
        materialized: Any,
        *,
        negate: bool,
    ) -> KTable[K, V]:
        test = plain(predicate, "test", "predicate", KEY_VALUE)
        processor = partial(FilterTable, test, negate=negate)
        return self._derived(
            _FILTER,
            *name_and_store(method, named, materialized),
            processor,
            _computed_by(processor),
            value_serde=self._flow.value_serde,
            old_values=OldValues.IF_STORED,
        )

    def _derived(
        self,
        prefix: str,
        named: str | None,
        materialized: Materialized[Any, Any, Any] | None,
        processor: Callable[..., Any],
        view: Callable[[View], View],
        *,
        value_serde: Any = None,
        old_values: OldValues = OldValues.UNUSED,
        connected: tuple[str, ...] = (),
        own_stores: tuple[Any, ...] = (),
    ) -> KTable[K, Any]:
        """Add a table that is computed from this one; it has a store only if that has a name."""
        flow, kept = self._flow, None
        if materialized is not None and prefix == _TRANSFORM and store_name(materialized) is None:
            # Unlike all others it takes no number for a store that will not be there.
            key_serde = flow.key_serde if materialized.key_serde is None else materialized.key_serde
            kept = ResolvedMaterialized(
                replace(materialized, key_serde=key_serde), prefix, queryable=False
            )
        elif materialized is not None:
            # Without a name the number is taken all the same, and there is no store.
            serdes = {"key_serde": flow.key_serde, "value_serde": value_serde}
            kept = resolve_materialized(flow.graph, materialized, prefix, **serdes)
        stored = kept is not None and kept.queryable
        node = TableOperation(
            name=flow.graph.names.operator(prefix, named),
            processor=processor,
            role=TableRole.DERIVED,
            store=KeyValueTableBuilder(kept) if kept is not None and stored else None,
            queryable=stored,
            outputs_versioned=None if kept is None else kept.versioned,
            old_values=old_values,
            view=view,
            connected=connected,
            own_stores=own_stores,
        )
        if kept is None:
            return KTable(flow.then(node, value_serde=value_serde), None)
        return table_at(flow.then(node, **serdes_of(kept)), kept)


def _computed_by(processor: Callable[..., Any]) -> Callable[[View], View]:
    """Return the view of a table without a store: its processor's function over the view above."""
    compute = processor(settings=TableSettings()).compute
    return lambda above: DerivedView(above=above, compute=compute)


def _everything(key: Any, value: Any) -> bool:
    del key, value
    return True
