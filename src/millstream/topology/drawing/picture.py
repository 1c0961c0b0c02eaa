"""Vertices and edges of a drawing: nodes, stores and topics of a described topology."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from millstream.topology.describe import (
    DescribedNode,
    DescribedProcessor,
    DescribedSink,
    DescribedSource,
    TopologyDescription,
)

SOURCE, PROCESSOR, SINK, STORE, TOPIC = "source", "processor", "sink", "store", "topic"


@dataclass(frozen=True, slots=True)
class Vertex:
    """One shape of a drawing."""

    id: str
    """Unique in the drawing, of letters, digits and underscores."""
    kind: str
    """``source``, ``processor``, ``sink``, ``store`` or ``topic``."""
    label: str


@dataclass(frozen=True, slots=True)
class DrawnPart:
    """The shapes inside the box of one sub-topology."""

    number: int
    is_global: bool
    nodes: tuple[Vertex, ...]
    stores: tuple[Vertex, ...]
    edges: tuple[tuple[str, str], ...]
    """Ids of nodes that are connected, from above to below."""
    links: tuple[tuple[str, str], ...]
    """Ids of processors and their stores."""

    @property
    def title(self) -> str:
        """The text of the box."""
        return f"Sub-topology {self.number}" + (" (global store)" if self.is_global else "")


@dataclass(slots=True)
class Picture:
    """A whole drawing, without positions."""

    parts: list[DrawnPart] = field(default_factory=list)
    topics: dict[str, Vertex] = field(default_factory=dict)
    """Label -> topic; a topic that is written and read is there once."""
    reads: list[tuple[str, str]] = field(default_factory=list)
    """Ids of topics and the sources that read them."""
    writes: list[tuple[str, str]] = field(default_factory=list)
    """Ids of sinks and the topics that they write."""

    def topic(self, label: str) -> str:
        """Return the id of a topic's vertex."""
        known = self.topics.get(label)
        if known is None:
            known = self.topics[label] = Vertex(f"t{len(self.topics)}", TOPIC, label)
        return known.id


def picture_of(description: TopologyDescription) -> Picture:
    """Return the shapes of a described topology, sub-topologies by number."""
    picture = Picture()
    groups: list[tuple[int, bool, list[DescribedNode]]] = [
        (part.id(), False, part.nodes()) for part in description.subtopologies()
    ]
    groups += [
        (store.id(), True, [store.source(), store.processor()])
        for store in description.globalStores()
    ]
    for number, is_global, nodes in sorted(groups, key=lambda group: group[0]):
        picture.parts.append(_part(picture, number, is_global, nodes))
    return picture


def topics_of(source: DescribedSource) -> list[str]:
    """Return the labels of what a source reads: its topics, or its pattern."""
    pattern = source.topicPattern()
    if pattern is not None:
        return [f"pattern {pattern.pattern}"]
    return sorted(source.topicSet() or ())


def topic_of(sink: DescribedSink) -> str:
    """Return the label of what a sink writes: its topic, or that an extractor decides."""
    topic = sink.topic()
    return topic if topic is not None else f"chosen by {_name(sink.topicNameExtractor())}"


def _name(extractor: object) -> str:
    name = getattr(extractor, "__name__", None)
    return "a function" if name == "<lambda>" else str(name or type(extractor).__name__)


def _part(picture: Picture, number: int, is_global: bool, nodes: list[DescribedNode]) -> DrawnPart:
    ids = {node.name(): f"s{number}_n{index}" for index, node in enumerate(nodes)}
    names = [name for node in nodes for name in _stores(node)]
    stores = {name: f"s{number}_s{index}" for index, name in enumerate(dict.fromkeys(names))}
    for node in nodes:
        if isinstance(node, DescribedSource):
            picture.reads += [(picture.topic(each), ids[node.name()]) for each in topics_of(node)]
        elif isinstance(node, DescribedSink):
            picture.writes.append((ids[node.name()], picture.topic(topic_of(node))))
    return DrawnPart(
        number=number,
        is_global=is_global,
        nodes=tuple(Vertex(ids[node.name()], kind_of(node), node.name()) for node in nodes),
        stores=tuple(Vertex(id_, STORE, name) for name, id_ in stores.items()),
        edges=tuple(
            (ids[node.name()], ids[below.name()]) for node in nodes for below in node.successors()
        ),
        links=tuple((ids[node.name()], stores[name]) for node in nodes for name in _stores(node)),
    )


def kind_of(node: DescribedNode) -> str:
    """Return ``source``, ``processor`` or ``sink``."""
    if isinstance(node, DescribedSource):
        return SOURCE
    return SINK if isinstance(node, DescribedSink) else PROCESSOR


def _stores(node: DescribedNode) -> Iterator[str]:
    if isinstance(node, DescribedProcessor):
        yield from sorted(node.stores())
