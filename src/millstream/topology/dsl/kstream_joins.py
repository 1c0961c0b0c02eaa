"""Joins of ``KStream``: with another stream, with a table, with a global table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, overload

from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.windows import JoinWindows
from millstream.core.wording import a_kind
from millstream.topology.callables import JOINED, KEY_VALUE
from millstream.topology.checks import not_none
from millstream.topology.dsl.arguments import (
    ABSENT,
    bound,
    given_name,
    says_cannot,
    sort_options,
    wrong_arguments,
)
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.functions import (
    KeyValueMapper,
    ValueJoiner,
    ValueJoinerWithKey,
    plain,
    with_key,
)
from millstream.topology.dsl.global_ktable import GlobalKTable
from millstream.topology.dsl.join_stores import TimeBufferBuilder
from millstream.topology.dsl.options import Joined, Named, StreamJoined
from millstream.topology.dsl.stream_joining import join_streams
from millstream.topology.dsl.type_vars import KG, VO, K, R, V
from millstream.topology.graph.joins import StreamGlobalJoin, StreamTableJoin
from millstream.topology.graph.repartition import repartition_node
from millstream.topology.operators.joiners import Joiner
from millstream.topology.operators.lookup_join import JoinGlobalTable, JoinPastTable, JoinTable
from millstream.topology.operators.table_join import JoinKind
from millstream.topology.supplied import Supplied

if TYPE_CHECKING:
    from millstream.topology.dsl.kstream import KStream
    from millstream.topology.dsl.ktable import KTable


# Not one type: of a union pyright takes the wrong half for a lambda whose result it cannot tell.
Joins = ValueJoiner[V, VO, R] | Callable[[V, VO], R]
JoinsWithKey = ValueJoinerWithKey[K, V, VO, R] | Callable[[K, V, VO], R]
Selects = KeyValueMapper[K, V, KG] | Callable[[K, V], KG]


@says_cannot
class StreamJoins(Generic[K, V]):
    """What ``KStream`` can be joined with.

    A joiner with three parameters is given the stream's key before the two values. What is joined
    must be partitioned alike; a stream whose key has changed is written to a repartition topic
    first. With a global table nothing needs to be.
    """

    __slots__ = ("_flow", "_for_joins")

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._for_joins: tuple[int, str] | None = None
        """Id and name of the repartition topic's source that joins of this stream share."""

    @overload
    def join(
        self,
        otherStream: KStream[K, VO],
        joiner: Joins[V, VO, R],
        windows: JoinWindows,
        streamJoined: StreamJoined[K, V, VO] = ABSENT,
    ) -> KStream[K, R]: ...
    @overload
    def join(
        self,
        otherStream: KStream[K, VO],
        joiner: JoinsWithKey[K, V, VO, R],
        windows: JoinWindows,
        streamJoined: StreamJoined[K, V, VO] = ABSENT,
    ) -> KStream[K, R]: ...
    @overload
    def join(
        self,
        table: KTable[K, VO],
        joiner: Joins[V, VO, R],
        joined: Joined[K, V, VO] = ABSENT,
    ) -> KStream[K, R]: ...
    @overload
    def join(
        self,
        table: KTable[K, VO],
        joiner: JoinsWithKey[K, V, VO, R],
        joined: Joined[K, V, VO] = ABSENT,
    ) -> KStream[K, R]: ...
    @overload
    def join(
        self,
        globalTable: GlobalKTable[KG, VO],
        keySelector: Selects[K, V, KG | None],
        joiner: Joins[V, VO, R],
        named: Named = ABSENT,
    ) -> KStream[K, R]: ...
    @overload
    def join(
        self,
        globalTable: GlobalKTable[KG, VO],
        keySelector: Selects[K, V, KG | None],
        joiner: JoinsWithKey[K, V, VO, R],
        named: Named = ABSENT,
    ) -> KStream[K, R]: ...
    def join(self, *arguments: Any, **keywords: Any) -> KStream[K, Any]:
        """Join with a stream, a table or a global table; records without partner are dropped.

        - ``join(otherStream, joiner, windows[, streamJoined])``: every pair of records with equal
          keys whose times are as near as ``windows`` says; the result has the later time.
        - ``join(table, joiner[, joined])``: every record with the row of its key at that moment.
        - ``join(globalTable, keySelector, joiner[, named])``: every record with the row whose key
          ``keySelector`` makes of the record's key and value.

        Records without value, or without key where one is needed, are dropped.

        Source: ``kstream.KStream.join``.
        """
        return self._join("join", JoinKind.INNER, arguments, keywords)

    @overload
    def leftJoin(
        self,
        otherStream: KStream[K, VO],
        joiner: Joins[V, VO | None, R],
        windows: JoinWindows,
        streamJoined: StreamJoined[K, V, VO] = ABSENT,
    ) -> KStream[K, R]: ...
    @overload
    def leftJoin(
        self,
        otherStream: KStream[K, VO],
        joiner: JoinsWithKey[K, V, VO | None, R],
        windows: JoinWindows,
        streamJoined: StreamJoined[K, V, VO] = ABSENT,
    ) -> KStream[K, R]: ...
    @overload
    def leftJoin(
        self,
        table: KTable[K, VO],
        joiner: Joins[V, VO | None, R],
        joined: Joined[K, V, VO] = ABSENT,
    ) -> KStream[K, R]: ...
    @overload
    def leftJoin(
        self,
        table: KTable[K, VO],
        joiner: JoinsWithKey[K, V, VO | None, R],
        joined: Joined[K, V, VO] = ABSENT,
    ) -> KStream[K, R]: ...
    @overload
    def leftJoin(
        self,
        globalTable: GlobalKTable[KG, VO],
        keySelector: Selects[K, V, KG | None],
        joiner: Joins[V, VO | None, R],
        named: Named = ABSENT,
    ) -> KStream[K, R]: ...
    @overload
    def leftJoin(
        self,
        globalTable: GlobalKTable[KG, VO],
        keySelector: Selects[K, V, KG | None],
        joiner: JoinsWithKey[K, V, VO | None, R],
        named: Named = ABSENT,
    ) -> KStream[K, R]: ...
    def leftJoin(self, *arguments: Any, **keywords: Any) -> KStream[K, Any]:
        """Join as ``join`` does, and also keep this stream's records without partner.

        Their other value is None. Between streams they come when their window and the grace period
        are over, with their own time; one that is late, or has no key, comes at once.

        Source: ``kstream.KStream.leftJoin`` (KIP-962).
        """
        return self._join("leftJoin", JoinKind.LEFT, arguments, keywords)

    @overload
    def outerJoin(
        self,
        otherStream: KStream[K, VO],
        joiner: Joins[V | None, VO | None, R],
        windows: JoinWindows,
        streamJoined: StreamJoined[K, V, VO] = ABSENT,
    ) -> KStream[K, R]: ...
    @overload
    def outerJoin(
        self,
        otherStream: KStream[K, VO],
        joiner: JoinsWithKey[K, V | None, VO | None, R],
        windows: JoinWindows,
        streamJoined: StreamJoined[K, V, VO] = ABSENT,
    ) -> KStream[K, R]: ...
    def outerJoin(
        self,
        otherStream: KStream[K, Any],
        joiner: Any,
        windows: JoinWindows,
        streamJoined: StreamJoined[K, V, Any] = ABSENT,
    ) -> KStream[K, Any]:
        """Join with a stream as ``leftJoin`` does, and keep both streams' records without partner.

        Source: ``kstream.KStream.outerJoin``.
        """
        return self._join_stream(
            "outerJoin", JoinKind.OUTER, otherStream, joiner, windows, streamJoined
        )

    def _join(
        self, method: str, kind: JoinKind, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> KStream[K, Any]:
        from millstream.topology.dsl.ktable import KTable

        first = arguments[0] if arguments else next(iter(keywords.values()), None)
        call: Callable[..., KStream[K, Any]] = self._join_stream
        names: tuple[str, ...] = ("otherStream", "joiner", "windows", "streamJoined")
        # What None stands for: streams are joined with windows, global tables with two functions.
        no_stream = first is None and not keywords and not _windows_among(arguments)
        no_global = no_stream and len(arguments) > 2 and not isinstance(arguments[2], Joined | None)
        no_table = no_stream and not no_global
        if isinstance(first, KTable) or "table" in keywords or no_table:
            call, names = self._join_table, ("table", "joiner", "joined")
        elif isinstance(first, GlobalKTable) or "globalTable" in keywords or no_global:
            call = self._join_global
            names = ("globalTable", "keySelector", "joiner", "named")
        given = bound(method, names, arguments, keywords)
        if any(name not in given for name in names[:-1]):
            raise wrong_arguments(method, names)
        return call(method, kind, *(given.get(name, ABSENT) for name in names))

    def _join_stream(
        self, method: str, kind: JoinKind, other: Any, joiner: Any, windows: Any, joined: Any
    ) -> KStream[K, Any]:
        from millstream.topology.dsl.kstream import KStream

        if not isinstance(not_none(other, "otherStream"), KStream):
            raise ClassCastException(
                f"{method}() cannot join a stream with {a_kind(other)}",
                hint="Join it with a KStream: with a table there is leftJoin()."
                if kind is JoinKind.OUTER
                else "Join it with a KStream, a KTable or a GlobalKTable.",
            )
        function = Joiner(*with_key(joiner, "joiner", JOINED))
        if not isinstance(not_none(windows, "windows"), JoinWindows):
            raise ClassCastException(f"windows cannot be {a_kind(windows)}")
        (how,) = sort_options(method, {"streamJoined": joined}, StreamJoined)
        how = how or StreamJoined()
        self._flow.meeting(other._flow)
        names = (None, None) if how.name is None else (f"{how.name}-left", f"{how.name}-right")
        left = self._repartitioned(names[0], how.key_serde, how.value_serde)
        right = other._repartitioned(names[1], how.key_serde, how.other_value_serde)
        sources = left.sources | right.sources
        left.graph.copartitioned.append(sources)
        flow = join_streams(kind, left, right, function, windows, how)
        return KStream(replace(flow, sources=sources))

    def _join_table(
        self, method: str, kind: JoinKind, table: Any, joiner: Any, joined: Any
    ) -> KStream[K, Any]:
        from millstream.topology.dsl.kstream import KStream

        not_none(table, "table")
        function = Joiner(*with_key(joiner, "joiner", JOINED))
        (how,) = sort_options(method, {"joined": joined}, Joined)
        how = how or Joined()
        flow = self._repartitioned(how.name, how.key_serde, how.value_serde)
        sources = flow.sources | flow.meeting(table._flow).sources
        flow.graph.copartitioned.append(sources)
        left = kind is JoinKind.LEFT
        key_serde = flow.key_serde if how.key_serde is None else how.key_serde
        name = flow.graph.names.operator("KSTREAM-LEFTJOIN-" if left else "KSTREAM-JOIN-", how.name)
        supplier: Callable[..., Any] = partial(JoinTable, function, left=left)
        buffer = None
        if how.grace_ms is not None:
            _check_versioned(table)
            buffer = TimeBufferBuilder(
                store=f"{name}-Buffer",
                grace_ms=how.grace_ms,
                key_serde=key_serde,
                value_serde=flow.value_serde if how.value_serde is None else how.value_serde,
            )
            supplier = partial(JoinPastTable, function, left=left, buffer=buffer.name())
        node = StreamTableJoin(
            name=name,
            supplier=supplier,
            reads=(table._flow.node,),
            relaxes_null_keys=left,
            stores=() if buffer is None else (buffer,),
            named=how.name is not None,
        )
        return KStream(flow.then(node, key_serde=key_serde, value_serde=None, sources=sources))

    def _join_global(
        self, method: str, kind: JoinKind, table: Any, selector: Any, joiner: Any, named: Any
    ) -> KStream[K, Any]:
        from millstream.topology.dsl.kstream import KStream

        not_none(table, "globalTable")
        select = plain(selector, "apply", "keySelector", KEY_VALUE)
        function = Joiner(*with_key(joiner, "joiner", JOINED))
        given = given_name(method, named)
        flow, left = self._flow, kind is JoinKind.LEFT
        store = table._store_name
        node = StreamGlobalJoin(
            # Kafka Streams calls both kinds so.
            name=flow.graph.names.operator("KSTREAM-LEFTJOIN-", given),
            supplier=Supplied(partial(JoinGlobalTable, function, select, left=left, store=store)),
            relaxes_null_keys=left,
        )
        return KStream(flow.then(node, value_serde=None))

    def _repartitioned(self, given: str | None, key_serde: Any, value_serde: Any) -> Flow:
        """Return this stream, below a repartition topic if its key has changed.

        Joins without a name share one topic; its nodes take their numbers all the same.
        """
        flow = self._flow
        if not flow.repartition_required:
            return flow
        name = flow.name if given is None else given
        serdes = {
            "key_serde": flow.key_serde if key_serde is None else key_serde,
            "value_serde": flow.value_serde if value_serde is None else value_serde,
        }
        node = repartition_node(flow.graph.names, name, named=given is not None, **serdes)
        if self._for_joins is None or name != flow.name:
            self._for_joins = flow.add(node), node.name
        number, source = self._for_joins
        return replace(
            flow,
            node=number,
            name=node.name,
            sources=frozenset({source}),
            repartition_required=False,
            **serdes,
        )


def _check_versioned(table: Any) -> None:
    """Refuse a table that is known not to be versioned; build() checks the others."""
    node = table._flow.graph.freeze().nodes[table._flow.node]
    if getattr(node, "outputs_versioned", None) is False:
        raise IllegalArgumentException(
            "KTable must be versioned to use a grace period in a stream table join.",
            detail=f'Table "{node.name}" keeps only the latest value of each key.',
            hint="Materialize the table in Stores.persistentVersionedKeyValueStore(...).",
        )


def _windows_among(arguments: tuple[Any, ...]) -> bool:
    return any(isinstance(argument, JoinWindows) for argument in arguments)
