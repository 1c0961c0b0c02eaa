"""Builder of a topology: it collects nodes and stores, checks them, and returns the plan.

``Topology`` is its public face; the DSL writes its graph to it directly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from millstream.core.errors import ClassCastException, TopologyException
from millstream.core.function_kinds import method_or_self
from millstream.core.java_collections import hash_order
from millstream.core.plan import (
    GlobalStore,
    Node,
    Plan,
    ProcessorNode,
    SinkNode,
    SourceNode,
    StoreNode,
    SubTopology,
)
from millstream.topology.checks import (
    check_not_global,
    check_one_source_topic,
    check_parents,
    check_unclaimed,
    checked_name,
    checked_store_builder,
    not_none,
    unused_name,
)
from millstream.topology.supplied import Supplied, Wrap, check_fresh


@dataclass(slots=True)
class TopologyBuilder:
    """Nodes and stores in the order in which they were added."""

    wrap: Wrap | None = None
    """Is shown every processor but those of global stores."""
    _nodes: dict[str, Node] = field(default_factory=dict)
    _stores: dict[str, StoreNode] = field(default_factory=dict)
    _global_stores: dict[str, GlobalStore] = field(default_factory=dict)
    _repartition_topics: dict[str, int | None] = field(default_factory=dict)
    _copartitioned: list[tuple[str, ...]] = field(default_factory=list)

    def add_source(
        self,
        name: str,
        topics: Iterable[str] | re.Pattern[str],
        *,
        key_deserializer: Any = None,
        value_deserializer: Any = None,
        timestamp_extractor: Any = None,
        offset_reset: Any = None,
    ) -> None:
        """Add a source of some topics or of every topic whose whole name matches a pattern."""
        name = checked_name(name, "name")
        unused_name(name, self._all_nodes())
        pattern: re.Pattern[str] | None = None
        names: tuple[str, ...] = ()
        if isinstance(topics, re.Pattern) and not isinstance(topics.pattern, str):
            raise ClassCastException(
                "topics cannot be a pattern of bytes", hint='Write re.compile("..."), without b.'
            )
        if isinstance(topics, re.Pattern):
            pattern = topics
        else:
            given = not_none(topics, "topics")
            names = tuple(checked_name(topic, "topic") for topic in given)
        if pattern is None and not names:
            raise TopologyException(
                "topics cannot be empty",
                detail=f'The source "{name}" has no topic.',
                hint="Name at least one topic or a pattern.",
            )
        check_unclaimed(name, names, pattern, self._all_sources())
        self._nodes[name] = SourceNode(
            name=name,
            topics=names,
            pattern=pattern,
            key_deserializer=key_deserializer,
            value_deserializer=value_deserializer,
            timestamp_extractor=timestamp_extractor,
            offset_reset=offset_reset,
        )

    def add_processor(
        self,
        name: str,
        supplier: Any,
        parents: Iterable[str],
        *,
        stores: Iterable[Any] = (),
        plain: bool = False,
    ) -> None:
        """Add a processor below its parents, with its own stores and those its supplier brings.

        A plain one is not shown to ``wrap``.
        """
        name = checked_name(name, "name")
        names = self._checked_parents("processor", name, parents)
        supplied = supplier if isinstance(supplier, Supplied) else Supplied(supplier)
        supplied = replace(supplied, brings=(*supplied.brings, *stores))
        check_fresh(supplied, f'of processor "{name}"')
        if self.wrap is not None and not plain:
            supplied = self.wrap(name, supplied)
        self._nodes[name] = ProcessorNode(
            name=name, parents=names, supplier=supplied, fixed_key=supplied.fixed_key
        )
        for builder in supplied.stores():
            self.add_state_store(builder, [name])

    def add_sink(
        self,
        name: str,
        target: Any,
        *,
        key_serializer: Any = None,
        value_serializer: Any = None,
        partitioner: Any = None,
        repeats: Any = None,
        parents: Iterable[str],
    ) -> None:
        """Add a sink to a topic, or to where an extractor says, below its parents."""
        name = checked_name(name, "name")
        names = self._checked_parents("sink", name, parents)
        if not callable(method_or_self(target, "extract")):
            target = checked_name(target, "topic", "Give its name, or a TopicNameExtractor.")
        self._nodes[name] = SinkNode(
            name=name,
            parents=names,
            topic=target if isinstance(target, str) else None,
            extractor=None if isinstance(target, str) else target,
            key_serializer=key_serializer,
            value_serializer=value_serializer,
            partitioner=partitioner,
            repeats=repeats,
        )

    def add_state_store(
        self, builder: Any, processors: Iterable[str] = (), *, allow_override: bool = False
    ) -> None:
        """Add a store and connect processors to it; adding the same builder twice is fine."""
        name = checked_store_builder(builder).name()
        present = self._stores.get(name)
        if present is None:
            if name in self._global_stores:
                raise _doubled_store(name, "GlobalStateStore")
            self._stores[name] = StoreNode(name=name, builder=builder)
        elif allow_override:
            self._stores[name] = replace(present, builder=builder)
        elif present.builder is not builder and present.builder != builder:
            raise _doubled_store(name)
        for processor in processors:
            self.connect(processor, [name])

    def connect(self, processor: str, stores: Iterable[str]) -> None:
        """Give a processor access to stores."""
        names = list(stores)
        if not names:
            raise TopologyException(
                "stateStoreNames cannot be empty", detail=f'The processor is "{processor}".'
            )
        for store in names:
            self._connect_one(
                checked_name(processor, "processorName"), checked_name(store, "state store name")
            )

    def add_global_store(
        self,
        builder: Any,
        source_name: str,
        topic: str,
        processor_name: str,
        supplier: Any,
        *,
        key_deserializer: Any = None,
        value_deserializer: Any = None,
        timestamp_extractor: Any = None,
    ) -> None:
        """Add a store that every task sees whole, filled from ``topic`` by one processor."""
        store = checked_store_builder(builder).name()
        topic = checked_name(topic, "topic")
        source_name = checked_name(source_name, "name")
        processor_name = checked_name(processor_name, "name")
        unused_name(source_name, self._all_nodes())
        unused_name(processor_name, self._all_nodes())
        if store in self._stores:
            raise _doubled_store(store)
        if store in self._global_stores:
            raise _doubled_store(store, "GlobalStateStore")
        if builder.loggingEnabled():
            # Its topic is its changelog.
            builder = builder.withLoggingDisabled()
        if source_name == processor_name:
            raise TopologyException(
                "sourceName and processorName must be different.",
                detail=f'The global store is "{store}".',
            )
        check_unclaimed(source_name, (topic,), None, self._all_sources())
        supplied = supplier if isinstance(supplier, Supplied) else Supplied(supplier)
        check_fresh(supplied, f'of processor "{processor_name}"')
        self._global_stores[store] = GlobalStore(
            subtopology=-1,
            store=StoreNode(name=store, builder=builder, users=(processor_name,)),
            source=SourceNode(
                name=source_name,
                topics=(topic,),
                key_deserializer=key_deserializer,
                value_deserializer=value_deserializer,
                timestamp_extractor=timestamp_extractor,
            ),
            processor=ProcessorNode(
                name=processor_name,
                parents=(source_name,),
                supplier=supplied,
                stores=(store,),
                fixed_key=supplied.fixed_key,
            ),
        )
        # It has a place in the order that decides the numbers of sub-topologies.
        self._nodes[source_name] = self._global_stores[store].source
        self._nodes[processor_name] = self._global_stores[store].processor

    def add_internal_topic(self, topic: str, partitions: int | None) -> None:
        """Declare a repartition topic; None: as many partitions as its writers' sources have."""
        self._repartition_topics[topic] = partitions

    def copartition(self, groups: Iterable[Iterable[str]]) -> None:
        """Demand that the topics of the sources of each group have equally many partitions."""
        self._copartitioned = [tuple(group) for group in groups]

    def check_copartitioned(self) -> None:
        """Refuse topics of the application's own that are to meet and cannot.

        Raises:
            TopologyException: All topics of a group have a given number of partitions, and not the
                same one. Where another topic is among them, its number is known only later.
        """
        for group in self._copartitioned:
            topics = self._topics_of(group)
            given = {topic: self._repartition_topics.get(topic) for topic in sorted(topics)}
            if None not in given.values() and len(set(given.values())) > 1:
                listed = ", ".join(f"{topic}={count}" for topic, count in given.items())
                raise TopologyException(
                    f"Following topics do not have the same number of partitions: [{{{listed}}}]",
                    hint="Give withNumberOfPartitions() the same number for streams that are "
                    "joined or cogrouped.",
                )

    def copy(self) -> TopologyBuilder:
        """Return an independent copy."""
        return replace(
            self,
            _nodes=dict(self._nodes),
            _stores=dict(self._stores),
            _global_stores=dict(self._global_stores),
            _repartition_topics=dict(self._repartition_topics),
            _copartitioned=list(self._copartitioned),
        )

    def has_same_nodes(self, other: TopologyBuilder) -> bool:
        """Return whether the two have the same nodes and stores, identically."""
        pairs = ((self._nodes, other._nodes), (self._stores, other._stores))
        return all(_identical(mine, theirs) for mine, theirs in pairs)

    def use_source_topic(self, store: str, topic: str) -> None:
        """Let ``topic`` serve as the store's changelog; refuse a second topic."""
        check_one_source_topic(self._stores[store], topic)
        self._stores[store] = replace(self._stores[store], source_topic=topic)

    def has_store(self, name: str) -> bool:
        """Return whether a store, global or not, is called ``name``."""
        return name in self._stores or name in self._global_stores

    def store_names(self) -> tuple[str, ...]:
        """Return the name of every store, whether a processor uses it or not."""
        return (*self._stores, *self._global_stores)

    def store_builder(self, name: str) -> Any:
        """Return the builder of a store, None if there is none of that name."""
        store = self._stores.get(name)
        return None if store is None else store.builder

    def plan(self) -> Plan:
        """Return the topology as it is now."""
        globals_, subtopologies = [], []
        by_source = {store.source.name: store for store in self._global_stores.values()}
        for number, names in enumerate(self._groups()):
            owner = next((by_source[name] for name in names if name in by_source), None)
            if owner is not None:
                globals_.append(replace(owner, subtopology=number))
            else:
                subtopologies.append(self._subtopology(number, names))
        return Plan(
            subtopologies=tuple(subtopologies),
            globals=tuple(globals_),
            repartition_topics=dict(self._repartition_topics),
            copartitioned=tuple(self._topics_of(group) for group in self._copartitioned),
        )

    def _subtopology(self, number: int, names: list[str]) -> SubTopology:
        nodes = tuple(self._nodes[name] for name in names)
        stores: dict[str, StoreNode] = {}
        for node in nodes:
            if isinstance(node, ProcessorNode):
                local = [store for store in node.stores if store in self._stores]
                stores.update({store: self._stores[store] for store in hash_order(local)})
        return SubTopology(id=number, nodes=nodes, stores=tuple(stores.values()))

    def _groups(self) -> list[list[str]]:
        """Return the names of each sub-topology, joined by edges and by shared stores."""
        root = {name: name for name in self._nodes}

        def find(name: str) -> str:
            while root[name] != name:
                root[name] = root[root[name]]
                name = root[name]
            return name

        for node in self._nodes.values():
            for parent in node.parents:
                root[find(node.name)] = find(parent)
        for store in self._stores.values():
            for user in store.users[1:]:
                root[find(user)] = find(store.users[0])
        groups: dict[str, list[str]] = {}
        for name in self._nodes:
            groups.setdefault(find(name), []).append(name)
        return list(groups.values())

    def _connect_one(self, processor: str, store: str) -> None:
        if store in self._global_stores:
            raise TopologyException(
                f"Global StateStore {store} can be used by a Processor without being specified; "
                "it should not be explicitly passed.",
                detail=f'It was to be connected to the processor "{processor}".',
            )
        if store not in self._stores:
            raise TopologyException(
                f"StateStore {store} is not added yet.",
                detail=f'The processor "{processor}" wants it. '
                f"Stores: {', '.join(self._stores) or 'none'}.",
                hint="Add the store first.",
            )
        node = self._nodes.get(processor)
        if not isinstance(node, ProcessorNode):
            problem = (
                f"cannot connect a state store {store} to a source node or a sink node."
                if node
                else f"Processor {processor} is not added yet."
            )
            raise TopologyException(
                problem,
                detail=f'The store is "{store}".',
                hint="Add the processor first; sources and sinks have no stores.",
            )
        if store not in node.stores:
            self._nodes[processor] = replace(node, stores=(*node.stores, store))
            users = self._stores[store].users
            self._stores[store] = replace(self._stores[store], users=(*users, processor))

    def _checked_parents(self, kind: str, name: str, parents: Iterable[str]) -> tuple[str, ...]:
        unused_name(name, self._all_nodes())
        names = check_parents(kind, name, parents, self._nodes)
        check_not_global(kind, name, names, self._global_stores)
        return names

    def node_names(self) -> list[str]:
        """Return the nodes' names in the order in which they were added."""
        return list(self._nodes)

    def _all_nodes(self) -> set[str]:
        return set(self._nodes)

    def _all_sources(self) -> list[SourceNode]:
        return [node for node in self._nodes.values() if isinstance(node, SourceNode)]

    def _topics_of(self, sources: tuple[str, ...]) -> frozenset[str]:
        nodes = (self._nodes[name] for name in sources)
        return frozenset(
            topic for node in nodes if isinstance(node, SourceNode) for topic in node.topics
        )


def _identical(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one.keys() == other.keys() and all(one[name] is other[name] for name in one)


def _doubled_store(name: str, kind: str = "StateStore") -> TopologyException:
    return TopologyException(
        f"A different {kind} has already been added with the name {name}",
        hint="Give each store its own name.",
    )
