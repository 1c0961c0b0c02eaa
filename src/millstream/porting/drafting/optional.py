"""Java's Optional, which is the value or None in Python."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.kinds import kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import inner, text

MADE = {("of", 1): "{0}", ("ofNullable", 1): "{0}", ("empty", 0): "None"}
ASKED = {
    ("isPresent", 0): "{o} is not None", ("isEmpty", 0): "{o} is None", ("get", 0): "{o}",
    ("orElse", 1): "{o} if {o} is not None else {0}",
}  # fmt: skip


def is_optional(node: Node, context: Context) -> bool:
    """Tell whether an expression is an Optional: declared so, or what Kafka returns."""
    if kind(node, context) == "Optional":
        return True
    if node.type != "method_invocation":
        return False
    name, held = text(node.child_by_field_name("name")), text(node.child_by_field_name("object"))
    return name == "recordMetadata" or (held == "Optional" and (name, 1) in MADE)


def _asked_at_most(node: Node) -> bool:
    """Tell whether what is made is only asked for its value, if anything is called on it."""
    parent = node.parent
    if parent is None or parent.child_by_field_name("object") != node:
        return True
    count = len(inner(parent.child_by_field_name("arguments")))
    return (text(parent.child_by_field_name("name")), count) in ASKED


def call(node: Node, receiver: Node, method: str, context: Context) -> str | None:
    """Return a call of an Optional; None if it is none, or has no counterpart."""
    nodes = inner(node.child_by_field_name("arguments"))
    key = (method, len(nodes))
    if text(receiver) == "Optional" and context.local("Optional") is None:
        pattern = MADE.get(key) if _asked_at_most(node) else None
        return None if pattern is None else pattern.format(*(context.express(n) for n in nodes))
    pattern = ASKED.get(key)
    if pattern is None or not is_optional(receiver, context):
        return None
    held = tightened(context.express(receiver))
    if pattern.count("{o}") > 1 and not re.fullmatch(r"[\w.]+", held):
        raise UntranslatedError(node, "it would be asked twice")
    return pattern.format(*(tightened(context.express(n)) for n in nodes), o=held)
