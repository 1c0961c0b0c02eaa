"""Joins of two tables by foreign key: the nodes and topics between the two sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from millstream.core.errors import IllegalArgumentException
from millstream.core.serdes import Serdes
from millstream.topology.dsl.callables import JOINED
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.functions import plain, with_key
from millstream.topology.dsl.materialize import (
    KeyValueTableBuilder,
    ResolvedMaterialized,
    resolve_materialized,
)
from millstream.topology.dsl.options import Materialized, TableJoined
from millstream.topology.graph.internal_topics import InternalSink, InternalSource
from millstream.topology.graph.nodes import (
    OldValues,
    StoreReader,
    TableOperation,
    TableReader,
    TableRole,
)
from millstream.topology.operators.foreign_key import (
    AnswerAll,
    AnswerSubscription,
    ForeignKeyJoin,
    KeepSubscription,
    Resolve,
    Subscribe,
)
from millstream.topology.operators.repeated_answers import RepeatedAnswers
from millstream.topology.operators.subscriptions import (
    ResponseSerde,
    SubscriptionSerde,
    answer_partition,
)
from millstream.topology.operators.table import TableSource

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
    keeps_left: bool,
    tables: TableJoined[Any, Any] | None,
    materialized: Materialized[Any, Any, Any] | None,
) -> tuple[Flow, str | None]:
    """Add the join; return where its result stands and the name of its store, if it has one."""
    extract, extract_with_key = with_key(extractor, "foreignKeyExtractor")
    build = _Build(left, right, tables or TableJoined())
    topic = build.name("-subscription-registration", _REGISTRATION) + _TOPIC
    join = partial(
        ForeignKeyJoin,
        extract=extract,
        extract_with_key=extract_with_key,
        joiner=plain(joiner, "apply", "joiner", JOINED),
        left=keeps_left,
        topic=topic,
        key_serde=left.key_serde,
        value_serde=left.value_serde,
        foreign_key_serde=right.key_serde,
    )
    return build.all(topic, join, materialized)


@dataclass(frozen=True, slots=True)
class _Build:
    """Adds the nodes in the order in which Kafka Streams does: it decides all generated names."""

    left: Flow
    right: Flow
    options: TableJoined[Any, Any]

    def name(self, suffix: str, prefix: str) -> str:
        """Return a name made of the user's, or a numbered one."""
        return self.left.graph.names.suffixed(prefix, self.options.name, suffix)

    def all(
        self,
        topic: str,
        make_join: Callable[..., ForeignKeyJoin],
        materialized: Materialized[Any, Any, Any] | None,
    ) -> tuple[Flow, str | None]:
        """Add everything."""
        graph, left, right = self.left.graph, self.left, self.right
        # The processors need the store's name, which comes after some of theirs.
        send_name = self.name("-subscription-registration-processor", _REGISTRATION)
        sink_name = self.name("-subscription-registration-sink", _SINK)
        source_name = self.name("-subscription-registration-source", _SOURCE)
        store = SubscriptionStoreBuilder(
            ResolvedMaterialized(_subscription_store(graph.settings), self.store_name(), False)
        )
        join = make_join(store=store.name())
        subscriptions = SubscriptionSerde(topic, left.key_serde)
        send = TableReader(
            name=send_name, supplier=partial(Subscribe, join), old_values=OldValues.NEEDED
        )
        sink = InternalSink(
            name=sink_name,
            topic=topic,
            key_serde=right.key_serde,
            value_serde=subscriptions,
            partitioner=_by_key(self.options.other_partitioner),
        )
        source = InternalSource(
            name=source_name, topic=topic, key_serde=right.key_serde, value_serde=subscriptions
        )
        graph.copartitioned.append(right.sources | {source_name})
        keep = StoreReader(
            name=self.name("-subscription-receive", _PROCESSOR),
            supplier=partial(KeepSubscription, join),
            store=store,
        )
        answer = TableReader(
            name=self.name("-subscription-join-foreign", _PROCESSOR),
            supplier=partial(AnswerSubscription, join),
            reads=(right.node,),
        )
        answer_all = StoreReader(
            name=self.name("-foreign-join-subscription", _PROCESSOR),
            supplier=partial(AnswerAll, join),
            store=store,
            old_values=OldValues.NEEDED,
        )
        # The right table's old values are demanded before the left one's.
        subscribed = left.then(send)
        kept = subscribed.then(sink).then(source).then(keep)
        answered = kept.add(answer), right.add(answer_all)
        return self._response(answered, join, materialized)

    def store_name(self) -> str:
        """Return the name of the store of subscriptions."""
        return self.name("-subscription-store", _STORE)

    def _response(
        self,
        answered: tuple[int, int],
        join: ForeignKeyJoin,
        materialized: Materialized[Any, Any, Any] | None,
    ) -> tuple[Flow, str | None]:
        """Add the way back from the right side to the left one, and the result."""
        graph, left = self.left.graph, self.left
        topic = self.name("-subscription-response", _RESPONSE) + _TOPIC
        responses = ResponseSerde(self.right.value_serde)
        sink = InternalSink(
            name=self.name("-subscription-response-sink", _SINK),
            topic=topic,
            key_serde=left.key_serde,
            value_serde=responses,
            partitioner=_by_key(self.options.partitioner) or answer_partition,
            repeats=RepeatedAnswers,
        )
        source = InternalSource(
            name=self.name("-subscription-response-source", _SOURCE),
            topic=topic,
            key_serde=left.key_serde,
            value_serde=responses,
        )
        read = graph.add(source, graph.add(sink, *answered))
        sources = left.sources | {source.name}
        graph.copartitioned.append(sources)
        resolve = TableReader(
            name=self.name("-subscription-response-resolver", _RESOLVER),
            supplier=partial(Resolve, join),
            reads=(left.node,),
        )
        resolved_row = graph.add(resolve, read)
        name = self.name("-result", _OUTPUT)
        kept = resolve_materialized(graph, materialized, _OUTPUT, key_serde=left.key_serde)
        node = TableOperation(
            name=name,
            processor=TableSource,
            role=TableRole.TOPIC,
            store=KeyValueTableBuilder(kept),
            queryable=kept.queryable,
            outputs_versioned=kept.versioned,
        )
        result = Flow(
            graph=graph,
            node=graph.add(node, resolved_row),
            name=name,
            key_serde=kept.materialized.key_serde,
            value_serde=kept.materialized.value_serde,
            sources=sources,
        )
        return result, kept.name if kept.queryable else None


class SubscriptionStoreBuilder(KeyValueTableBuilder):
    """The store of subscriptions, whose changelog has headers in any store format, as in Kafka."""

    __slots__ = ()

    def plain_builder(self) -> Any:
        """Return the builder of a timestamped store."""
        return KeyValueTableBuilder.plain_builder(self).with_headers_logged()


def _subscription_store(settings: Any) -> Materialized[Any, Any, Any]:
    """Return what kind of store keeps subscriptions: bytes by bytes, the processors know how."""
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
    """A user's partitioner, which does not get to see our values."""

    partitioner: Any

    def __call__(self, topic: str, key: Any, value: Any, partitions: int) -> Any:
        choose = getattr(self.partitioner, "partitions", self.partitioner)
        chosen = choose(topic, key, None, partitions)
        if chosen is not None and not isinstance(chosen, int) and len(chosen) != 1:
            raise IllegalArgumentException(
                "a partitioner of a foreign-key join must choose one partition",
                detail=f'It chose {sorted(chosen)} for topic "{topic}".',
                hint="Return a set of one partition, or None for the default one.",
            )
        return chosen
