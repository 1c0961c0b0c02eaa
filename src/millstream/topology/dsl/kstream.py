"""``KStream``: an unbounded stream of records."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, overload

from millstream.core.errors import ClassCastException
from millstream.core.keyvalue import KeyValue
from millstream.core.partitioning import TopicNameExtractor
from millstream.core.processor import (
    FixedKeyProcessor,
    FixedKeyProcessorSupplier,
    Processor,
    ProcessorSupplier,
)
from millstream.core.wording import a_kind, plain_text
from millstream.topology.callables import CHOSEN_TOPIC, KEY_VALUE
from millstream.topology.checks import not_none
from millstream.topology.dsl.arguments import (
    ABSENT,
    given_name,
    name_and_store,
    says_cannot,
    sort_options,
)
from millstream.topology.dsl.declared_operators import StreamOperators
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.frame_outputs import StreamFrames
from millstream.topology.dsl.functions import (
    ForeachAction,
    KeyValueMapper,
    Predicate,
    ValueMapper,
    ValueMapperWithKey,
    plain,
    with_key,
)
from millstream.topology.dsl.grouped import KGroupedStream
from millstream.topology.dsl.kstream_joins import StreamJoins
from millstream.topology.dsl.materialize import resolve_materialized
from millstream.topology.dsl.options import (
    Grouped,
    Materialized,
    Named,
    Printed,
    Produced,
    Repartitioned,
)
from millstream.topology.dsl.options.checks import checked_function
from millstream.topology.dsl.plugged import plugged
from millstream.topology.dsl.tables import add_table, serdes_of
from millstream.topology.dsl.type_vars import K2, V2, K, V
from millstream.topology.graph.endpoints import Sink
from millstream.topology.graph.nodes import Operation, TableRole
from millstream.topology.graph.repartition import repartition_node
from millstream.topology.operators import stateless
from millstream.topology.operators.printing import Print
from millstream.topology.operators.table import TableSource
from millstream.topology.supplied import Supplied, check_fresh

if TYPE_CHECKING:
    from millstream.topology.dsl.branched import BranchedKStream
    from millstream.topology.dsl.ktable import KTable


Accepts = Predicate[K, V] | Callable[[K, V], bool]
MapsPair = KeyValueMapper[K, V, K2] | Callable[[K, V], K2]
# One alias for each number of parameters, and an overload for each alias: of a union of both a
# type checker takes one by chance, and then refuses a lambda of the other.
MapsOne = ValueMapper[V, V2] | Callable[[V], V2]
MapsBoth = ValueMapperWithKey[K, V, V2] | Callable[[K, V], V2]
MapsValue = MapsBoth[K, V, V2] | MapsOne[V, V2]
Acts = ForeachAction[K, V] | Callable[[K, V], object]
Pair = KeyValue[K2, V2] | tuple[K2, V2]


@says_cannot
class KStream(StreamJoins[K, V], StreamOperators[K, V], StreamFrames):
    """Records, each a fact of its own; made by ``StreamsBuilder.stream`` and by other streams.

    Every method adds an operation and leaves this stream as it is. Functions are called with plain
    keys and values, which they must not change. ``named`` names the operation. Wherever a function
    is None, ``NullPointerException`` is raised, also for other arguments that are None.

    Operations that may change keys make the next grouping or join write a repartition topic.

    Example:
        >>> from millstream.topology.dsl.streams_builder import StreamsBuilder
        >>> lines = StreamsBuilder().stream("lines")
        >>> words = lines.flatMapValues(str.split)
        >>> words.filter(lambda key, word: len(word) > 3).to("long-words")

    Source: ``kstream.KStream``.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._flow.name!r})"

    if not TYPE_CHECKING:
        # Hidden from type checkers, for which any name would then be a method.
        def __getattr__(self, name: str) -> Any:
            """Return an operator that a plugin offers under this name."""
            return plugged(self, name, KStream)

    def filter(self, predicate: Accepts[K, V], named: Named = ABSENT) -> KStream[K, V]:
        """Keep the records that the predicate accepts."""
        test = plain(predicate, "test", "predicate", KEY_VALUE)
        return self._then("filter", "KSTREAM-FILTER-", named, partial(stateless.Filter, test))

    def filterNot(self, predicate: Accepts[K, V], named: Named = ABSENT) -> KStream[K, V]:
        """Keep the records that the predicate does not accept."""
        test = plain(predicate, "test", "predicate", KEY_VALUE)
        supplier = partial(stateless.Filter, test, negate=True)
        return self._then("filterNot", "KSTREAM-FILTER-", named, supplier)

    def selectKey(self, mapper: MapsPair[K, V, K2], named: Named = ABSENT) -> KStream[K2, V]:
        """Give each record the key that the mapper makes of key and value."""
        function = plain(mapper, "apply", "mapper", KEY_VALUE)
        supplier = partial(stateless.SelectKey, function)
        return self._then("selectKey", "KSTREAM-KEY-SELECT-", named, supplier, new_key=True)

    def map(self, mapper: MapsPair[K, V, Pair[K2, V2]], named: Named = ABSENT) -> KStream[K2, V2]:
        """Replace each record by the ``KeyValue``, or tuple of two, that the mapper returns."""
        function = plain(mapper, "apply", "mapper", KEY_VALUE)
        supplier = partial(stateless.Map, function)
        return self._then("map", "KSTREAM-MAP-", named, supplier, new_key=True, new_value=True)

    def flatMap(
        self, mapper: MapsPair[K, V, Iterable[Pair[K2, V2]]], named: Named = ABSENT
    ) -> KStream[K2, V2]:
        """Replace each record by all the pairs, none or many, that the mapper returns."""
        function = plain(mapper, "apply", "mapper", KEY_VALUE, many=True)
        supplier = partial(stateless.FlatMap, function)
        prefix = "KSTREAM-FLATMAP-"
        return self._then("flatMap", prefix, named, supplier, new_key=True, new_value=True)

    @overload
    def mapValues(self, mapper: MapsOne[V, V2], named: Named = ABSENT) -> KStream[K, V2]: ...
    @overload
    def mapValues(self, mapper: MapsBoth[K, V, V2], named: Named = ABSENT) -> KStream[K, V2]: ...
    def mapValues(self, mapper: MapsValue[K, V, V2], named: Named = ABSENT) -> KStream[K, V2]:
        """Replace each value; a mapper with two parameters is given key and value."""
        function, keyed = with_key(mapper, "mapper")
        supplier = partial(stateless.MapValues, function, with_key=keyed)
        return self._then("mapValues", "KSTREAM-MAPVALUES-", named, supplier, new_value=True)

    @overload
    def flatMapValues(
        self, mapper: MapsOne[V, Iterable[V2]], named: Named = ABSENT
    ) -> KStream[K, V2]: ...
    @overload
    def flatMapValues(
        self, mapper: MapsBoth[K, V, Iterable[V2]], named: Named = ABSENT
    ) -> KStream[K, V2]: ...
    def flatMapValues(
        self, mapper: MapsValue[K, V, Iterable[V2]], named: Named = ABSENT
    ) -> KStream[K, V2]:
        """Replace each value by all the values, none or many, that the mapper returns.

        A mapper with two parameters is given key and value.
        """
        function, keyed = with_key(mapper, "mapper", many=True)
        supplier = partial(stateless.FlatMapValues, function, with_key=keyed)
        prefix = "KSTREAM-FLATMAPVALUES-"
        return self._then("flatMapValues", prefix, named, supplier, new_value=True)

    def peek(self, action: Acts[K, V], named: Named = ABSENT) -> KStream[K, V]:
        """Show each record to an action and pass it on."""
        function = plain(action, "apply", "action", KEY_VALUE)
        return self._then("peek", "KSTREAM-PEEK-", named, partial(stateless.Peek, function))

    def foreach(self, action: Acts[K, V], named: Named = ABSENT) -> None:
        """Show each record to an action; nothing comes after it."""
        function = plain(action, "apply", "action", KEY_VALUE)
        supplier = partial(stateless.ForEach, function)
        self._flow.add(self._operation("foreach", "KSTREAM-FOREACH-", named, supplier))

    def print(self, printed: Printed[K, V]) -> None:
        """Write a line for each record to standard output or a file, where the task runs."""
        (how,) = sort_options("print", {"printed": printed}, Printed)
        name = self._flow.graph.names.operator("KSTREAM-PRINTER-", how.name)
        label = self._flow.name if how.label is None else how.label
        mapper = None if how.mapper is None else plain(how.mapper, "apply", "mapper", KEY_VALUE)
        supplier = partial(Print, label, how.file_path, mapper)
        self._flow.add(Operation(name=name, supplier=Supplied(supplier)))

    def merge(self, stream: KStream[K, V], named: Named = ABSENT) -> KStream[K, V]:
        """Put the records of another stream among these, in no promised order."""
        not_none(stream, "otherStream")
        if not isinstance(stream, KStream):
            raise ClassCastException(
                f"cannot merge a stream with {a_kind(stream)}",
                hint="Call toStream() on a table first.",
            )
        mine, other = self._flow, self._flow.meeting(stream._flow)
        node = self._operation("merge", "KSTREAM-MERGE-", named, stateless.PassThrough, merges=True)
        return KStream(
            Flow(
                graph=mine.graph,
                node=mine.graph.add(node, mine.node, other.node),
                name=node.name,
                sources=mine.sources | other.sources,
                repartition_required=mine.repartition_required or other.repartition_required,
            )
        )

    def split(self, named: Named = ABSENT) -> BranchedKStream[K, V]:
        """Send each record down the first branch whose predicate accepts it."""
        from millstream.topology.dsl.branched import BranchedKStream

        return BranchedKStream(self._flow, given_name("split", named))

    def repartition(self, repartitioned: Repartitioned[K, V] = ABSENT) -> KStream[K, V]:
        """Write the records to a topic of the application's own, by key, and read them back.

        Records without a key are dropped. Keys are written with the default serde unless
        ``repartitioned`` has one, whatever serde they came with.
        """
        (how,) = sort_options("repartition", {"repartitioned": repartitioned}, Repartitioned)
        how = how or Repartitioned()
        flow = self._flow
        name = how.name
        if name is None:
            name = flow.graph.names.operator("KSTREAM-REPARTITION-")
        key_serde = flow.key_serde if how.key_serde is None else how.key_serde
        value_serde = flow.value_serde if how.value_serde is None else how.value_serde
        node = repartition_node(
            flow.graph.names,
            name,
            # Kafka Streams inherits the value's serde here and not the key's.
            key_serde=how.key_serde,
            value_serde=value_serde,
            partitioner=how.partitioner,
            partitions=how.number_of_partitions,
            movable=False,
            named=how.name is not None,
        )
        return KStream(
            flow.then(
                node,
                key_serde=key_serde,
                value_serde=value_serde,
                sources=frozenset({node.name}),
                repartition_required=False,
            )
        )

    def to(
        self,
        topic: str | TopicNameExtractor[K, V] | Callable[[K, V, Any], str],
        produced: Produced[K, V] = ABSENT,
    ) -> None:
        """Write the records to a topic, or each to the topic that an extractor chooses.

        The topics have to exist.
        """
        if isinstance(not_none(topic, "topic"), str):
            topic = plain_text(topic)
        else:
            checked_function(topic, "extract", "topicExtractor", CHOSEN_TOPIC)
        (how,) = sort_options("to", {"produced": produced}, Produced)
        how = how or Produced()
        flow = self._flow
        if how.key_serde is None:
            how = how.withKeySerde(flow.key_serde)
        if how.value_serde is None:
            how = how.withValueSerde(flow.value_serde)
        name = flow.graph.names.operator("KSTREAM-SINK-", how.name)
        flow.add(Sink(name=name, target=topic, produced=how))

    def toTable(
        self,
        named: Named | Materialized[K, V, Any] = ABSENT,
        materialized: Materialized[K, V, Any] = ABSENT,
    ) -> KTable[K, V]:
        """Read the records as updates of a table: ``toTable([named][, materialized])``."""
        given, how = name_and_store("toTable", named, materialized)
        flow, names, prefix = self._flow, self._flow.graph.names, "KSTREAM-TOTABLE-"
        name = names.operator(prefix, given)
        serdes = {"key_serde": flow.key_serde, "value_serde": flow.value_serde}
        kept = resolve_materialized(flow.graph, how, prefix, **serdes)
        if flow.repartition_required:
            node = repartition_node(names, name, **serdes_of(kept), named=given is not None)
            flow = flow.then(node, sources=frozenset({node.name}), repartition_required=False)
        return add_table(flow, kept, name, TableSource, TableRole.TOPIC)

    def groupByKey(self, grouped: Grouped[K, V] = ABSENT) -> KGroupedStream[K, V]:
        """Bring equal keys together, through a repartition topic if the key has changed."""
        (how,) = sort_options("groupByKey", {"grouped": grouped}, Grouped)
        how = how or Grouped(key_serde=self._flow.key_serde, value_serde=self._flow.value_serde)
        return KGroupedStream(self._flow, how)

    def groupBy(
        self, keySelector: MapsPair[K, V, K2], grouped: Grouped[K2, V] = ABSENT
    ) -> KGroupedStream[K2, V]:
        """Give each record a new key and bring equal ones together, through a repartition topic."""
        (how,) = sort_options("groupBy", {"grouped": grouped}, Grouped)
        how = how or Grouped(value_serde=self._flow.value_serde)
        selector = plain(keySelector, "apply", "keySelector", KEY_VALUE)
        name = self._flow.graph.names.operator("KSTREAM-KEY-SELECT-", how.name)
        supplier = Supplied(partial(stateless.SelectKey, selector))
        node = Operation(name=name, supplier=supplier, changes_key=True)
        return KGroupedStream(self._flow.then(node, repartition_required=True), how)

    def process(
        self,
        processorSupplier: ProcessorSupplier[K, V, K2, V2] | Callable[[], Processor[K, V, K2, V2]],
        *stateStoreNames: str | Named,
        named: Named = ABSENT,
    ) -> KStream[K2, V2]:
        """Run a processor of your own: ``process(supplier, [named,] storeName, ...)``.

        Args:
            processorSupplier: A ``ProcessorSupplier``, a processor class, or a callable that
                returns a new processor each time.
            stateStoreNames: Stores, added before, that the processor may use.
            named: The name of the operation; may also come second.
        """
        node = self._processor(
            "process", "KSTREAM-PROCESSOR-", processorSupplier, stateStoreNames, named
        )
        return KStream(
            self._flow.then(node, key_serde=None, value_serde=None, repartition_required=True)
        )

    def processValues(
        self,
        processorSupplier: FixedKeyProcessorSupplier[K, V, V2]
        | Callable[[], FixedKeyProcessor[K, V, V2]],
        *stateStoreNames: str | Named,
        named: Named = ABSENT,
    ) -> KStream[K, V2]:
        """Run a ``FixedKeyProcessor`` of your own, which cannot change keys; see ``process``."""
        supplier = Supplied(not_none(processorSupplier, "processorSupplier"), fixed_key=True)
        node = self._processor(
            "processValues", "KSTREAM-PROCESSVALUES-", supplier, stateStoreNames, named
        )
        return KStream(self._flow.then(node, value_serde=None))

    def _processor(
        self,
        method: str,
        prefix: str,
        supplier: Any,
        stores: tuple[str | Named, ...],
        named: Named,
    ) -> Operation:
        not_none(supplier, "processorSupplier")
        check_fresh(supplier, f"of {method}()")
        if stores and isinstance(stores[0], Named):
            named, stores = stores[0], stores[1:]
        given = given_name(method, named)
        for store in stores:
            if not isinstance(not_none(store, "state store name"), str):
                raise ClassCastException(
                    f"{method}() does not take {a_kind(store)} as the name of a store"
                )
        # Unlike all other operations, a named processor takes no number.
        name = self._flow.graph.names.operator(prefix) if given is None else given
        return Operation(name=name, supplier=supplier, connected=tuple(map(plain_text, stores)))

    def _operation(
        self,
        method: str,
        prefix: str,
        named: Named,
        supplier: Callable[[], Any],
        **traits: Any,
    ) -> Operation:
        name = self._flow.graph.names.operator(prefix, given_name(method, named))
        return Operation(name=name, supplier=Supplied(supplier), **traits)

    def _then(
        self,
        method: str,
        prefix: str,
        named: Named,
        supplier: Callable[[], Any],
        *,
        new_key: bool = False,
        new_value: bool = False,
    ) -> KStream[Any, Any]:
        """Add an operation and return the stream of its results; new data have no serdes."""
        traits = {"changes_key": new_key, "changes_value": new_value}
        node = self._operation(method, prefix, named, supplier, **traits)
        changes: dict[str, Any] = {}
        if new_key:
            changes |= {"key_serde": None, "repartition_required": True}
        if new_value:
            changes["value_serde"] = None
        return KStream(self._flow.then(node, **changes))
