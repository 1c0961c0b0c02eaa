"""Joins of ``KTable``: by key and by foreign key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, overload

from millstream.core.errors import ClassCastException
from millstream.core.wording import a_kind
from millstream.topology.callables import JOINED
from millstream.topology.checks import not_none
from millstream.topology.dsl.arguments import ABSENT, bound, name_and_store, sort_options
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.foreign_key_join import join_by_foreign_key
from millstream.topology.dsl.functions import ValueJoiner, plain
from millstream.topology.dsl.global_ktable import GlobalKTable
from millstream.topology.dsl.materialize import KeyValueTableBuilder, resolve_materialized
from millstream.topology.dsl.options import Materialized, Named, TableJoined
from millstream.topology.dsl.type_vars import KO, VO, K, R, V
from millstream.topology.graph.nodes import OldValues, TableRole
from millstream.topology.graph.table_join import TableJoin
from millstream.topology.operators.table_join import JoinKind, JoinResult, JoinView

if TYPE_CHECKING:
    from millstream.topology.dsl.ktable import KTable


JoinsValues = ValueJoiner[V, VO, R] | Callable[[V, VO], R]

_MERGE = "KTABLE-MERGE-"
_THIS = "KTABLE-JOINTHIS-"
_OTHER = "KTABLE-JOINOTHER-"
_OPTIONS = (Named, TableJoined, Materialized)
_BY_KEY = ("joiner", "named", "materialized")
_BY_FOREIGN_KEY = ("foreignKeyExtractor", "joiner", "tableJoined", "materialized")
_OLD_VALUES = {
    JoinKind.INNER: (OldValues.UNUSED, OldValues.UNUSED),
    JoinKind.LEFT: (OldValues.NEEDED, OldValues.UNUSED),
    JoinKind.OUTER: (OldValues.NEEDED, OldValues.NEEDED),
}


class TableJoins(Generic[K, V]):
    """The join methods of ``KTable``."""

    __slots__ = ()

    _flow: Flow

    @overload
    def join(
        self,
        other: KTable[K, VO],
        joiner: JoinsValues[V, VO, R],
        named: Named | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, R]: ...
    @overload
    def join(
        self,
        other: KTable[KO, VO],
        foreignKeyExtractor: Callable[[V], KO | None],
        joiner: JoinsValues[V, VO, R],
        tableJoined: TableJoined[K, KO] | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, R]: ...
    @overload
    def join(
        self,
        other: KTable[KO, VO],
        foreignKeyExtractor: Callable[[K, V], KO | None],
        joiner: JoinsValues[V, VO, R],
        tableJoined: TableJoined[K, KO] | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, R]: ...
    def join(self, other: KTable[Any, Any], *arguments: Any, **keywords: Any) -> KTable[K, Any]:
        """Join rows that both tables have, by key or by foreign key.

        ``join(other, joiner[, named][, materialized])`` joins rows with equal keys, whose topics
        must have equally many partitions.
        ``join(other, foreignKeyExtractor, joiner[, tableJoined][, materialized])`` joins each row
        with the row of ``other`` whose key the extractor finds in the value, or, with two
        parameters, in key and value; rows without foreign key are left out.

        The joiner is given both values. The time of a result is the later one of both; by foreign
        key, an update of ``other`` gives its own time to all its results.

        Raises:
            NullPointerException: An argument is None.
        """
        return self._join("join", JoinKind.INNER, other, arguments, keywords)

    @overload
    def leftJoin(
        self,
        other: KTable[K, VO],
        joiner: JoinsValues[V, VO | None, R],
        named: Named | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, R]: ...
    @overload
    def leftJoin(
        self,
        other: KTable[KO, VO],
        foreignKeyExtractor: Callable[[V], KO | None],
        joiner: JoinsValues[V, VO | None, R],
        tableJoined: TableJoined[K, KO] | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, R]: ...
    @overload
    def leftJoin(
        self,
        other: KTable[KO, VO],
        foreignKeyExtractor: Callable[[K, V], KO | None],
        joiner: JoinsValues[V, VO | None, R],
        tableJoined: TableJoined[K, KO] | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, R]: ...
    def leftJoin(self, other: KTable[Any, Any], *arguments: Any, **keywords: Any) -> KTable[K, Any]:
        """Join all rows of this table, with None where ``other`` has none; see ``join``."""
        return self._join("leftJoin", JoinKind.LEFT, other, arguments, keywords)

    def outerJoin(
        self,
        other: KTable[K, VO],
        joiner: JoinsValues[V | None, VO | None, R],
        named: Named | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[K, R]:
        """Join all rows of both tables: ``outerJoin(other, joiner[, named][, materialized])``.

        By key only; a value is None where its table has no row.
        """
        _check_table("outerJoin", other)
        name_and_how = name_and_store("outerJoin", named, materialized)
        return self._joined_by_key(JoinKind.OUTER, other, joiner, *name_and_how)

    def _join(
        self,
        method: str,
        kind: JoinKind,
        other: KTable[Any, Any],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> KTable[K, Any]:
        _check_table(method, other)
        names = _parameters(arguments, keywords)
        given = bound(method, names, arguments, keywords)
        options = {name: given.get(name, ABSENT) for name in names[-2:]}
        for name in names[:-2]:
            not_none(given.get(name), name)
        if names is _BY_KEY:
            name_and_how = name_and_store(method, **options)
            return self._joined_by_key(kind, other, given["joiner"], *name_and_how)
        tables, how = sort_options(method, options, TableJoined, Materialized)
        return join_by_foreign_key(
            self._flow,
            self._flow.meeting(other._flow),
            given["foreignKeyExtractor"],
            given["joiner"],
            left_join=kind is JoinKind.LEFT,
            options=tables or TableJoined(),
            materialized=how,
        )

    def _joined_by_key(
        self,
        kind: JoinKind,
        other: KTable[Any, Any],
        joiner: Any,
        name: str | None,
        materialized: Materialized[Any, Any, Any] | None,
    ) -> KTable[K, Any]:
        from millstream.topology.dsl.ktable import KTable

        left, right = self._flow, self._flow.meeting(other._flow)
        graph, names = left.graph, left.graph.names
        function = plain(joiner, "apply", "joiner", JOINED)
        kept = None
        if materialized is not None:
            kept = resolve_materialized(graph, materialized, _MERGE, key_serde=left.key_serde)
        sources = left.sources | right.sources
        graph.copartitioned.append(sources)
        node = TableJoin(
            name=names.operator(_MERGE, name),
            left_name=names.suffixed(_THIS, name, "-join-this"),
            right_name=names.suffixed(_OTHER, name, "-join-other"),
            kind=kind,
            joiner=function,
            processor=JoinResult,
            role=TableRole.JOINED,
            store=None if kept is None else KeyValueTableBuilder(kept),
            queryable=kept is not None,
            outputs_versioned=kept is not None and kept.versioned,
            old_values=_OLD_VALUES[kind],
            reads=(left.node, right.node),
            view=_view(kind, function),
        )
        flow = Flow(
            graph=graph,
            node=graph.add(node, left.node, right.node),
            name=node.name,
            key_serde=left.key_serde if kept is None else kept.materialized.key_serde,
            value_serde=None if kept is None else kept.materialized.value_serde,
            sources=sources,
        )
        return KTable(flow, None if kept is None else kept.name)


def _check_table(method: str, other: object) -> None:
    from millstream.topology.dsl.ktable import KTable

    if not isinstance(not_none(other, "other"), KTable):
        raise ClassCastException(
            f"{method}() does not join a table with {a_kind(other)}",
            hint="Join a stream with a global table: it is read as a whole, and has no updates."
            if isinstance(other, GlobalKTable)
            else "Call toTable() on a stream first.",
        )


def _view(kind: JoinKind, joiner: Callable[[Any, Any], Any]) -> Callable[..., JoinView]:
    return lambda left, right: JoinView(kind, joiner, left, right)


def _parameters(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[str, ...]:
    """Tell which overload is meant: that by foreign key has two functions."""
    if "foreignKeyExtractor" in keywords or "tableJoined" in keywords:
        return _BY_FOREIGN_KEY
    second = arguments[1] if len(arguments) > 1 else None
    if ("joiner" in keywords and arguments) or len(arguments) > len(_BY_KEY):
        return _BY_FOREIGN_KEY
    if len(arguments) > 1 and not isinstance(second, _OPTIONS) and second is not None:
        return _BY_FOREIGN_KEY
    return _BY_KEY
