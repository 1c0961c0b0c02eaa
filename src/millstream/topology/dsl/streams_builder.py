"""``StreamsBuilder``: the start of a topology of streams and tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import partial
from typing import Any, overload

from millstream.core.config import TopologyConfig
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    TopologyException,
)
from millstream.core.state import StoreBuilder
from millstream.core.wording import a_kind, plain_text
from millstream.topology.checks import checked_name, checked_store_builder, not_none
from millstream.topology.dsl.arguments import ABSENT, sort_options
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.frame_inputs import FrameInputs
from millstream.topology.dsl.global_ktable import GlobalKTable
from millstream.topology.dsl.grouped import SessionWindowedKStream, TimeWindowedKStream
from millstream.topology.dsl.kstream import KStream
from millstream.topology.dsl.ktable import KTable
from millstream.topology.dsl.materialize import (
    KeyValueTableBuilder,
    ResolvedMaterialized,
    resolve_materialized,
)
from millstream.topology.dsl.options import Consumed, Materialized
from millstream.topology.dsl.plugged import check_unhidden
from millstream.topology.dsl.type_vars import K, V
from millstream.topology.graph.build import TopologyWriter
from millstream.topology.graph.endpoints import (
    GlobalStoreAddition,
    StoreAddition,
    StreamSource,
    TopicTable,
)
from millstream.topology.graph.graph import GraphBuilder
from millstream.topology.graph.nodes import TableRole
from millstream.topology.operators.table import TableSource
from millstream.topology.operators.table_settings import TableSettings
from millstream.topology.supplied import check_supplier
from millstream.topology.topology import Topology

Topics = str | Collection[str] | re.Pattern[str]

_STREAM = "KSTREAM-SOURCE-"
_TABLE = "KTABLE-SOURCE-"
_ONE_TOPIC = "Give the name of one topic."


class StreamsBuilder(FrameInputs):
    """Reads topics as streams and tables; ``build`` makes the topology of all that is done to them.

    Example:
        >>> builder = StreamsBuilder()
        >>> builder.stream("lines").mapValues(str.upper).to("shouts")
        >>> print(builder.build().describe())  # doctest: +NORMALIZE_WHITESPACE
        Topologies:
           Sub-topology: 0
            Source: KSTREAM-SOURCE-0000000000 (topics: [lines])
              --> KSTREAM-MAPVALUES-0000000001
            Processor: KSTREAM-MAPVALUES-0000000001 (stores: [])
              --> KSTREAM-SINK-0000000002
              <-- KSTREAM-SOURCE-0000000000
            Sink: KSTREAM-SINK-0000000002 (topic: shouts)
              <-- KSTREAM-MAPVALUES-0000000001

    Source: ``org.apache.kafka.streams.StreamsBuilder``.
    """

    def __init__(self, topologyConfigs: TopologyConfig = ABSENT) -> None:
        if topologyConfigs is ABSENT:
            settings = None
        else:
            settings = not_none(topologyConfigs, "topologyConfigs")
            given: object = settings
            if not isinstance(given, TopologyConfig):
                raise ClassCastException(
                    f"topologyConfigs cannot be {a_kind(given)}",
                    hint="Give TopologyConfig(StreamsConfig(...)).",
                )
        self._graph = GraphBuilder(settings=settings)
        self._writer = TopologyWriter(self._graph)

    def __repr__(self) -> str:
        return f"StreamsBuilder({self._graph.size()} operations)"

    @overload
    def stream(self, topics: Topics) -> KStream[Any, Any]: ...
    @overload
    def stream(self, topics: Topics, consumed: Consumed[K, V]) -> KStream[K, V]: ...
    def stream(self, topics: Topics, consumed: Consumed[Any, Any] = ABSENT) -> KStream[Any, Any]:
        """Read one topic, several, or every topic whose whole name matches a pattern.

        Raises:
            NullPointerException: An argument is None.
        """
        (how,) = sort_options("stream", {"consumed": consumed}, Consumed)
        how = how or Consumed()
        name = self._graph.names.operator(_STREAM, how.name)
        pattern = not_none(topics, "topics") if isinstance(topics, re.Pattern) else None
        node = self._graph.add(
            StreamSource(
                name=name,
                topics=() if isinstance(topics, re.Pattern) else _topic_names(topics),
                pattern=pattern,
                consumed=how,
            )
        )
        return KStream(self._flow(node, name, name, how))

    # Consumed alone tells the types: as_("name") is a Materialized[Any, Any, Any], of which mypy
    # would make a KTable[Any, Any].
    @overload
    def table(self, topic: str) -> KTable[Any, Any]: ...
    @overload
    def table(
        self, topic: str, consumed: Consumed[K, V] | Materialized[K, V, Any]
    ) -> KTable[K, V]: ...
    @overload
    def table(
        self, topic: str, consumed: Consumed[K, V], materialized: Materialized[Any, Any, Any]
    ) -> KTable[K, V]: ...
    @overload
    def table(self, topic: str, *, materialized: Materialized[K, V, Any]) -> KTable[K, V]: ...
    def table(
        self,
        topic: str,
        consumed: Consumed[Any, Any] | Materialized[Any, Any, Any] = ABSENT,
        materialized: Materialized[Any, Any, Any] = ABSENT,
    ) -> KTable[Any, Any]:
        """Read a topic as a table: each record sets, or without a value deletes, its key's row.

        ``table(topic[, consumed][, materialized])``. The table has a store if that is named,
        or if an operation on it needs one.

        Raises:
            NullPointerException: An argument is None.
        """
        topic = checked_name(topic, "topic", _ONE_TOPIC)
        kept, how = self._table_options("table", topic, consumed, materialized)
        names = self._graph.names
        source_name = names.suffixed(_STREAM, how.name, "-source")
        name = names.operator(_TABLE, how.name)
        node = self._graph.add(
            TopicTable(
                name=name,
                processor=TableSource,
                role=TableRole.TOPIC,
                store=KeyValueTableBuilder(kept),
                queryable=kept.queryable,
                outputs_versioned=kept.versioned,
                source_name=source_name,
                topic=topic,
                consumed=how,
            )
        )
        store = kept.name if kept.queryable else None
        return KTable(self._flow(node, name, source_name, how), store)

    @overload
    def globalTable(self, topic: str) -> GlobalKTable[Any, Any]: ...
    @overload
    def globalTable(
        self, topic: str, consumed: Consumed[K, V] | Materialized[K, V, Any]
    ) -> GlobalKTable[K, V]: ...
    @overload
    def globalTable(
        self, topic: str, consumed: Consumed[K, V], materialized: Materialized[Any, Any, Any]
    ) -> GlobalKTable[K, V]: ...
    @overload
    def globalTable(
        self, topic: str, *, materialized: Materialized[K, V, Any]
    ) -> GlobalKTable[K, V]: ...
    def globalTable(
        self,
        topic: str,
        consumed: Consumed[Any, Any] | Materialized[Any, Any, Any] = ABSENT,
        materialized: Materialized[Any, Any, Any] = ABSENT,
    ) -> GlobalKTable[Any, Any]:
        """Read a topic as a table that every task sees whole; it always has a store.

        ``globalTable(topic[, consumed][, materialized])``.

        Raises:
            NullPointerException: An argument is None.
            TopologyException: The store would be versioned.
            IllegalArgumentException: ``materialized`` does not name the store.
        """
        topic = checked_name(topic, "topic", _ONE_TOPIC)
        kept, how = self._table_options("globalTable", topic, consumed, materialized)
        given = materialized is not ABSENT or isinstance(consumed, Materialized)
        if given and not kept.queryable:
            raise IllegalArgumentException(
                f'global table of topic "{topic}" is materialized without a name',
                detail="Kafka Streams takes a Materialized here only if it names the store.",
                hint='Add a name: Materialized.as_("...").',
            )
        if kept.versioned:
            raise TopologyException(
                f'global table of topic "{topic}" cannot be versioned',
                hint="Materialize it in a plain key-value store.",
            )
        names = self._graph.names
        settings = TableSettings(store=kept.name)
        source_name = names.suffixed(_STREAM, how.name, "-source")
        self._graph.add(
            GlobalStoreAddition(
                name=names.operator(_TABLE, how.name),
                builder=KeyValueTableBuilder(kept),
                source_name=source_name,
                topic=topic,
                consumed=how,
                supplier=partial(TableSource, settings=settings),
                named=kept.queryable,
            )
        )
        return GlobalKTable(kept.name)

    def addStateStore(self, builder: StoreBuilder[Any]) -> StreamsBuilder:
        """Add a store for ``process`` and ``processValues`` to be connected to."""
        checked_store_builder(not_none(builder, "builder"))
        self._graph.add(StoreAddition(name=builder.name(), builder=builder))
        return self

    def addGlobalStore(
        self,
        storeBuilder: StoreBuilder[Any],
        topic: str,
        consumed: Consumed[Any, Any],
        stateUpdateSupplier: Any,
    ) -> StreamsBuilder:
        """Add a store that every task sees whole, filled from ``topic`` by a processor.

        The store's changelog is the topic itself: logging is switched off.

        Raises:
            ClassCastException: An argument is of another type.
            IllegalArgumentException: The supplier is none, such as a processor.
        """
        checked_store_builder(storeBuilder)
        topic = checked_name(topic, "topic", _ONE_TOPIC)
        given: object = not_none(consumed, "consumed")
        if not isinstance(given, Consumed):
            raise ClassCastException(
                f"consumed cannot be {a_kind(given)}",
                hint="Give Consumed.with_(keySerde, valueSerde).",
            )
        not_none(stateUpdateSupplier, "stateUpdateSupplier")
        check_supplier(stateUpdateSupplier, "of addGlobalStore()", "a processor class")
        names = self._graph.names
        source_name = names.suffixed(_STREAM, consumed.name, "-source")
        self._graph.add(
            GlobalStoreAddition(
                name=names.operator(_TABLE, consumed.name),
                builder=storeBuilder,
                source_name=source_name,
                topic=topic,
                consumed=consumed,
                supplier=stateUpdateSupplier,
            )
        )
        return self

    def build(self, props: Any = None) -> Topology:
        """Return the topology of all that has been added; always the same object.

        Called again, it adds what has been added since.

        Args:
            props: The application's configuration, a mapping or a ``StreamsConfig``; the optimiser
                reads ``topology.optimization`` from it.

        Raises:
            TopologyException: Names clash, sources overlap, or joined streams are to be
                repartitioned to different numbers of partitions.
            PluginError: An operator of a plugin has the name of a method that there is.
        """
        for kind in (KStream, KTable, TimeWindowedKStream, SessionWindowedKStream):
            check_unhidden(kind)
        return self._writer.write(props)

    def _table_options(
        self, method: str, topic: str, consumed: Any, materialized: Any
    ) -> tuple[ResolvedMaterialized, Consumed[Any, Any]]:
        """Return the ``Materialized`` of a table and the ``Consumed`` of its topic."""
        how, chosen = sort_options(
            method, {"consumed": consumed, "materialized": materialized}, Consumed, Materialized
        )
        if how is None and chosen is not None:
            how = Consumed(key_serde=chosen.key_serde, value_serde=chosen.value_serde)
        how = how or Consumed()
        chosen = (chosen or Materialized()).withKeySerde(how.key_serde)
        chosen = chosen.withValueSerde(how.value_serde)
        kept = resolve_materialized(self._graph, chosen, f"{topic}-")
        return kept, how

    def _flow(self, node: int, name: str, source: str, how: Consumed[Any, Any]) -> Flow:
        return Flow(
            graph=self._graph,
            node=node,
            name=name,
            key_serde=how.key_serde,
            value_serde=how.value_serde,
            sources=frozenset({source}),
        )


def _topic_names(topics: str | Collection[str]) -> tuple[str, ...]:
    hint = "Give one name, several names, or a compiled pattern."
    if isinstance(topics, str):
        return (plain_text(topics),)
    if isinstance(not_none(topics, "topics"), bytes) or not isinstance(topics, Iterable):
        raise ClassCastException(f"topics cannot be {a_kind(topics)}", hint=hint)
    return tuple(dict.fromkeys(checked_name(name, "topic", hint) for name in topics))
