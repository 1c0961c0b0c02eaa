"""``Topology``: the Processor API's graph of sources, processors, stores and sinks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from millstream.core.arguments import of_type
from millstream.core.config import TopologyConfig
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    NullPointerException,
)
from millstream.core.function_kinds import method_or_self
from millstream.core.plan import Plan
from millstream.core.serdes import Deserializer
from millstream.core.serdes.halves import checked_half, is_function
from millstream.core.timestamps import TimestampExtractor
from millstream.core.wording import a_kind, plain_text
from millstream.topology.builder import TopologyBuilder
from millstream.topology.checks import checked_store_builder, not_none, not_the_other_half
from millstream.topology.describe import TopologyDescription
from millstream.topology.dsl.arguments import ABSENT, says_cannot
from millstream.topology.dsl.options import AutoOffsetReset
from millstream.topology.dsl.options.auto_offset_reset import EarlierAutoOffsetReset
from millstream.topology.graph.frames import Frames
from millstream.topology.wrapping import wrapper_of

_CONFIG = "Give TopologyConfig(StreamsConfig(...))."


@says_cannot
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

    AutoOffsetReset: TypeAlias = EarlierAutoOffsetReset
    """As until Kafka 4.0; ``AutoOffsetReset`` has replaced it."""

    def __init__(self, topologyConfigs: Any = ABSENT) -> None:
        config = None if topologyConfigs is ABSENT else not_none(topologyConfigs, "topologyConfigs")
        of_type(config, TopologyConfig, "topologyConfigs", _CONFIG)
        self.config = config
        self.builder = TopologyBuilder(wrap=wrapper_of(config))
        self.frames = Frames()
        """DataFrames that stand for topics; only a ``StreamsBuilder`` adds some."""
        self.optimizations: frozenset[str] | None = None
        """What a ``StreamsBuilder`` has built it with; None if none has."""

    def _repr_svg_(self) -> str:
        """Return the drawing that a notebook shows."""
        return self.describe()._repr_svg_()

    def __repr__(self) -> str:
        return f"Topology({', '.join(self.builder.node_names())})"

    def addSource(self, *arguments: Any) -> Topology:
        """Add a source of topics.

        ``addSource([AutoOffsetReset,] [TimestampExtractor,] name, [TimestampExtractor,]
        [keyDeserializer, valueDeserializer,] topic, ...)``; instead of topics, one compiled pattern
        that whole topic names must match. Without deserializers the defaults of the configuration
        are used.

        Raises:
            ClassCastException: A serde or a serializer is where a deserializer belongs.
            TopologyException: The name is taken, no topic is given, or another source reads it.
        """
        rest: list[Any] = list(arguments)
        found: dict[str, Any] = {}
        if _lacks_reset_policy(rest):
            rest.pop(0)
        while rest and not isinstance(rest[0], str | None):
            _take(rest, found, TimestampExtractor)
        name = rest.pop(0) if rest else None
        run = _run_of_halves(rest, "deserialize")
        if rest and run != 2 and _is_extractor(rest[0], TimestampExtractor):
            found["timestamp_extractor"] = rest.pop(0)
        elif rest and run >= 3 and rest[0] is None:
            rest.pop(0)
        if _run_of_halves(rest, "deserialize") >= 2:
            found["key_deserializer"] = _half(rest.pop(0), "deserialize")
            found["value_deserializer"] = _half(rest.pop(0), "deserialize")
        for each in (*rest, *found.values()):
            not_the_other_half(each, "deserialize")
        by_pattern = len(rest) == 1 and isinstance(rest[0], re.Pattern)
        topics: Any = rest[0] if by_pattern else [_topic_name(topic) for topic in rest]
        self.builder.add_source(not_none(name, "name"), topics, **found)
        return self

    def addProcessor(self, name: str, supplier: Any, *parentNames: str) -> Topology:
        """Add a processor below its parents.

        ``supplier`` is a ``ProcessorSupplier``, a processor class, or any callable without
        arguments that returns a new processor each time.

        Raises:
            TopologyException: The name is taken, or a parent is missing, unknown or a sink.
        """
        not_none(supplier, "processorSupplier")
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
        if _run_of_halves(rest, "serialize") >= 2:
            found["key_serializer"] = _half(rest.pop(0), "serialize")
            found["value_serializer"] = _half(rest.pop(0), "serialize")
        if rest == [None]:
            raise NullPointerException("parent name cannot be null")
        for each in (*rest, *found.values()):
            not_the_other_half(each, "serialize")
        if rest and (rest[0] is None or callable(method_or_self(rest[0], "partitions"))):
            found["partitioner"] = rest.pop(0)
        not_none(name, "name")
        self.builder.add_sink(name, not_none(topic, "topic"), parents=rest, **found)
        return self

    def addStateStore(self, storeBuilder: Any, *processorNames: str) -> Topology:
        """Add a store and connect processors to it.

        Raises:
            TopologyException: Another store has that name, or a processor is unknown.
        """
        self.builder.add_state_store(storeBuilder, processorNames)
        return self

    def addGlobalStore(self, storeBuilder: Any, sourceName: str, *arguments: Any) -> Topology:
        """Add a store that every task sees whole, filled from a topic by one processor.

        ``addGlobalStore(storeBuilder, sourceName, [TimestampExtractor,] keyDeserializer,
        valueDeserializer, topic, processorName, supplier)``. The topic is the store's changelog:
        logging is switched off on the builder. The processor forwards nothing; every processor of
        the topology may read the store without being connected to it.

        Raises:
            TopologyException: A name is taken, or another source reads the topic.
        """
        found = _store_arguments("addGlobalStore", arguments)
        self.builder.add_global_store(
            storeBuilder,
            sourceName,
            found.topic,
            found.processor_name,
            found.supplier,
            key_deserializer=found.key_deserializer,
            value_deserializer=found.value_deserializer,
            timestamp_extractor=found.timestamp_extractor,
        )
        return self

    def addReadOnlyStateStore(
        self, storeBuilder: Any, sourceName: str, *arguments: Any
    ) -> Topology:
        """Add a store whose changelog is a topic that others write, and what reads that topic.

        ``addReadOnlyStateStore(storeBuilder, sourceName, [TimestampExtractor,] keyDeserializer,
        valueDeserializer, topic, processorName, supplier)``. Logging is switched off on the
        builder. Connect processors that are to read the store; only ``supplier``'s may write.

        Raises:
            TopologyException: A name is taken, or another source reads the topic.

        Source: KIP-813.
        """
        found = _store_arguments("addReadOnlyStateStore", arguments)
        builder = checked_store_builder(storeBuilder).withLoggingDisabled()
        self.builder.add_source(
            not_none(sourceName, "name"),
            [found.topic],
            key_deserializer=found.key_deserializer,
            value_deserializer=found.value_deserializer,
            timestamp_extractor=found.timestamp_extractor,
            offset_reset=AutoOffsetReset.earliest(),
        )
        self.builder.add_processor(found.processor_name, found.supplier, [sourceName], plain=True)
        self.builder.add_state_store(builder, [found.processor_name])
        self.builder.use_source_topic(builder.name(), found.topic)
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
        name = None if self.config is None else self.config.topologyName
        return TopologyDescription(self.builder.plan(), name)

    def store_names(self) -> tuple[str, ...]:
        """Return the name of every store, whether a processor uses it or not."""
        return self.builder.store_names()

    def plan(self) -> Plan:
        """Return what a host needs to make tasks."""
        return self.builder.plan()


@dataclass(frozen=True, slots=True, kw_only=True)
class _FilledStore:
    """A topic, and the processor that fills a store from it."""

    key_deserializer: Any
    value_deserializer: Any
    topic: str
    processor_name: str
    supplier: Any
    timestamp_extractor: Any = None


def _store_arguments(method: str, arguments: tuple[Any, ...]) -> _FilledStore:
    rest = list(arguments)
    extractor = rest.pop(0) if len(rest) == 6 else None
    if extractor is not None and not _is_extractor(extractor, TimestampExtractor):
        raise ClassCastException(
            f"{method} does not take {a_kind(extractor)} as a timestamp extractor",
            hint="Give an object with a method extract(), a callable, or None.",
        )
    if len(rest) != 5:
        raise IllegalArgumentException(
            f"{method} got {len(arguments) + 2} arguments",
            hint="It takes storeBuilder, sourceName, [timestampExtractor,] keyDeserializer, "
            "valueDeserializer, topic, processorName, supplier.",
        )
    key_deserializer, value_deserializer, topic, processor_name, supplier = rest
    key_deserializer = _half(key_deserializer, "deserialize")
    value_deserializer = _half(value_deserializer, "deserialize")
    for each in (key_deserializer, value_deserializer):
        not_the_other_half(each, "deserialize")
        if each is not None and not callable(getattr(each, "deserialize", None)):
            raise ClassCastException(
                f"{method} does not take {a_kind(each)} as a deserializer",
                hint="Give a deserializer, or None for the application's default.",
            )
    return _FilledStore(
        key_deserializer=key_deserializer,
        value_deserializer=value_deserializer,
        topic=not_none(topic, "topic"),
        processor_name=not_none(processor_name, "name"),
        supplier=not_none(supplier, "stateUpdateSupplier"),
        timestamp_extractor=extractor,
    )


def _run_of_halves(rest: list[Any], method: str) -> int:
    """Return the number of serdes' halves, or functions or Nones in their place, at the front.

    A half of a user's own need only have the method. One function alone is an extractor or a
    partitioner: halves come in twos, and a name follows.
    """
    kinds = [each is None or _is_half(each, method) or is_function(each) for each in rest]
    run = kinds.index(False) if False in kinds else len(kinds)
    return 1 if run == len(rest) == 2 and any(map(is_function, rest)) else run


def _is_half(given: Any, method: str) -> bool:
    return not isinstance(given, type) and callable(getattr(given, method, None))


def _half(given: Any, method: str) -> Any:
    return checked_half(given, method) if is_function(given) else given


def _topic_name(topic: Any) -> str:
    if not isinstance(not_none(topic, "topic names"), str):
        raise ClassCastException(
            f"addSource does not take a {type(topic).__name__} as a topic",
            hint="Give names, or one compiled pattern; both deserializers, or none.",
        )
    return plain_text(topic)


def _lacks_reset_policy(arguments: list[Any]) -> bool:
    """Tell whether arguments begin with None for a reset policy: a name and no topic follow.

    Before a name and topics None is a name that is missing.
    """
    return (
        len(arguments) > 2
        and arguments[0] is None
        and isinstance(arguments[1], str)
        and not isinstance(arguments[2], str | re.Pattern)
    )


def _take(rest: list[Any], found: dict[str, Any], extractor: type) -> None:
    argument = rest.pop(0)
    if isinstance(argument, AutoOffsetReset):
        found["offset_reset"] = argument
    elif _is_extractor(argument, extractor):
        found["timestamp_extractor"] = argument
    else:
        raise IllegalArgumentException(
            f"addSource does not take {a_kind(argument)} before the name",
            hint="Only an AutoOffsetReset and a TimestampExtractor may stand there.",
        )


def _is_extractor(argument: Any, extractor: type) -> bool:
    if isinstance(argument, extractor) or hasattr(argument, "extract"):
        return True
    return callable(argument) and not isinstance(argument, str | re.Pattern | Deserializer)
