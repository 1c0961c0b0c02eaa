"""Topology of an application as the page draws it: nodes with places, edges, topics, stores."""

from __future__ import annotations

from typing import Any

from millstream.core.plan import Plan, SinkNode, SourceNode, StoreNode, SubTopology
from millstream.topology.describe import TopologyDescription
from millstream.topology.drawing.placed import placed_nodes
from millstream.topology.spark.checkpoint.store_notes import Notes, StoreNote
from millstream.topology.spark.compile import Layout

_TYPES = {
    ("key-value", "plain"): "KEY_VALUE",
    ("key-value", "timestamped"): "TIMESTAMPED_KEY_VALUE",
    ("key-value", "headers"): "TIMESTAMPED_KEY_VALUE",
    ("window", ""): "WINDOW",
    ("session", ""): "SESSION",
    ("versioned", ""): "VERSIONED",
    ("suppression buffer", ""): "BUFFER",
}
_NOT_ASKED = ("BUFFER", "OTHER")
Row = dict[str, Any]


def topology_of(
    plan: Plan, layout: Layout | None, notes: Notes, *, description: str, id: str
) -> Row:
    """Return a topology as the page draws it.

    Args:
        plan: The topology.
        layout: Its stages; None before the start.
        notes: Type and kind of each store.
        description: Its text.
        id: The application's id, which the names of its internal topics begin with.
    """
    parts = [*plan.subtopologies, *(each.as_subtopology() for each in plan.globals)]
    drawing = placed_nodes(TopologyDescription(plan))
    return {
        "description": description,
        "stages": _stages(plan, layout, id),
        "nodes": [
            {
                "name": node.name,
                "kind": _kind(node),
                "subtopology": part.id,
                "topics": [plan.internal_name(topic, id) for topic in _topics(node)],
                "stores": list(getattr(node, "stores", ())),
                **drawing.nodes[node.name],
            }
            for part in parts
            for node in part.nodes
        ],
        "edges": [
            {"from": parent, "to": node.name}
            for part in parts
            for node in part.nodes
            for parent in node.parents
        ],
        "topics": _topic_rows(plan, parts, id),
        "bounds": {"width": drawing.width, "height": drawing.height},
        "stores": _store_rows(plan, notes),
    }


def _stages(plan: Plan, layout: Layout | None, id: str) -> list[Row]:
    if layout is None:
        return []
    parts = {part.id: part for part in plan.subtopologies}
    return [
        {
            "index": stage.index,
            "subtopology": stage.subtopology,
            "sources": [*stage.topics, *stage.internal],
            "sinks": [plan.internal_name(t, id) for t in _sinks(parts.get(stage.subtopology))],
            "stores": [s.name for s in _stores(parts.get(stage.subtopology))],
        }
        for stage in layout.stages
    ]


def _sinks(part: SubTopology | None) -> tuple[str, ...]:
    return () if part is None else part.sink_topics


def _stores(part: SubTopology | None) -> tuple[StoreNode, ...]:
    return () if part is None else part.stores


def _kind(node: Any) -> str:
    if isinstance(node, SourceNode):
        return "source"
    return "sink" if isinstance(node, SinkNode) else "processor"


def _topics(node: Any) -> list[str]:
    if isinstance(node, SourceNode):
        return list(node.topics) or ([] if node.pattern is None else [node.pattern.pattern])
    return [node.topic] if isinstance(node, SinkNode) and node.topic is not None else []


def _topic_rows(plan: Plan, parts: list[SubTopology], id: str) -> list[Row]:
    roles: dict[str, str] = {}
    for part in parts:
        roles |= dict.fromkeys(part.source_topics, "source")
        roles |= {topic: "sink" for topic in part.sink_topics if topic not in roles}
    roles |= {topic: "repartition" for topic in plan.repartition_topics if topic in roles}
    return [
        {
            "name": plan.internal_name(topic, id),
            "internal": topic in plan.repartition_topics,
            "role": role,
        }
        for topic, role in roles.items()
    ]


def _store_rows(plan: Plan, notes: Notes) -> list[Row]:
    own = [(part.id, store) for part in plan.subtopologies for store in part.stores]
    rows = [_store(number, store, notes, is_global=False) for number, store in own]
    return rows + [_store(g.subtopology, g.store, notes, is_global=True) for g in plan.globals]


def _store(number: int, store: StoreNode, notes: Notes, *, is_global: bool) -> Row:
    note = notes.get(store.name) or StoreNote(type="")
    known = _TYPES.get((note.type, note.values)) or _TYPES.get((note.type, "")) or "OTHER"
    return {
        "name": store.name,
        "type": "GLOBAL" if is_global else known,
        "kind": note.kind or "memory",
        "subtopology": number,
        "nodes": list(store.users),
        "queryable": known not in _NOT_ASKED,
    }
