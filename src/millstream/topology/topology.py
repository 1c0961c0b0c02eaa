"""``Topology``: the Processor API's graph of sources, processors, stores and sinks."""

from __future__ import annotations

import re
from typing import Any

from millstream.core.errors import IllegalArgumentException
from millstream.core.plan import Plan
from millstream.core.serdes import Deserializer, Serializer
from millstream.core.timestamps import TimestampExtractor
from millstream.topology.builder import TopologyBuilder
from millstream.topology.checks import not_none
from millstream.topology.describe import TopologyDescription
from millstream.topology.options import AutoOffsetReset


class Topology:
    """A graph that a host runs: ``TopologyTestDriver`` or ``KafkaStreams``.

    Nodes are added parents first; every method returns the topology, so calls chain.

    Example:
        >>> topology = Topology().addSource("in", "words").addSink("out", "copies", "in")
        >>> print(topology.describe())  # doctest: +NORMALIZE_WHITESPACE
        Topologies:
           Sub-topology: 0
            Source: in (topics: [words])
              --> out
            Sink: out (topic: copies)
              <-- in

    Source: ``org.apache.kafka.streams.Topology``.
    """

    def __init__(self, config: Any = None) -> None:
        self.config = config
        self.builder = TopologyBuilder()

    def addSource(self, *arguments: Any) -> Topology:
        """Add a source of topics.

        ``addSource([AutoOffsetReset,] [TimestampExtractor,] name, [TimestampExtractor,]
        [keyDeserializer, valueDeserializer,] topic, ...)``; instead of topics, one compiled pattern
        that whole topic names must match. Without deserializers the defaults of the configuration
        are used.

        Raises:
            TopologyException: The name is taken, no topic is given, or another source reads it.
        """
        rest: list[Any] = list(arguments)
        found: dict[str, Any] = {}
        while rest and not isinstance(rest[0], str | None):
            _take(rest, found, TimestampExtractor)
        name = rest.pop(0) if rest else None
        if rest and _is_extractor(rest[0], TimestampExtractor):
            found["timestamp_extractor"] = rest.pop(0)
        if len(rest) >= 2 and isinstance(rest[0], Deserializer | None):
            found["key_deserializer"], found["value_deserializer"] = rest.pop(0), rest.pop(0)
        by_pattern = len(rest) == 1 and isinstance(rest[0], re.Pattern)
        topics = rest[0] if by_pattern else [not_none(topic, "topic") for topic in rest]
        self.builder.add_source(not_none(name, "name"), topics, **found)
        return self

    def addProcessor(self, name: str, supplier: Any, *parentNames: str) -> Topology:
        """Add a processor below its parents.

        ``supplier`` is a ``ProcessorSupplier``, a processor class, or any callable without
        arguments that returns a new processor each time.

        Raises:
            TopologyException: The name is taken, or a parent is missing, unknown or a sink.
        """
        self.builder.add_processor(name, supplier, parentNames)
        return self

    def addSink(self, name: str, topic: Any, *arguments: Any) -> Topology:
        """Add a sink below its parents.

        ``addSink(name, topic or TopicNameExtractor, [keySerializer, valueSerializer,]
        [StreamPartitioner,] parentName, ...)``.

        Raises:
            TopologyException: The name is taken, or a parent is missing, unknown or a sink.
        """
        rest: list[Any] = list(arguments)
        found: dict[str, Any] = {}
        if len(rest) >= 2 and isinstance(rest[0], Serializer | None):
            found["key_serializer"], found["value_serializer"] = rest.pop(0), rest.pop(0)
        if rest and not isinstance(rest[0], str):
            found["partitioner"] = rest.pop(0)
        self.builder.add_sink(name, topic, parents=rest, **found)
        return self

    def addStateStore(self, storeBuilder: Any, *processorNames: str) -> Topology:
        """Add a store and connect processors to it.

        Raises:
            TopologyException: Another store has that name, or a processor is unknown.
        """
        self.builder.add_state_store(storeBuilder, processorNames)
        return self

    def connectProcessorAndStateStores(self, processorName: str, *stateStoreNames: str) -> Topology:
        """Give a processor access to stores that have been added.

        Raises:
            TopologyException: The processor or a store is unknown, or no store is named.
        """
        self.builder.connect(processorName, stateStoreNames)
        return self

    def describe(self) -> TopologyDescription:
        """Return the nodes and their order; ``str()`` of it is Kafka Streams' text."""
        return TopologyDescription(self.builder.plan())

    def plan(self) -> Plan:
        """Return what a host needs to make tasks."""
        return self.builder.plan()


def _take(rest: list[Any], found: dict[str, Any], extractor: type) -> None:
    argument = rest.pop(0)
    if isinstance(argument, AutoOffsetReset):
        found["offset_reset"] = argument
    elif _is_extractor(argument, extractor):
        found["timestamp_extractor"] = argument
    else:
        raise IllegalArgumentException(
            f"addSource does not take a {type(argument).__name__} before the name",
            hint="Only an AutoOffsetReset and a TimestampExtractor may stand there.",
        )


def _is_extractor(argument: Any, extractor: type) -> bool:
    if isinstance(argument, extractor) or hasattr(argument, "extract"):
        return True
    return callable(argument) and not isinstance(argument, str | re.Pattern | Deserializer)
