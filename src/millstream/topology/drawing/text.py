"""Drawings as text: Mermaid, Graphviz's dot, and JSON."""

from __future__ import annotations

import json
from typing import Any

from millstream.topology.describe import (
    DescribedNode,
    DescribedProcessor,
    DescribedSink,
    DescribedSource,
    TopologyDescription,
)
from millstream.topology.drawing.picture import (
    PROCESSOR,
    SINK,
    SOURCE,
    STORE,
    TOPIC,
    Picture,
    Vertex,
    kind_of,
    picture_of,
)

_MERMAID = {
    SOURCE: ('["', '"]'),
    PROCESSOR: ('["', '"]'),
    SINK: ('["', '"]'),
    STORE: ('[("', '")]'),
    TOPIC: ('(["', '"])'),
}
_DOT = {
    SOURCE: 'shape=box, style="rounded,filled", fillcolor="#e8f1fb"',
    PROCESSOR: 'shape=box, style="rounded,filled", fillcolor="#ffffff"',
    SINK: 'shape=box, style="rounded,filled", fillcolor="#fdf0e3"',
    STORE: 'shape=cylinder, style=filled, fillcolor="#eef7ec"',
    TOPIC: 'shape=cds, style=filled, fillcolor="#f2f2f2"',
}


def to_mermaid(description: TopologyDescription) -> str:
    """Return a Mermaid flowchart, which Markdown pages of many sites draw.

    Example:
        >>> from millstream import Topology
        >>> topology = Topology().addSource("in", "words").addSink("out", "copies", "in")
        >>> print(to_mermaid(topology.describe()))
        flowchart TD
          t0(["words"])
          t1(["copies"])
          subgraph s0["Sub-topology 0"]
            s0_n0["in"]
            s0_n1["out"]
          end
          t0 --> s0_n0
          s0_n0 --> s0_n1
          s0_n1 --> t1
    """
    picture = picture_of(description)
    lines = ["flowchart TD"]
    lines += [f"  {_mermaid(vertex)}" for vertex in picture.topics.values()]
    for part in picture.parts:
        lines.append(f'  subgraph s{part.number}["{part.title}"]')
        lines += [f"    {_mermaid(vertex)}" for vertex in (*part.nodes, *part.stores)]
        lines.append("  end")
    lines += [f"  {above} --> {below}" for above, below in _arrows(picture)]
    lines += [f"  {node} -.- {store}" for part in picture.parts for node, store in part.links]
    return "\n".join(lines)


def to_dot(description: TopologyDescription) -> str:
    """Return a graph in the language of Graphviz: ``dot -Tpdf`` makes a file of it."""
    picture = picture_of(description)
    lines = ["digraph topology {", '  node [fontname="monospace", fontsize=10];']
    lines += [f"  {_dot(vertex)}" for vertex in picture.topics.values()]
    for part in picture.parts:
        lines.append(f"  subgraph cluster_{part.number} {{")
        lines.append(f"    label={_quoted(part.title)};")
        lines += [f"    {_dot(vertex)}" for vertex in (*part.nodes, *part.stores)]
        lines.append("  }")
    lines += [f"  {above} -> {below};" for above, below in _arrows(picture)]
    lines += [
        f"  {node} -> {store} [dir=none, style=dashed];"
        for part in picture.parts
        for node, store in part.links
    ]
    return "\n".join([*lines, "}"])


def to_json(description: TopologyDescription) -> str:
    """Return the description as JSON: sub-topologies and global stores, with their nodes."""
    body = {
        "subtopologies": [
            {"id": part.id(), "nodes": [_facts(node) for node in part.nodes()]}
            for part in description.subtopologies()
        ],
        "globalStores": [
            {"id": store.id(), "nodes": [_facts(store.source()), _facts(store.processor())]}
            for store in description.globalStores()
        ],
    }
    return json.dumps(body, indent=2, ensure_ascii=False)


def _facts(node: DescribedNode) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": node.name(), "type": kind_of(node)}
    if isinstance(node, DescribedSource):
        pattern = node.topicPattern()
        facts["topics"] = None if pattern is not None else sorted(node.topicSet() or ())
        facts["pattern"] = None if pattern is None else pattern.pattern
    elif isinstance(node, DescribedSink):
        facts["topic"] = node.topic()
    elif isinstance(node, DescribedProcessor):
        facts["stores"] = sorted(node.stores())
    facts["predecessors"] = [each.name() for each in node.predecessors()]
    facts["successors"] = [each.name() for each in node.successors()]
    return facts


def _arrows(picture: Picture) -> list[tuple[str, str]]:
    inside = [edge for part in picture.parts for edge in part.edges]
    return [*picture.reads, *inside, *picture.writes]


def _mermaid(vertex: Vertex) -> str:
    before, after = _MERMAID[vertex.kind]
    # Mermaid reads HTML's entities, and # begins one.
    text = vertex.label.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;")
    return f"{vertex.id}{before}{text}{after}"


def _dot(vertex: Vertex) -> str:
    return f"{vertex.id} [label={_quoted(vertex.label)}, {_DOT[vertex.kind]}];"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
