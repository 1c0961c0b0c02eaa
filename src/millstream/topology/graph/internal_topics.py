"""Graph nodes of internal topics: repartition topics, and those of foreign-key joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from millstream.core.timestamps import FailOnInvalidTimestamp
from millstream.topology.builder import TopologyBuilder
from millstream.topology.graph.endpoints import deserializers_of, serializers_of
from millstream.topology.graph.nodes import Node, NodeInputs
from millstream.topology.operators.stateless import Filter, accept_all, key_is_not_none
from millstream.topology.supplied import Supplied


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalTopic(Node):
    """A topic of the application's own between two sub-topologies; ``name`` is its source's."""

    topic: str
    key_serde: Any
    value_serde: Any
    partitioner: Any = None
    partitions: int | None = None
    """None: as many as the topics above have."""
    repeats: Any = None
    """Makes, for each task, what tells which records need not be sent; None: all are sent."""

    def add_sink(self, topology: TopologyBuilder, name: str, parents: Sequence[str]) -> None:
        """Add the topic and the sink that writes it."""
        topology.add_internal_topic(self.topic, self.partitions)
        keys, values = serializers_of(self.key_serde, self.value_serde, self._shown())
        topology.add_sink(
            name,
            self.topic,
            key_serializer=keys,
            value_serializer=values,
            partitioner=self.partitioner,
            repeats=self.repeats,
            parents=parents,
        )

    def add_source(self, topology: TopologyBuilder) -> None:
        """Add the source that reads the topic."""
        keys, values = deserializers_of(self.key_serde, self.value_serde, self._shown())
        topology.add_source(
            self.name,
            (self.topic,),
            key_deserializer=keys,
            value_deserializer=values,
            timestamp_extractor=FailOnInvalidTimestamp(),
        )

    def _shown(self) -> str:
        return f'internal topic "{self.topic}"'


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalSink(InternalTopic):
    """The writing end of an internal topic."""

    def write(self, given: NodeInputs) -> None:
        self.add_sink(given.topology, self.name, given.parents)


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalSource(InternalTopic):
    """The reading end of an internal topic."""

    def write(self, given: NodeInputs) -> None:
        self.add_source(given.topology)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRepartition(InternalTopic):
    """Both ends of the topic of a regrouped table, whose updates have old values as well."""

    sink_name: str
    named: bool = False
    """The user gave the topic's name."""

    def write(self, given: NodeInputs) -> None:
        self.add_sink(given.topology, self.sink_name, given.parents)
        self.add_source(given.topology)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repartition(TableRepartition):
    """Both ends of the topic of a stream whose keys have changed, and a filter before them."""

    filter_name: str
    movable: bool = True
    """The graph made it, so that the optimiser may merge it with others."""
    drops_null_keys: bool = True

    def write(self, given: NodeInputs) -> None:
        keep = partial(Filter, key_is_not_none if self.drops_null_keys else accept_all)
        given.topology.add_processor(self.filter_name, Supplied(keep), given.parents)
        TableRepartition.write(self, replace(given, parents=[self.filter_name]))
