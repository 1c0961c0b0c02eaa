"""The graph's nodes of topics of our own whose records are more than a key and a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from millstream.core.timestamps import FailOnInvalidTimestamp
from millstream.topology.builder import TopologyBuilder
from millstream.topology.graph.changed import ChangeSerde
from millstream.topology.graph.nodes import Node
from millstream.topology.operators.table_settings import TableSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalSink(Node):
    """The writing end of an internal topic."""

    topic: str
    key_serde: Any
    value_serde: Any
    partitioner: Any = None
    repeats: Any = None
    """Makes, for each task, what tells which records need not be sent; None: all are sent."""

    def write(
        self, topology: TopologyBuilder, parents: Sequence[str], settings: TableSettings
    ) -> None:
        topology.add_internal_topic(self.topic, None)
        _add_sink(topology, self.name, self, parents)


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalSource(Node):
    """The reading end of an internal topic."""

    topic: str
    key_serde: Any
    value_serde: Any

    def write(
        self, topology: TopologyBuilder, parents: Sequence[str], settings: TableSettings
    ) -> None:
        _add_source(topology, self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRepartition(InternalSource):
    """Both ends of the topic through which a regrouped table goes; updates keep old values."""

    sink_name: str
    named: bool = False
    """The user gave the topic's name."""

    def write(
        self, topology: TopologyBuilder, parents: Sequence[str], settings: TableSettings
    ) -> None:
        topology.add_internal_topic(self.topic, None)
        _add_sink(topology, self.sink_name, self, parents)
        _add_source(topology, self)


def table_repartition(
    name: str, sink_name: str, topic: str, key_serde: Any, value_serde: Any, *, named: bool
) -> TableRepartition:
    """Return the node for updates whose values have ``value_serde``."""
    return TableRepartition(
        name=name,
        sink_name=sink_name,
        topic=topic,
        key_serde=key_serde,
        value_serde=ChangeSerde(value_serde),
        named=named,
    )


def _add_sink(
    topology: TopologyBuilder,
    name: str,
    node: InternalSink | TableRepartition,
    parents: Sequence[str],
) -> None:
    topology.add_sink(
        name,
        node.topic,
        key_serializer=None if node.key_serde is None else node.key_serde.serializer(),
        value_serializer=node.value_serde.serializer(),
        partitioner=getattr(node, "partitioner", None),
        repeats=getattr(node, "repeats", None),
        parents=parents,
    )


def _add_source(topology: TopologyBuilder, node: InternalSource) -> None:
    topology.add_source(
        node.name,
        (node.topic,),
        key_deserializer=None if node.key_serde is None else node.key_serde.deserializer(),
        value_deserializer=node.value_serde.deserializer(),
        timestamp_extractor=FailOnInvalidTimestamp(),
    )
