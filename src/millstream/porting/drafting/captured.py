"""Variables from outside a function: what it keeps of a loop, and what it sets in the module.

A lambda of Java keeps the value that a variable had when it was made. One of Python looks the
variable up when it is called, and so finds the loop's last value; a parameter with a default
keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from millstream.porting.drafting import words
from millstream.porting.drafting.context import Context
from millstream.porting.reading.nodes import inner, text, walk

CHANGES = ("assignment_expression", "update_expression")


def kept(node: Node, context: Context) -> list[str]:
    """Return the parameters by which a function keeps what the loop around it changes."""
    if context.rebound is None:
        return []
    changed = {java for scope in context.scopes[context.rebound :] for java in scope}
    used = dict.fromkeys(java for java in variables(node) if java in changed)
    return [f"{words.name(java)}={words.name(java)}" for java in used]


def module_variables(node: Node, context: Context) -> list[str]:
    """Return the line that lets a method or a lambda set static fields that are the module's."""
    static = {java for each in context.shapes.values() if each.loose for java in each.static_fields}
    if not static:
        return []
    parts = list(walk(node))
    declared = {
        text(each.child_by_field_name("name"))
        for each in parts
        if each.type in ("variable_declarator", "formal_parameter")
    }
    changed = {text(_target(each)) for each in parts if each.type in CHANGES}
    names = sorted(words.name(java) for java in (static & changed) - declared)
    return [f"global {', '.join(names)}"] if names else []


def _target(node: Node) -> Node:
    target = node.child_by_field_name("left") or inner(node)[0]
    return inner(target)[-1] if target.type == "field_access" else target


def variables(node: Node) -> Iterator[str]:
    """Yield the names that stand for themselves: no methods, no fields of something."""
    if node.type == "identifier":
        yield text(node)
        return
    for index, child in enumerate(node.children):
        if node.field_name_for_child(index) in ("name", "field") and node.type in (
            "method_invocation",
            "field_access",
        ):
            continue
        yield from variables(child)
