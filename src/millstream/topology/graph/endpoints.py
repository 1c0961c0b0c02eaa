"""Graph nodes of sources, sinks and the user's own stores."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from millstream.core.serdes import WindowedSerializer
from millstream.core.serdes.checks import deserializer_of, serializer_of
from millstream.topology.builder import TopologyBuilder
from millstream.topology.dsl.options import Consumed, Produced
from millstream.topology.graph.nodes import Node, NodeInputs, TableOperation
from millstream.topology.graph.windowed_partitioner import WindowedPartitioner


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSource(Node):
    """Topics, or a pattern, read as a stream."""

    topics: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    consumed: Consumed[Any, Any]

    def write(self, given: NodeInputs) -> None:
        _add_source(given.topology, self.name, self.pattern or self.topics, self.consumed)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicTable(TableOperation):
    """A topic read as a table."""

    source_name: str
    topic: str
    consumed: Consumed[Any, Any]
    reuses_topic: bool = False
    """The topic is the changelog of the table's store."""

    def write(self, given: NodeInputs) -> None:
        _add_source(given.topology, self.source_name, (self.topic,), self.consumed)
        node = self
        if self.reuses_topic:
            node = replace(self, store=self.store.withLoggingDisabled())
        TableOperation.write(node, replace(given, parents=(self.source_name,)))
        if self.reuses_topic and given.settings.store is not None:
            given.topology.use_source_topic(given.settings.store, self.topic)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink(Node):
    """A topic, or a choice of topic, written to."""

    target: Any
    """A topic's name, or an extractor."""
    produced: Produced[Any, Any]

    def write(self, given: NodeInputs) -> None:
        serdes = self.produced.key_serde, self.produced.value_serde
        key_serializer, value_serializer = serializers_of(
            *serdes, f'sink "{self.name}": of Produced, or of an operator above'
        )
        partitioner = self.produced.partitioner
        if partitioner is None and isinstance(key_serializer, WindowedSerializer):
            partitioner = WindowedPartitioner(key_serializer)
        given.topology.add_sink(
            self.name,
            self.target,
            key_serializer=key_serializer,
            value_serializer=value_serializer,
            partitioner=partitioner,
            parents=given.parents,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreAddition(Node):
    """A store of the user's own, for processors to be connected to."""

    builder: Any

    def write(self, given: NodeInputs) -> None:
        given.topology.add_state_store(self.builder)


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalStoreAddition(Node):
    """A store that every task sees whole, filled by a processor of the user's."""

    builder: Any
    source_name: str
    topic: str
    consumed: Consumed[Any, Any]
    supplier: Any
    named: bool = True
    """The user gave the store's name."""

    def write(self, given: NodeInputs) -> None:
        given.topology.add_global_store(
            self.builder.withLoggingDisabled(),
            self.source_name,
            self.topic,
            self.name,
            self.supplier,
            **_reading(self.consumed, self.source_name),
        )


def _add_source(
    topology: TopologyBuilder, name: str, topics: Any, consumed: Consumed[Any, Any]
) -> None:
    """Add a source that reads as ``consumed`` says."""
    topology.add_source(
        name, topics, offset_reset=consumed.offset_reset, **_reading(consumed, name)
    )


def serializers_of(key_serde: Any, value_serde: Any, owner: str) -> tuple[Any, Any]:
    """Return the serializers of two serdes; None, for the application's default, if one is None.

    Raises:
        ClassCastException: A serde returns something else.
    """
    return _halves(serializer_of, key_serde, value_serde, owner)


def deserializers_of(key_serde: Any, value_serde: Any, owner: str) -> tuple[Any, Any]:
    """Return the deserializers of two serdes, as ``serializers_of`` does."""
    return _halves(deserializer_of, key_serde, value_serde, owner)


def _halves(half_of: Any, key_serde: Any, value_serde: Any, owner: str) -> tuple[Any, Any]:
    serdes = (("key", key_serde), ("value", value_serde))
    key, value = (
        None if serde is None else half_of(serde, f"the {role} serde of {owner}")
        for role, serde in serdes
    )
    return key, value


def _reading(consumed: Consumed[Any, Any], source: str) -> dict[str, Any]:
    serdes = consumed.key_serde, consumed.value_serde
    keys, values = deserializers_of(*serdes, f'source "{source}": of Consumed, or of Materialized')
    return {
        "key_deserializer": keys,
        "value_deserializer": values,
        "timestamp_extractor": consumed.timestamp_extractor,
    }
