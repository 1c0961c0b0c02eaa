"""Addition of a foreign-key join of two tables to the graph: its nodes and topics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from millstream.core.errors import IllegalArgumentException
from millstream.core.function_kinds import method_or_self
from millstream.core.serdes import Serdes
from millstream.core.state.identity import StoreIdentity
from millstream.topology.callables import JOINED
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.functions import plain, with_key
from millstream.topology.dsl.materialize import (
    KeyValueTableBuilder,
    ResolvedMaterialized,
    resolve_materialized,
)
from millstream.topology.dsl.options import Materialized, TableJoined
from millstream.topology.dsl.tables import add_table
from millstream.topology.graph.internal_topics import InternalSink, InternalSource
from millstream.topology.graph.names import Names
from millstream.topology.graph.nodes import (
    OldValues,
    TableReader,
    TableRole,
)
from millstream.topology.operators.foreign_key import ForeignKeyJoin
from millstream.topology.operators.foreign_key_left import Resolve, Subscribe
from millstream.topology.operators.foreign_key_right import (
    AnswerAll,
    AnswerSubscription,
    StoreSubscription,
)
from millstream.topology.operators.repeated_answers import RepeatedAnswers
from millstream.topology.operators.subscriptions import (
    AnswerPartitioner,
    ResponseSerde,
    SubscriptionSerde,
)
from millstream.topology.operators.table import TableSource

if TYPE_CHECKING:
    from millstream.topology.dsl.ktable import KTable

_JOIN = "KTABLE-FK-JOIN-"
_REGISTRATION = f"{_JOIN}SUBSCRIPTION-REGISTRATION-"
_PROCESSOR = f"{_JOIN}SUBSCRIPTION-PROCESSOR-"
_RESPONSE = f"{_JOIN}SUBSCRIPTION-RESPONSE-"
_RESOLVER = f"{_JOIN}SUBSCRIPTION-RESPONSE-RESOLVER-PROCESSOR-"
_OUTPUT = f"{_JOIN}OUTPUT-"
_STORE = f"{_JOIN}SUBSCRIPTION-STATE-STORE-"
_SINK = "KTABLE-SINK-"
_SOURCE = "KTABLE-SOURCE-"
_TOPIC = "-topic"


def join_by_foreign_key(
    left: Flow,
    right: Flow,
    extractor: Any,
    joiner: Any,
    *,
    left_join: bool,
    options: TableJoined[Any, Any],
    materialized: Materialized[Any, Any, Any] | None,
) -> KTable[Any, Any]:
    """Add the join and return its table.

    The nodes are added in the order in which Kafka Streams does: it decides all generated names.
    """
    graph, named = left.graph, partial(_named, left.graph.names, options.name)
    extract, extract_with_key = with_key(extractor, "foreignKeyExtractor")
    topic = named(_REGISTRATION, "-subscription-registration") + _TOPIC
    function = plain(joiner, "apply", "joiner", JOINED)
    # The processors need the store's name, which comes after some of theirs.
    send_name = named(_REGISTRATION, "-subscription-registration-processor")
    sink_name = named(_SINK, "-subscription-registration-sink")
    source_name = named(_SOURCE, "-subscription-registration-source")
    store_name = named(_STORE, "-subscription-store")
    store = SubscriptionStoreBuilder(
        ResolvedMaterialized(_subscription_store(graph.settings), store_name, False)
    )
    join = ForeignKeyJoin(
        extract=extract,
        extract_with_key=extract_with_key,
        joiner=function,
        left=left_join,
        topic=topic,
        store=store_name,
        key_serde=left.key_serde,
        value_serde=left.value_serde,
        foreign_key_serde=right.key_serde,
    )
    send = TableReader(
        name=send_name, supplier=partial(Subscribe, join), old_values=OldValues.NEEDED
    )
    subscriptions = {
        "topic": topic,
        "key_serde": right.key_serde,
        "value_serde": SubscriptionSerde(topic, left.key_serde),
    }
    sink = InternalSink(
        name=sink_name, partitioner=_by_key(options.other_partitioner), **subscriptions
    )
    source = InternalSource(name=source_name, **subscriptions)
    graph.copartitioned.append(right.sources | {source_name})
    receive, answer, answer_all = _right_side(join, store, right, named)
    # The right table's old values are demanded before the left one's.
    received = left.then(send).then(sink).then(source).then(receive)
    answers = received.add(answer), right.add(answer_all)
    read = _add_responses(left, right, answers, options)
    resolve = TableReader(
        name=named(_RESOLVER, "-subscription-response-resolver"),
        supplier=partial(Resolve, join),
        reads=(left.node,),
    )
    name = named(_OUTPUT, "-result")
    kept = resolve_materialized(graph, materialized, _OUTPUT, key_serde=left.key_serde)
    return add_table(read.then(resolve), kept, name, TableSource, TableRole.TOPIC)


def _right_side(
    join: ForeignKeyJoin, store: Any, right: Flow, named: Callable[[str, str], str]
) -> tuple[TableReader, TableReader, TableReader]:
    """Return the nodes that store a subscription, answer it, and answer all at an update."""
    receive = TableReader(
        name=named(_PROCESSOR, "-subscription-receive"),
        supplier=partial(StoreSubscription, join),
        stores=(store,),
    )
    answer = TableReader(
        name=named(_PROCESSOR, "-subscription-join-foreign"),
        supplier=partial(AnswerSubscription, join),
        reads=(right.node,),
    )
    answer_all = TableReader(
        name=named(_PROCESSOR, "-foreign-join-subscription"),
        supplier=partial(AnswerAll, join),
        stores=(store,),
        old_values=OldValues.NEEDED,
    )
    return receive, answer, answer_all


def _add_responses(
    left: Flow, right: Flow, answers: tuple[int, int], options: TableJoined[Any, Any]
) -> Flow:
    """Add the topic of the responses, which two nodes write; return the flow that reads it."""
    graph, named = left.graph, partial(_named, left.graph.names, options.name)
    responses = {
        "topic": named(_RESPONSE, "-subscription-response") + _TOPIC,
        "key_serde": left.key_serde,
        "value_serde": ResponseSerde(right.value_serde),
    }
    sink = InternalSink(
        name=named(_SINK, "-subscription-response-sink"),
        partitioner=_by_key(options.partitioner) or AnswerPartitioner(),
        repeats=RepeatedAnswers,
        **responses,
    )
    source = InternalSource(name=named(_SOURCE, "-subscription-response-source"), **responses)
    sources = left.sources | {source.name}
    graph.copartitioned.append(sources)
    node = graph.add(source, graph.add(sink, *answers))
    return Flow(graph=graph, node=node, name=source.name, sources=sources)


def _named(names: Names, given: str | None, prefix: str, suffix: str) -> str:
    """Return a name made of the user's, or a numbered one."""
    return names.suffixed(prefix, given, suffix)


class SubscriptionStoreBuilder(KeyValueTableBuilder):
    """The store of subscriptions, whose changelog has headers in any store format, as in Kafka."""

    __slots__ = ()

    def plain_builder(self) -> Any:
        """Return the builder of a timestamped store."""
        return KeyValueTableBuilder.plain_builder(self).with_headers_logged()

    def identity(self) -> StoreIdentity | None:
        """Return what the bytes mean: keys begin with the foreign key."""
        found = KeyValueTableBuilder.identity(self)
        if found is None:
            return None
        return replace(found, layout={**found.layout, "subscriptions": True})


def _subscription_store(settings: Any) -> Materialized[Any, Any, Any]:
    """Return the kind of the store of subscriptions; the processors serialize what it has."""
    suppliers = None if settings is None else settings.resolveDslStoreSuppliers()
    return Materialized(
        dsl_store_suppliers=suppliers,
        key_serde=Serdes.Bytes(),
        value_serde=Serdes.Bytes(),
        caching_enabled=False,
    )


def _by_key(partitioner: Any) -> _ByKey | None:
    return None if partitioner is None else _ByKey(partitioner)


@dataclass(frozen=True, slots=True)
class _ByKey:
    """A user's partitioner, which is given no value: subscriptions and answers are internal."""

    partitioner: Any

    def __call__(self, topic: str, key: Any, value: Any, partitions: int) -> Any:
        choose = method_or_self(self.partitioner, "partitions")
        chosen = choose(topic, key, None, partitions)
        if chosen is not None and not isinstance(chosen, int) and len(chosen) != 1:
            raise IllegalArgumentException(
                "a partitioner of a foreign-key join must choose one partition",
                detail=f'It chose {sorted(chosen)} for topic "{topic}".',
                hint="Return a set of one partition, or None for the default one.",
            )
        return chosen
